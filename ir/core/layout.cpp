#include "ir/core/layout.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/text/printer.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// The number of values of digit `n` of the storage; of the fastest one, without the padding.
Expr values_of(const IndexDigit& digit, const TensorNode& tensor) {
  if (digit.count != 0) return digit.count;
  const Expr& extent = tensor.shape[digit.dim];
  if (digit.stride == 1) return extent;
  const auto known = as_int(extent);
  return known ? Expr((*known + digit.stride - 1) / digit.stride)
               : (extent + (digit.stride - 1)) / digit.stride;
}

Expr value_of(const IndexDigit& digit, const Expr& index) {
  const Expr value = digit.stride == 1 ? index : index / digit.stride;
  return digit.count == 0 ? value : value % digit.count;
}

Expr swizzled(const Swizzle& chunks, const Expr& row, const Expr& column) {
  const Expr pattern = chunks.rows == 1 ? row : row / chunks.rows;
  const Expr permutation = pattern % chunks.period;
  return column ^ (chunks.chunk == 1 ? permutation : permutation * chunks.chunk);
}

/// A swizzle of the fastest digit by the number of the row, which the digits before it count.
llvm::SmallVector<Swizzle, 2> swizzles_by_row(Swizzle rest, const TensorNode& tensor) {
  llvm::SmallVector<Swizzle, 2> named;
  const auto digits = storage_digits(tensor);
  rest.digit = static_cast<int>(digits.size()) - 1;
  rest.by = rest.digit - 1;
  for (; rest.by > 0; --rest.by) {
    const int64_t rows = as_int(values_of(digits[rest.by], tensor)).value_or(0);
    const int64_t different = std::min(rest.rows, rows);
    const bool counts_all = rows == 0 || rows >= rest.rows * rest.period ||
                            rest.rows * rest.period % rows != 0 ||
                            std::max(rest.rows, rows) % different != 0;
    if (counts_all) break;
    Swizzle own = rest;
    own.period = rows / different;
    if (own.period > 1) named.push_back(own);
    rest.chunk *= own.period;
    rest.period /= own.period;
    rest.rows /= different;
  }
  named.push_back(rest);
  return named;
}

std::string to_string(const Swizzle& swizzle) {
  const std::string digits =
      swizzle.digit < 0 ? "" : fmt::format(", {} ^ {}", swizzle.digit, swizzle.by);
  return fmt::format(" @swizzle({}, {}, {}{})", swizzle.chunk, swizzle.period, swizzle.rows,
                     digits);
}

}  // namespace

Layout Layout::pad(int64_t elements) const {
  Layout result = *this;
  result.padding = elements;
  return result;
}

Layout Layout::pitch(const Expr& elements) const {
  if (!elements.defined())
    throw DefinitionError("the pitch of a layout is undefined; give the Expr a value first");
  Layout result = *this;
  result.row_pitch = elements;
  return result;
}

Layout Layout::swizzle(const Swizzle& chunks) const {
  Layout result = *this;
  if (chunks.chunk != 0) result.swizzles.push_back(chunks);
  return result;
}

Layout Layout::swizzle_bytes(int64_t bytes, DType element) const {
  constexpr int64_t chunk = 16, line = 128;
  if (bytes != 32 && bytes != 64 && bytes != 128)
    throw DefinitionError(fmt::format(
        "there is no swizzle of {} bytes; rows of 32, 64 and 128 bytes have one", bytes));
  if (chunk % size_of(element) != 0)
    throw DefinitionError(
        fmt::format("elements of {} are {} bytes, and {} bytes of a swizzle that "
                    "stay together are no multiple",
                    name(element).str(), size_of(element), chunk));
  return swizzle({chunk / size_of(element), bytes / chunk, line / bytes});
}

bool Layout::has_digits() const {
  return !llvm::all_of(digits, [](const IndexDigit& digit) { return digit.is_whole(); });
}

llvm::SmallVector<IndexDigit, 4> storage_digits(const TensorNode& tensor) {
  if (!tensor.layout.digits.empty()) return tensor.layout.digits;
  llvm::SmallVector<IndexDigit, 4> digits;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim) digits.push_back(static_cast<int>(dim));
  return digits;
}

