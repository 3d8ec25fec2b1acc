#include "ir/analysis/mixed_radix.h"

#include "ir/algebra/polynomial.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

struct RadixDigit {
  const AxisNode* axis;
  int64_t step;
  Expr extent;
};

const AxisRange* find_range(llvm::ArrayRef<AxisRange> ranges, const AxisNode* axis) {
  const auto* found =
      llvm::find_if(ranges, [&](const AxisRange& range) { return range.first.get() == axis; });
  return found == ranges.end() ? nullptr : found;
}

const AxisRange* find_range(llvm::ArrayRef<AxisRange> ranges, const Expr& atom) {
  const auto* reference = llvm::dyn_cast<AxisRef>(atom);
  return reference ? find_range(ranges, reference->axis.get()) : nullptr;
}

/// True if an open axis occurs in the term.
bool varies(const Polynomial::Term& term, llvm::ArrayRef<AxisRange> open) {
  return llvm::any_of(term.atoms, [&](const Expr& atom) {
    return any_of(atom, [&](const Expr& part) { return find_range(open, part) != nullptr; });
  });
}

/// By falling steps; nothing where an open axis occurs in another way.
std::optional<llvm::SmallVector<RadixDigit, 8>> digits_of(const Expr& index,
                                                          llvm::ArrayRef<AxisRange> open) {
  llvm::SmallVector<RadixDigit, 8> digits;
  const Polynomial value = Polynomial::of(index);
  for (const Polynomial::Term& term : value.terms()) {
    if (!varies(term, open)) continue;
    const AxisRange* range = term.atoms.size() == 1 ? find_range(open, term.atoms[0]) : nullptr;
    if (!range) return std::nullopt;
    digits.push_back({range->first.get(), std::abs(term.coefficient), range->second});
  }
  llvm::stable_sort(digits,
                    [](const RadixDigit& x, const RadixDigit& y) { return x.step > y.step; });
  return digits;
}

/// The most that the values of two instances are apart by these digits; nothing where that is not
/// known.
std::optional<int64_t> span_of(llvm::ArrayRef<RadixDigit> digits) {
  int64_t span = 0;
  for (const RadixDigit& digit : digits) {
    const auto extent = as_int(digit.extent);
    int64_t most = 0;
    if (!extent || __builtin_mul_overflow(digit.step, std::max<int64_t>(*extent, 1) - 1, &most) ||
        __builtin_add_overflow(span, most, &span))
      return std::nullopt;
  }
  return span;
}

/// Removes from `open` the axes that have one value in all instances of `index` that are equal: the
/// axis of the largest step, if that is more than all axes of smaller steps add up to; then the
/// next one. True if there are any.
bool settle_digits(const Expr& index, llvm::SmallVectorImpl<AxisRange>& open) {
  const auto digits = digits_of(index, open);
  bool has_settled = false;
  for (size_t n = 0; digits && n < digits->size(); ++n) {
    const RadixDigit& digit = (*digits)[n];
    const auto span = span_of(llvm::ArrayRef<RadixDigit>(*digits).drop_front(n + 1));
    if (!span || *span >= digit.step) break;
    llvm::erase_if(open, [&](const AxisRange& range) { return range.first.get() == digit.axis; });
    has_settled = true;
  }
  return has_settled;
}

/// True if the loop's axis has no part in the indices.
bool is_unused(const For* loop, const MemoryAccess& lhs, const MemoryAccess& rhs) {
  const auto uses_it = [&](const Expr& index) { return mentions(index, loop->axis.get()); };
  return llvm::none_of(lhs.indices, uses_it) && llvm::none_of(rhs.indices, uses_it);
}

/// The axes that may differ between two instances; nothing where their ranges do.
std::optional<llvm::SmallVector<AxisRange, 8>> open_axes(llvm::ArrayRef<const For*> loops,
                                                         const MemoryAccess& lhs,
                                                         const MemoryAccess& rhs) {
  llvm::SmallVector<AxisRange, 8> open;
  for (const For* loop : loops) open.push_back({loop->axis, loop->extent});
  for (const MemoryAccess* access : {&lhs, &rhs})
    for (const AxisRange& range : access->inner) {
      const AxisRange* known = find_range(open, range.first.get());
      if (known && !equal(known->second, range.second)) return std::nullopt;
      if (!known) open.push_back(range);
    }
  return open;
}

}  // namespace

std::optional<llvm::SmallVector<const For*, 4>> unseparated_by_digits(
    llvm::ArrayRef<const For*> loops, const MemoryAccess& lhs, const MemoryAccess& rhs) {
  if (!lhs.changing.empty() || !rhs.changing.empty()) return std::nullopt;
  auto open = open_axes(loops, lhs, rhs);
  if (!open) return std::nullopt;
  llvm::SmallVector<const For*, 4> result(loops.begin(), loops.end());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& [left, right] : llvm::zip(lhs.indices, rhs.indices)) {
      if (!equal(left, right) || !settle_digits(left, *open)) continue;
      goes_on = true;
      llvm::erase_if(result, [&](const For* loop) { return !find_range(*open, loop->axis.get()); });
      if (result.empty()) return result;
    }
  }
  const bool is_certain =
      llvm::all_of(result, [&](const For* loop) { return is_unused(loop, lhs, rhs); });
  return is_certain ? std::optional(result) : std::nullopt;
}

}  // namespace hone
