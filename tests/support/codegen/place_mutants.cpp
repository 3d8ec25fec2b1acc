// Mistakes in the places of elements: layouts of tiles, and digits of the numbers of threads.
#include "fmt/format.h"
#include "ir/core/instr.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/mutation.h"

namespace hone {
namespace {

// ---- Layouts ------------------------------------------------------------------------------------

using Indices = llvm::SmallVector<Expr, 4>;

/// Other indices of an access to a shared tensor; none where this kind of mistake is not about it.
using Displacement = std::optional<Indices>(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

/// One reader or writer of a tile goes by another layout than the rest.
class AccessDisplaced : public Mutation {
 public:
  AccessDisplaced(size_t number, const char* mistake, Displacement* displace)
      : Mutation(number), mistake_(mistake), displace_(displace) {}

  Expr rewrite(const Expr& expr) override {
    const auto* load = llvm::dyn_cast<Load>(expr);
    const auto other = load ? displaced(*load->tensor, load->indices) : std::nullopt;
    if (!other) return rewrite_operands(expr);
    describe(fmt::format("{} in {}", mistake_, to_string(expr)));
    return Load::make(load->tensor, *other);
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return of_copy(stmt, *copy);
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) return of_instr(stmt, *instr);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    const auto other = store ? displaced(*store->tensor, store->indices) : std::nullopt;
    if (!other) return rewrite_operands(stmt);
    describe(fmt::format("{} on the left of {}", mistake_, head(stmt)));
    return store->with(store->tensor, *other, store->value);
  }

 private:
  std::optional<Indices> displaced(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
    if (tensor.scope != Scope::shared || is_done()) return std::nullopt;
    auto other = displace_(tensor, indices);
    return other && is_here() ? other : std::nullopt;
  }

  Stmt of_copy(const Stmt& stmt, const Copy& copy) {
    Region sides[] = {copy.destination, copy.source};
    for (Region& side : sides) {
      Indices indices;
      for (const Range& range : side.ranges) indices.push_back(range.offset);
      const auto other = displaced(*side.tensor, indices);
      if (!other) continue;
      describe(fmt::format("{} in {}", mistake_, head(stmt)));
      for (size_t n = 0; n < side.ranges.size(); ++n) side.ranges[n].offset = (*other)[n];
    }
    return copy.with_regions(sides[0], sides[1]);
  }

  /// Of its tiles alone: mbarriers have no layout.
  Stmt of_instr(const Stmt& stmt, const Instr& instr) {
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    for (ElementRef& place : places) {
      const bool is_tile = place.tensor->type != i64;
      const auto other = is_tile ? displaced(*place.tensor, place.indices) : std::nullopt;
      if (!other) continue;
      describe(fmt::format("{} in {}", mistake_, head(stmt)));
      place.indices = *other;
      return instr.with(places, instr.values);
    }
    return rewrite_operands(stmt);
  }

  const char* mistake_;
  Displacement* displace_;
};

/// The indices with the first part for which `change` has another one.
std::optional<Indices> with_part_changed(llvm::ArrayRef<Expr> indices,
                                         llvm::function_ref<Expr(const Expr&)> change) {
  Indices result(indices.begin(), indices.end());
  bool is_changed = false;
  for (Expr& index : result)
    index = transform(index, [&](const Expr& part) -> Expr {
      Expr other = is_changed ? Expr() : change(part);
      is_changed |= other.defined();
      return other;
    });
  return is_changed ? std::optional(result) : std::nullopt;
}

const Binary* as_binary(const Expr& expr, BinaryOp op) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  return binary && binary->op == op ? binary : nullptr;
}

std::optional<Indices> without_xor(const TensorNode&, llvm::ArrayRef<Expr> indices) {
  return with_part_changed(indices, [](const Expr& part) {
    const Binary* swizzled = as_binary(part, BinaryOp::bit_xor);
    return swizzled ? swizzled->lhs : Expr();
  });
}

/// The second operand of the first XOR changed.
template <class Change>
std::optional<Indices> with_other_xor(llvm::ArrayRef<Expr> indices, Change change) {
  return with_part_changed(indices, [&](const Expr& part) -> Expr {
    const Binary* swizzled = as_binary(part, BinaryOp::bit_xor);
    const Expr other = swizzled ? change(swizzled->rhs) : Expr();
    return other.defined() ? swizzled->lhs ^ other : Expr();
  });
}

std::optional<Indices> with_half_the_period(const TensorNode&, llvm::ArrayRef<Expr> indices) {
  return with_other_xor(indices, [](const Expr& by) -> Expr {
    bool is_changed = false;
    const Expr other = transform(by, [&](const Expr& part) -> Expr {
      const Binary* pattern = as_binary(part, BinaryOp::mod);
      if (!pattern || is_changed) return {};
      is_changed = true;
      return pattern->lhs % (pattern->rhs / 2);
    });
    return is_changed ? other : by / 2;
  });
}

std::optional<Indices> with_a_chunk_one_longer(const TensorNode&, llvm::ArrayRef<Expr> indices) {
  return with_other_xor(indices, [](const Expr& by) -> Expr {
    const Binary* chunks = as_binary(by, BinaryOp::mul);
    return chunks && as_int(chunks->rhs) ? chunks->lhs * (*as_int(chunks->rhs) + 1) : by * 2;
  });
}

std::optional<Indices> with_panels_half_as_wide(const TensorNode&, llvm::ArrayRef<Expr> indices) {
  return with_part_changed(indices, [](const Expr& part) -> Expr {
    const Binary* panel = as_binary(part, BinaryOp::div);
    const auto width = panel ? as_int(panel->rhs) : std::nullopt;
    return width && *width > 1 ? panel->lhs / (*width / 2) : Expr();
  });
}

std::optional<Indices> with_digits_swapped(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  if (tensor.rank() < 3) return std::nullopt;
  Indices result(indices.begin(), indices.end());
  std::swap(result[0], result[1]);
  return result;
}

/// Rows are one element nearer to each other.
std::optional<Indices> without_padding(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  if (tensor.rank() < 2) return std::nullopt;
  Indices result(indices.begin(), indices.end());
  const int64_t pitch = *as_int(tensor.shape.back());
  if (pitch < 2) return std::nullopt;
  Expr &row = result[result.size() - 2], &column = result.back();
  if (is_int(row, 0)) return std::nullopt;
  const Expr place = row * (pitch - 1) + column;
  row = place / pitch;
  column = place % pitch;
  return result;
}
// ---- Digits of threads --------------------------------------------------------------------------

/// The operator or the divisor of a digit, as in lane / 8, changed.
class DigitChanged : public Mutation {
 public:
  using Change = Expr (*)(const Binary& digit, int64_t divisor);
  DigitChanged(size_t number, Change change) : Mutation(number), change_(change) {}