llvm::SmallVector<int, 4> storage_order(const TensorNode& tensor) {
  llvm::SmallVector<int, 4> order;
  const auto digits = storage_digits(tensor);
  for (const IndexDigit& digit : llvm::reverse(digits))
    if (!llvm::is_contained(order, digit.dim)) order.push_back(digit.dim);
  std::reverse(order.begin(), order.end());
  return order;
}

int fastest_dim(const TensorNode& tensor) { return storage_digits(tensor).back().dim; }

Expr row_pitch(const TensorNode& tensor) {
  if (tensor.layout.row_pitch.defined()) return tensor.layout.row_pitch;
  const Expr extent = values_of(storage_digits(tensor).back(), tensor);
  if (tensor.layout.padding == 0) return extent;
  const auto known = as_int(extent);
  return known ? Expr(*known + tensor.layout.padding) : extent + tensor.layout.padding;
}

llvm::SmallVector<Expr, 4> storage_shape(const TensorNode& tensor) {
  llvm::SmallVector<Expr, 4> shape;
  for (const IndexDigit& digit : storage_digits(tensor)) shape.push_back(values_of(digit, tensor));
  if (!shape.empty()) shape.back() = row_pitch(tensor);
  return shape;
}

llvm::SmallVector<Expr, 4> storage_indices(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  llvm::SmallVector<Expr, 4> result;
  for (const IndexDigit& digit : storage_digits(tensor))
    result.push_back(value_of(digit, indices[digit.dim]));
  for (const Swizzle& swizzle : named_swizzles(tensor))
    result[swizzle.digit] = swizzled(swizzle, result[swizzle.by], result[swizzle.digit]);
  return result;
}

Expr storage_offset(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  const auto shape = storage_shape(tensor);
  const auto position = storage_indices(tensor, indices);
  Expr offset;
  for (size_t digit = 0; digit < shape.size(); ++digit)
    offset = offset.defined() ? offset * shape[digit] + position[digit] : position[digit];
  return offset.defined() ? offset : Expr(0);
}

Expr storage_size(const TensorNode& tensor) {
  Expr size = 1;
  for (const Expr& extent : storage_shape(tensor)) size = is_int(size, 1) ? extent : size * extent;
  return size;
}

TensorPtr flattened(const TensorNode& tensor) {
  return make_form(tensor, storage_size(tensor), Scope::global);
}

llvm::SmallVector<Swizzle, 2> named_swizzles(const TensorNode& tensor) {
  llvm::SmallVector<Swizzle, 2> named;
  for (const Swizzle& swizzle : tensor.layout.swizzles) {
    if (swizzle.digit < 0)
      named.append(swizzles_by_row(swizzle, tensor));
    else
      named.push_back(swizzle);
  }
  return named;
}

std::string to_string(const Layout& layout) {
  std::string text;
  llvm::SmallVector<std::string, 4> digits;
  for (const IndexDigit& digit : layout.digits) digits.push_back(to_string(digit));
  if (!digits.empty()) text += fmt::format(" @order({})", fmt::join(digits, ", "));
  if (layout.padding != 0) text += fmt::format(" @pad({})", layout.padding);
  if (layout.row_pitch.defined()) text += fmt::format(" @pitch({})", layout.row_pitch);
  for (const Swizzle& swizzle : layout.swizzles) text += to_string(swizzle);
  return text;
}

std::string to_string(const IndexDigit& digit) {
  std::string text = std::to_string(digit.dim);
  if (digit.stride != 1) text += fmt::format("/{}", digit.stride);
  if (digit.count != 0) text += fmt::format("%{}", digit.count);
  return text;
}

Layout with_slowest_dim(Layout layout) {
  for (IndexDigit& digit : layout.digits) ++digit.dim;
  if (!layout.digits.empty()) layout.digits.insert(layout.digits.begin(), IndexDigit(0));
  for (Swizzle& swizzle : layout.swizzles) {
    if (swizzle.digit >= 0) ++swizzle.digit;
    if (swizzle.by >= 0) ++swizzle.by;
  }
  return layout;
}

TensorPtr with_layout(const TensorNode& tensor, const Layout& layout) {
  return make_form(tensor, tensor.shape, tensor.scope, layout, tensor.address);
}

}  // namespace hone
