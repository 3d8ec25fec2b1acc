#include "ir/threads/instruction_nest.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/meaning.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_copy.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

const char* name_of(Scope scope) {
  switch (scope) {
    case Scope::global:
      return "global memory";
    case Scope::shared:
      return "shared memory";
    case Scope::registers:
      return "registers";
  }
  llvm_unreachable("unknown scope");
}

/// The digit as messages have it: "lane / 4", "value % 2".
std::string name_of(const SpreadDigit& digit, const FragmentSpread& spread) {
  const bool is_lane = digit.of == SpreadDigit::Of::lane;
  std::string text = is_lane ? "lane" : "value";
  if (digit.divisor > 1) text += fmt::format(" / {}", digit.divisor);
  if (static_cast<int64_t>(digit.divisor) * digit.count < (is_lane ? warp_size : spread.values()))
    text += fmt::format(" % {}", digit.count);
  return text;
}

/// Loops over the digits of a spread, which touch the elements of the place.
Stmt touches(const ElementRef& place, const FragmentSpread& spread) {
  llvm::SmallVector<Expr, 4> indices = place.indices;
  const size_t more = indices.size() - spread.rank();
  llvm::SmallVector<AxisPtr, 6> axes;
  for (const SpreadDigit& digit : spread.digits) {
    axes.push_back(make_axis(name_of(digit, spread), AxisKind::spatial));
    Expr& index = indices[more + digit.dim];
    index = simplify(index + AxisRef::make(axes.back()) * digit.factor);
  }
  const Expr value = Load::make(place.tensor, indices);
  Stmt body = Store::make(place.tensor, indices, Update::set, value);
  for (const auto& [digit, axis] : llvm::zip(spread.digits, axes))
    body = For::make(axis, digit.count,
                     digit.of == SpreadDigit::Of::lane ? lane_binding(digit) : Binding(), body);
  return body;
}

/// True if lanes have parts of the operand: a tile is taken whole, which registers have none of.
bool has_parts(const ElementRef& place, const FragmentSpread& spread) {
  return place.tensor->scope == Scope::registers && spread.scope == Scope::registers;
}

Stmt touches(const Instr& instr) {
  llvm::SmallVector<Stmt, 3> all;
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads()))
    if (has_parts(place, spread)) all.push_back(touches(place, spread));
  return Seq::make(all);
}

using MakeAxis = llvm::function_ref<AxisPtr(llvm::StringRef)>;

Stmt with_nests(const Stmt& stmt, MakeAxis axis,
                llvm::function_ref<Stmt(const Instr&)> replacement) {
  return transform_stmts(stmt, [&](const Stmt& part) -> Stmt {
    if (!opcode_with_lanes(part)) return {};
    if (const auto* copy = llvm::dyn_cast<Copy>(part))
      return with_nests(nest_of(*copy, *copy->execution.opcode, axis), axis, replacement);
    if (const auto* instr = llvm::dyn_cast<Instr>(part)) return replacement(*instr);
    const auto& nest = *llvm::cast<For>(part.get());
    const Stmt instr = match_instruction(nest, *nest.binding.opcode).instr;
    return instr.defined() ? replacement(*llvm::cast<Instr>(instr.get())) : part;
  });
}

/// Rows of eight are a period of the swizzle; a tile begins with one.
constexpr int64_t rows_of_swizzle = 8;

/// The row of a tensor at which the place starts, counted over all dimensions but the last.
Expr first_row(const ElementRef& place) {
  Expr row = 0;
  for (size_t dim = 0; dim + 1 < place.indices.size(); ++dim)
    row = row * place.tensor->shape[dim] + place.indices[dim];
  return row;
}

bool is_multiple(const Expr& number, int64_t of) { return is_int(simplify(number % of), 0); }

/// True if rows of so many elements may be panels of the tensor: panels begin with a period. Rows
/// that run over several dimensions are none.
bool is_wider(const TensorNode& tensor, const FragmentSpread& spread, int64_t columns) {
  return spread.rank() == 2 && tensor.rank() > 1 && !is_int(tensor.shape.back(), columns) &&
         is_multiple(tensor.shape[tensor.rank() - 2], rows_of_swizzle);
}

