#include "ir/threads/instruction_places.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/lanes.h"

namespace hone {
namespace {

bool has_neighbours(const Instr& instr, const ElementRef& place, const FragmentSpread& spread) {
  if (place.tensor->scope != spread.scope || spread.is_tile() || spread.values() == 1) return false;
  return spread.scope != Scope::registers || !is_of_lanes(instr.opcode);
}

/// The access to the values of each lane.
LaneAccess access_to(const ElementRef& place, const FragmentSpread& spread, Facts facts) {
  const Lanes values = {make_axis(".value", AxisKind::spatial), spread.values()};
  auto indices = place.indices;
  const size_t more = indices.size() - spread.rank();
  for (const SpreadDigit& digit : spread.digits) {
    const bool is_lane = digit.of == SpreadDigit::Of::lane;
    const AxisPtr axis = is_lane ? make_axis(".lane", AxisKind::spatial) : values.axis;
    if (is_lane) facts.add_axis(axis, digit.count);
    Expr& index = indices[more + digit.dim];
    index = simplify(index + AxisRef::make(axis) * digit.factor);
  }
  return lane_access(*place.tensor, indices, values, facts);
}

}  // namespace

std::optional<InstructionProblem> places_problem(const Instr& instr, const Facts& facts) {
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads())) {
    if (!has_neighbours(instr, place, spread)) continue;
    const LaneAccess access = access_to(place, spread, facts);
    if (access.form != LaneAccess::Form::contiguous)
      return InstructionProblem{
          fmt::format("{} takes {} neighbours of {} at a multiple of {} bytes, and {}",
                      instr.opcode.word(), spread.values(), place.tensor->name,
                      spread.values() * size_of(place.tensor->type), access.reason),
          access.note};
  }
  return std::nullopt;
}

}  // namespace hone
