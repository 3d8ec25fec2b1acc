#include "ir/core/layout_problem.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/core/layout.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

using Problem = std::optional<std::string>;

/// More than any shared memory holds.
constexpr int64_t most_padding = 1 << 20;

bool is_order(llvm::ArrayRef<IndexDigit> digits, unsigned rank) {
  llvm::SmallVector<int, 4> sorted;
  for (const IndexDigit& digit : digits) sorted.push_back(digit.dim);
  llvm::sort(sorted);
  for (unsigned dim = 0; dim < sorted.size(); ++dim)
    if (sorted[dim] != static_cast<int>(dim)) return false;
  return sorted.size() == rank;
}

std::string order_text(const Layout& layout) {
  llvm::SmallVector<std::string, 4> digits;
  for (const IndexDigit& digit : layout.digits) digits.push_back(to_string(digit));
  return fmt::format("{}", fmt::join(digits, ", "));
}

/// One digit by itself.
Problem digit_problem(const IndexDigit& digit, const TensorNode& tensor) {
  const std::string text = to_string(digit);
  if (digit.dim < 0 || digit.dim >= static_cast<int>(tensor.rank()))
    return fmt::format("its order ({}) names dimension {}, of {}", order_text(tensor.layout),
                       digit.dim, tensor.rank());
  if (digit.stride < 1 || digit.count < 0 || digit.count == 1)
    return fmt::format("the digit {} of its order divides by less than 1, or has one value", text);
  const auto extent = as_int(tensor.shape[digit.dim]);
  if (extent && digit.stride > 1 && digit.stride >= *extent)
    return fmt::format("the digit {} of its order is always 0: dimension {} has {} elements", text,
                       digit.dim, *extent);
  return std::nullopt;
}

/// Each digit of a dimension begins where the one before it ends, the fastest at 1, and the last
/// one is all that is left.
Problem problem_of_digits(const TensorNode& tensor, int dim) {
  llvm::SmallVector<IndexDigit, 4> digits;
  for (const IndexDigit& digit : tensor.layout.digits)
    if (digit.dim == dim) digits.push_back(digit);
  llvm::stable_sort(
      digits, [](const IndexDigit& lhs, const IndexDigit& rhs) { return lhs.stride < rhs.stride; });
  int64_t stride = 1;
  for (const IndexDigit& digit : digits) {
    if (digit.stride != stride || stride == 0)
      return fmt::format("its order ({}) does not have each part of the index of dimension {} once",
                         order_text(tensor.layout), dim);
    if (llvm::MulOverflow(stride, digit.count, stride))
      return fmt::format("the digit {} of its order is more than 63 bits count", to_string(digit));
  }
  if (!digits.empty() && stride == 0) return std::nullopt;
  const std::string rest = stride == 1 ? "" : fmt::format(" / {}", stride);
  return fmt::format("its order ({}) leaves out dimension {}{}", order_text(tensor.layout), dim,
                     rest);
}

Problem order_problem(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (layout.digits.empty()) return std::nullopt;
  if (!layout.has_digits()) {
    if (is_order(layout.digits, tensor.rank())) return std::nullopt;
    return fmt::format("its order ({}) does not name each of {} dimensions once",
                       order_text(layout), tensor.rank());
  }
  if (tensor.scope == Scope::global) return "indices are taken apart in shared memory alone";
  for (const IndexDigit& digit : layout.digits)
    if (auto problem = digit_problem(digit, tensor)) return problem;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim)
    if (auto problem = problem_of_digits(tensor, static_cast<int>(dim))) return problem;
  return std::nullopt;
}