/// The demand that a tile does not meet, if there is one: its layout is that of the spread, or of
/// panels of which it is one, and the place starts at a row of the swizzle, or at a panel.
std::optional<std::string> tile_problem(const ElementRef& place, const FragmentSpread& spread) {
  const TensorNode& tensor = *place.tensor;
  const int64_t columns = spread.columns(tensor.type);
  const bool has_panels = spread.has_panels(),
             is_panel = !has_panels && is_wider(tensor, spread, columns);
  Layout wanted = is_panel ? spread.layout_of_panels(tensor.type) : spread.layout(tensor.type);
  for (size_t dim = spread.rank(); dim < tensor.rank(); ++dim) wanted = with_slowest_dim(wanted);
  const bool has_rows = tensor.layout.digits == wanted.digits &&
                        tensor.layout.swizzles == wanted.swizzles && tensor.layout.padding == 0 &&
                        (has_panels ? is_int(tensor.shape[tensor.rank() - 2], spread.tile.front())
                                    : is_panel || is_int(tensor.shape.back(), columns));
  if (!has_rows)
    return fmt::format("{} of {} elements of {} in a swizzle of {} bytes",
                       has_panels ? "panels" : "rows", columns, tensor.name, spread.swizzle);
  const Expr row = first_row(place);
  if (!is_multiple(place.indices.back(), columns) || !is_multiple(row, rows_of_swizzle))
    return fmt::format("{} from a multiple of {} rows and {} columns on", tensor.name,
                       rows_of_swizzle, columns);
  const int64_t alignment = rows_of_swizzle * spread.swizzle;
  if (tensor.alignment == 0 || tensor.alignment % alignment != 0)
    return fmt::format("{} at a multiple of {} bytes", tensor.name, alignment);
  return std::nullopt;
}

AxisPtr nameless(llvm::StringRef) { return make_variable(); }

}  // namespace

InstructionMatch match_exactly(const For& nest) {
  const InstructionMatch match = match_instruction(nest, *nest.binding.opcode);
  if (!match.instr.defined()) return match;
  const auto& instr = *llvm::cast<Instr>(match.instr.get());
  const std::string word = instr.opcode.word();
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    if (place.tensor->scope != spread.scope)
      return {Stmt(),
              fmt::format("{} takes {} from {}, and it is in {}", word, place.tensor->name,
                          name_of(spread.scope), name_of(place.tensor->scope)),
              spread.scope == Scope::registers
                  ? fmt::format("cache_registers({}, an axis around {})", place.tensor->name,
                                nest.axis->name)
                  : fmt::format("cache_shared({}, an axis around {})", place.tensor->name,
                                nest.axis->name),
              Expr()};
  for (const ElementRef& place : instr.places)
    if (place.tensor->is_in_parts)
      return {
          Stmt(),
          fmt::format("{} takes {} from the shared memory of one block, and it has parts in the "
                      "blocks of a cluster",
                      word, place.tensor->name),
          "threads move its elements by loads and stores", Expr()};
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    if (!spread.over(place.tensor->shape))
      return {Stmt(),
              fmt::format("{} takes digits of its elements, which the dimensions of {}, [{}], cut",
                          word, place.tensor->name, fmt::join(place.tensor->shape, ", ")),
              "dimensions that are powers of two", Expr()};
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads()))
    if (const auto problem = spread.is_tile() ? tile_problem(place, spread) : std::nullopt)
      return {Stmt(), fmt::format("{} takes {}", word, *problem),
              "Layout().swizzle_bytes lays a tile out so, and align places it", Expr()};
  if (match.guard.defined())
    return {Stmt(),
            fmt::format("{} has no guard, and its nest is computed where {}", word, match.guard),
            "tiles that are split with Tail::pad are filled with zeros, and need none", Expr()};
  return match;
}

Stmt with_instructions(const Stmt& stmt, Names& names) {
  const auto axis = [&](llvm::StringRef word) {
    return make_axis(names.fresh(word), AxisKind::spatial);
  };
  return with_nests(stmt, axis, [](const Instr& instr) { return Stmt(&instr); });
}

Stmt with_lanes_of_instructions(const Stmt& stmt) {
  return with_nests(stmt, nameless, [](const Instr& instr) { return touches(instr); });
}

llvm::SmallVector<FragmentSpread, 2> spreads_of(const TensorPtr& tensor, const Stmt& stmt) {
  llvm::SmallVector<FragmentSpread, 2> found;
  with_nests(stmt, nameless, [&](const Instr& instr) {
    for (const auto& [place, spread] : llvm::zip(instr.places, instr.spreads()))
      if (place.tensor == tensor && has_parts(place, spread)) found.push_back(spread);
    return Stmt(&instr);
  });
  return found;
}

Binding lane_binding(const SpreadDigit& digit) {
  const ThreadUnit unit = digit.divisor < warp_size ? ThreadUnit::lane : ThreadUnit::warp;
  return {.kind = Binding::Kind::thread, .digit = {unit, digit.divisor, digit.count}};
}

Binding lanes_of(const Opcode& opcode) {
  const bool is_of_warp = opcode.rules.threads == warp_size;
  return {.kind = Binding::Kind::thread,
          .digit = {is_of_warp ? ThreadUnit::lane : ThreadUnit::thread, 1, opcode.rules.threads}};
}

bool is_of_lanes(const Opcode& opcode) { return opcode.rules.threads > 1; }

const Opcode* opcode_with_lanes(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->binding.opcode;
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return copy->execution.opcode;
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && !instr->opcode.rules.spreads.empty() ? &instr->opcode : nullptr;
}

}  // namespace hone
