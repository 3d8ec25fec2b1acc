#include "ir/threads/instruction_copy.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/tiles.h"
#include "ir/text/meaning.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/lanes.h"

namespace hone {
namespace {

/// The argument of the meaning that the instruction writes.
TensorPtr result_of(const Opcode& opcode) { return meaning_of(opcode).arguments.front(); }

llvm::SmallVector<int64_t, 4> tile_of(const Opcode& opcode) {
  llvm::SmallVector<int64_t, 4> extents;
  const TensorPtr result = result_of(opcode);
  for (const Expr& extent : result->shape) extents.push_back(*as_int(extent));
  return extents;
}

/// An instruction that moves tiles has two operands, in memory and in registers, or the other way
/// round.
std::optional<CopyTilesProblem> side_problem(const Copy& copy, const Opcode& opcode) {
  const std::string word = opcode.word();
  const auto& spreads = opcode.rules.spreads;
  if (spreads.size() != 2) return CopyTilesProblem{word + " moves no tiles", ""};
  const DType type = result_of(opcode)->type;
  const TensorPtr sides[] = {copy.destination.tensor, copy.source.tensor};
  for (const auto& [side, spread] : llvm::zip(sides, spreads)) {
    const TensorNode& tensor = *side;
    if (tensor.type != type)
      return CopyTilesProblem{fmt::format("{} is {}, and {} moves {}", tensor.name,
                                          name(tensor.type).str(), word, name(type).str()),
                              ""};
    const bool is_in_registers = spread.scope == Scope::registers;
    if (tensor.scope != spread.scope)
      return CopyTilesProblem{
          fmt::format("{} is in no {}, which {} moves tiles {}", tensor.name,
                      is_in_registers ? "registers" : "shared memory", word,
                      &spread == spreads.begin() ? "to" : "from"),
          fmt::format("{} of it first", is_in_registers ? "cache_registers" : "cache_shared")};
  }
  return std::nullopt;
}

/// The axes of tiles, and in a tile.
struct TileAxes {
  llvm::SmallVector<AxisPtr, 4> outer, inner;
  llvm::SmallVector<Expr, 4> position;

  TileAxes(llvm::ArrayRef<int64_t> tile, llvm::function_ref<AxisPtr(llvm::StringRef)> axis) {
    for (const int64_t extent : tile) {
      outer.push_back(axis("tile"));
      inner.push_back(axis("at"));
      position.push_back(AxisRef::make(outer.back()) * extent + AxisRef::make(inner.back()));
    }
  }
};

/// True if all elements of the copy exist on both sides.
bool is_whole(const Copy& copy, const Facts& facts) {
  for (const Region* side : {&copy.destination, &copy.source})
    for (size_t dim = 0; dim < side->ranges.size(); ++dim) {
      const Range& range = side->ranges[dim];
      const Expr last = range.is_point() ? range.offset : range.at(range.extent - 1);
      if (!proves(range.offset >= 0, facts) || !proves(last < side->tensor->shape[dim], facts))
        return false;
    }
  return true;
}

/// A place in memory where a lane has other elements than neighbours.
std::optional<CopyTilesProblem> memory_problem(const Instr& instr, const Facts& facts) {
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads())) {
    if (spread.scope == Scope::registers || spread.is_tile()) continue;
    Facts inside = facts;
    const Lanes values = {make_axis(".value", AxisKind::spatial), spread.values()};
    auto indices = place.indices;
    const size_t more = indices.size() - spread.rank();
    for (const SpreadDigit& digit : spread.digits) {
      const bool is_lane = digit.of == SpreadDigit::Of::lane;
      const AxisPtr axis = is_lane ? make_axis(".lane", AxisKind::spatial) : values.axis;
      if (is_lane) inside.add_axis(axis, digit.count);
      indices[more + digit.dim] =
          simplify(indices[more + digit.dim] + AxisRef::make(axis) * digit.factor);
    }
    const LaneAccess access = lane_access(*place.tensor, indices, values, inside);
    if (access.form != LaneAccess::Form::contiguous)
      return CopyTilesProblem{
          fmt::format("{} takes {} neighbours of {} at a multiple of {} bytes, and {}",
                      instr.opcode.word(), spread.values(), place.tensor->name,
                      spread.values() * size_of(place.tensor->type), access.reason),
          access.note};
  }
  return std::nullopt;
}

}  // namespace

Stmt nest_of(const Copy& copy, const Opcode& opcode,
             llvm::function_ref<AxisPtr(llvm::StringRef)> axis) {
  const auto tile = tile_of(opcode);
  const auto extents = copy.destination.extents();
  const TileAxes axes(tile, axis);
  const Expr value = Load::make(copy.source.tensor, indices_at(copy.source, axes.position));
  Stmt nest = Store::make(copy.destination.tensor, indices_at(copy.destination, axes.position),
                          Update::set, value);
  for (size_t dim = tile.size(); dim-- > 0;) {
    const Binding binding =
        dim == 0 ? Binding{.kind = Binding::Kind::instr, .opcode = &opcode} : Binding();
    nest = For::make(axes.inner[dim], tile[dim], binding, nest);
  }
  for (size_t dim = tile.size(); dim-- > 0;)
    nest = For::make(axes.outer[dim], *as_int(extents[dim]) / tile[dim], {Binding::Kind::unroll},
                     nest);
  return nest;
}

std::optional<CopyTilesProblem> tiles_problem(const Copy& copy, const Opcode& opcode,
                                              const Facts& facts) {
  if (const auto problem = side_problem(copy, opcode)) return problem;
  const std::string word = opcode.word(), &name = copy.destination.tensor->name;
  const auto tile = tile_of(opcode);
  const auto extents = copy.destination.extents();
  bool fits = extents.size() == tile.size();
  for (size_t dim = 0; fits && dim < tile.size(); ++dim)
    fits = as_int(extents[dim]) && *as_int(extents[dim]) % tile[dim] == 0;
  if (!fits)
    return CopyTilesProblem{fmt::format("{} moves tiles of [{}], and {} is copied as [{}]", word,
                                        fmt::join(tile, ", "), name, fmt::join(extents, ", ")),
                            "the tiles divide what is copied"};
  if (!is_whole(copy, facts))
    return CopyTilesProblem{
        fmt::format("{} moves whole tiles, and some of what {} is copied from may not exist", word,
                    name),
        "tiles in shared memory that are split with Tail::pad are whole"};
  Stmt nest = nest_of(copy, opcode, [](llvm::StringRef word) {
    return make_axis("." + word.str(), AxisKind::spatial);
  });
  Facts inside = facts;
  while (!opcode_with_lanes(nest)) {
    const auto& loop = *llvm::cast<For>(nest.get());
    inside.add_axis(loop.axis, loop.extent);
    nest = loop.body;
  }
  const InstructionMatch match = match_exactly(*llvm::cast<For>(nest.get()));
  if (!match.instr.defined()) return CopyTilesProblem{match.problem, match.way_out};
  return memory_problem(*llvm::cast<Instr>(match.instr.get()), inside);
}

}  // namespace hone