Problem pitch_problem(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (layout.padding == 0 && !layout.row_pitch.defined()) return std::nullopt;
  if (tensor.rank() == 0) return "it has no dimensions";
  if (layout.padding < 0) return fmt::format("the padding {} is negative", layout.padding);
  if (layout.padding > most_padding)
    return fmt::format("the padding {} is more than {} elements", layout.padding, most_padding);
  if (!layout.row_pitch.defined()) return std::nullopt;
  if (layout.padding != 0) return "it has both a pitch and a padding";
  bool is_size = layout.row_pitch.type() == DType::index;
  walk(layout.row_pitch, [&](const Expr& part) { is_size &= !llvm::isa<AxisRef, Load>(part); });
  if (!is_size)
    return fmt::format("the pitch {} is not made of params and constants", layout.row_pitch);
  if (layout.has_digits()) return "a pitch is of rows of whole indices; say pad";
  const auto pitch = as_int(layout.row_pitch), extent = as_int(tensor.shape[fastest_dim(tensor)]);
  if (!pitch || !extent || *pitch >= *extent) return std::nullopt;
  return fmt::format("the pitch {} is less than a row of {} elements", *pitch, *extent);
}

/// The values of a digit of storage, without the padding.
Expr values_of(const TensorNode& tensor, int digit) {
  Layout plain = tensor.layout;
  plain.padding = 0;
  plain.row_pitch = Expr();
  return storage_shape(*with_layout(tensor, plain))[digit];
}

Problem problem_of_numbers(const Swizzle& chunks) {
  const auto is_power = [](int64_t value) {
    return value > 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(value));
  };
  if (!is_power(chunks.chunk) || !is_power(chunks.period))
    return fmt::format("a swizzle has a chunk and a period that are powers of two, got {} and {}",
                       chunks.chunk, chunks.period);
  if (chunks.rows < 1)
    return fmt::format("neighbouring rows share a permutation 1 or more at a time, got {}",
                       chunks.rows);
  return std::nullopt;
}

Problem problem_of_named_digits(const Swizzle& chunks, int count) {
  if (chunks.digit < 0 && chunks.by < 0) return std::nullopt;
  const auto is_digit = [&](int digit) { return digit >= 0 && digit < count; };
  if (is_digit(chunks.digit) && is_digit(chunks.by) && chunks.digit != chunks.by)
    return std::nullopt;
  return fmt::format("a swizzle is of two of the digits 0 to {}, got {} and {}", count - 1,
                     chunks.digit, chunks.by);
}

/// Chunks that change places must lie within a row.
Problem swizzle_problem(const TensorNode& tensor, const Swizzle& chunks) {
  if (tensor.scope != Scope::shared) return "a swizzle is for shared memory";
  const int count = static_cast<int>(storage_digits(tensor).size());
  if (count < 2) return "a swizzle takes two dimensions";
  if (auto problem = problem_of_numbers(chunks)) return problem;
  if (auto problem = problem_of_named_digits(chunks, count)) return problem;
  int64_t span = 0;
  if (llvm::MulOverflow(chunks.chunk, chunks.period, span))
    return fmt::format("{} chunks of {} elements are more than 63 bits count", chunks.period,
                       chunks.chunk);
  const int digit = chunks.digit < 0 ? count - 1 : chunks.digit;
  const Expr values = values_of(tensor, digit);
  if (as_int(values) && *as_int(values) % span == 0) return std::nullopt;
  if (digit + 1 == count)
    return fmt::format(
        "{} chunks of {} elements change places, and a row of {} elements is no "
        "multiple of {}",
        chunks.period, chunks.chunk, to_string(values), span);
  return fmt::format(
      "{} chunks of {} values change places, and the {} values of digit {} are no multiple of {}",
      chunks.period, chunks.chunk, to_string(values), digit, span);
}

}  // namespace

std::optional<std::string> layout_problem(const TensorNode& tensor) {
  if (auto problem = order_problem(tensor)) return problem;
  if (auto problem = pitch_problem(tensor)) return problem;
  for (const Swizzle& swizzle : tensor.layout.swizzles)
    if (auto problem = swizzle_problem(tensor, swizzle)) return problem;
  return std::nullopt;
}

}  // namespace hone