  Stmt rewrite(const Stmt& stmt) override {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (let && any_of(let->value, [&](const Expr& part) { return is_of_thread(part); }))
      digits_.push_back(let->axis.get());
    return rewrite_operands(stmt);
  }

  Expr rewrite(const Expr& expr) override {
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    const bool is_digit = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod) &&
                          as_int(binary->rhs).value_or(0) > 1 && is_of_thread(binary->lhs);
    if (!is_digit || !is_here()) return rewrite_operands(expr);
    const Expr changed = change_(*binary, *as_int(binary->rhs));
    describe(fmt::format("{} for {}", changed, expr));
    return changed;
  }

 private:
  /// The number of a thread, or a digit of it that has a name.
  bool is_of_thread(const Expr& expr) const {
    const auto* axis = llvm::dyn_cast<AxisRef>(expr);
    const auto* index = llvm::dyn_cast<ThreadIndex>(expr);
    return (index && index->space == IndexSpace::thread) ||
           (axis && llvm::is_contained(digits_, axis->axis.get()));
  }

  Change change_;
  llvm::SmallVector<const AxisNode*, 8> digits_;
};

Expr with_other_operator(const Binary& digit, int64_t) {
  return Binary::make(digit.op == BinaryOp::div ? BinaryOp::mod : BinaryOp::div, digit.lhs,
                      digit.rhs);
}

Expr with_twice(const Binary& digit, int64_t divisor) {
  return Binary::make(digit.op, digit.lhs, divisor * 2);
}

Expr with_half(const Binary& digit, int64_t divisor) {
  return Binary::make(digit.op, digit.lhs, divisor / 2);
}

Expr without_digit(const Binary& digit, int64_t) { return digit.lhs; }

/// Lanes exchange values with the wrong ones.
class PartnerMoved : public Mutation {
 public:
  using Mutation::Mutation;
  using Mutation::rewrite;
  Expr rewrite(const Expr& expr) override {
    const auto* shuffle = llvm::dyn_cast<Shuffle>(expr);
    if (!shuffle || !is_here()) return rewrite_operands(expr);
    describe("twice the offset of " + to_string(expr));
    return Shuffle::make(shuffle->mode, shuffle->value, shuffle->offset * 2, shuffle->lanes);
  }
};

}  // namespace

std::vector<Mutant> layout_mutants_of(const KernelFunction& kernel) {
  std::vector<Mutant> mutants;
  append_mutants<AccessDisplaced>(mutants, kernel, "XOR dropped", without_xor);
  append_mutants<AccessDisplaced>(mutants, kernel, "half the period", with_half_the_period);
  append_mutants<AccessDisplaced>(mutants, kernel, "a chunk one longer", with_a_chunk_one_longer);
  append_mutants<AccessDisplaced>(mutants, kernel, "panels half as wide", with_panels_half_as_wide);
  append_mutants<AccessDisplaced>(mutants, kernel, "digits swapped", with_digits_swapped);
  append_mutants<AccessDisplaced>(mutants, kernel, "padding left out", without_padding);
  return mutants;
}

std::vector<Mutant> lane_map_mutants_of(const KernelFunction& kernel) {
  std::vector<Mutant> mutants;
  for (const auto change : {with_other_operator, with_twice, with_half, without_digit})
    append_mutants<DigitChanged>(mutants, kernel, change);
  append_mutants<PartnerMoved>(mutants, kernel);
  return mutants;
}

}  // namespace hone
