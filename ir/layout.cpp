#include "ir/layout.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/text/printer.h"
#include "ir/visit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

bool is_order(llvm::ArrayRef<int> dims, unsigned rank) {
  llvm::SmallVector<int, 4> sorted(dims.begin(), dims.end());
  llvm::sort(sorted);
  for (unsigned dim = 0; dim < sorted.size(); ++dim)
    if (sorted[dim] != static_cast<int>(dim)) return false;
  return sorted.size() == rank;
}

/// More than any shared memory holds.
constexpr int64_t most_padding = 1 << 20;

/// Chunks that change places must lie within a row.
std::optional<std::string> swizzle_problem(const TensorNode& tensor) {
  const Swizzle& chunks = tensor.layout.chunks;
  if (chunks.chunk == 0) return std::nullopt;
  if (tensor.scope != Scope::shared) return "a swizzle is for shared memory";
  if (tensor.rank() < 2) return "a swizzle takes two dimensions";
  const auto is_power = [](int64_t value) {
    return value > 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(value));
  };
  if (!is_power(chunks.chunk) || !is_power(chunks.period))
    return fmt::format("a swizzle has a chunk and a period that are powers of two, got {} and {}",
                       chunks.chunk, chunks.period);
  if (chunks.rows < 1)
    return fmt::format("neighbouring rows share a permutation 1 or more at a time, got {}",
                       chunks.rows);
  int64_t span = 0;
  if (llvm::MulOverflow(chunks.chunk, chunks.period, span))
    return fmt::format("{} chunks of {} elements are more than 63 bits count", chunks.period,
                       chunks.chunk);
  const auto extent = as_int(tensor.shape[fastest_dim(tensor)]);
  if (extent && *extent % span == 0) return std::nullopt;
  return fmt::format(
      "{} chunks of {} elements change places, and a row of {} elements is no "
      "multiple of {}",
      chunks.period, chunks.chunk, to_string(tensor.shape[fastest_dim(tensor)]), span);
}

std::optional<std::string> pitch_problem(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (layout.is_dense()) return std::nullopt;
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
  const auto pitch = as_int(layout.row_pitch), extent = as_int(tensor.shape[fastest_dim(tensor)]);
  if (!pitch || !extent || *pitch >= *extent) return std::nullopt;
  return fmt::format("the pitch {} is less than a row of {} elements", *pitch, *extent);
}

Expr swizzled(const Swizzle& chunks, const Expr& row, const Expr& column) {
  if (chunks.chunk == 0) return column;
  const Expr pattern = chunks.rows == 1 ? row : row / chunks.rows;
  const Expr permutation = pattern % chunks.period;
  return column ^ (chunks.chunk == 1 ? permutation : permutation * chunks.chunk);
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
  result.chunks = chunks;
  return result;
}

llvm::SmallVector<int, 4> storage_order(const TensorNode& tensor) {
  if (!tensor.layout.dims.empty()) return tensor.layout.dims;
  llvm::SmallVector<int, 4> order;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim) order.push_back(static_cast<int>(dim));
  return order;
}

int fastest_dim(const TensorNode& tensor) { return storage_order(tensor).back(); }

Expr row_pitch(const TensorNode& tensor) {
  if (tensor.layout.row_pitch.defined()) return tensor.layout.row_pitch;
  const Expr& extent = tensor.shape[fastest_dim(tensor)];
  if (tensor.layout.padding == 0) return extent;
  const auto known = as_int(extent);
  return known ? Expr(*known + tensor.layout.padding) : extent + tensor.layout.padding;
}

llvm::SmallVector<Expr, 4> storage_shape(const TensorNode& tensor) {
  llvm::SmallVector<Expr, 4> shape;
  for (const int dim : storage_order(tensor)) shape.push_back(tensor.shape[dim]);
  if (!shape.empty()) shape.back() = row_pitch(tensor);
  return shape;
}

llvm::SmallVector<Expr, 4> storage_indices(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  llvm::SmallVector<Expr, 4> result;
  for (const int dim : storage_order(tensor)) result.push_back(indices[dim]);
  if (result.size() > 1)
    result.back() = swizzled(tensor.layout.chunks, result[result.size() - 2], result.back());
  return result;
}

Expr storage_offset(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  const auto shape = storage_shape(tensor);
  const auto position = storage_indices(tensor, indices);
  Expr offset;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    offset = offset.defined() ? offset * shape[dim] + position[dim] : position[dim];
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

std::optional<std::string> layout_problem(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (!layout.dims.empty() && !is_order(layout.dims, tensor.rank()))
    return fmt::format("its order ({}) does not name each of {} dimensions once",
                       fmt::join(layout.dims, ", "), tensor.rank());
  if (auto problem = pitch_problem(tensor)) return problem;
  return swizzle_problem(tensor);
}

std::string to_string(const Layout& layout) {
  std::string text;
  if (!layout.dims.empty()) text += fmt::format(" @order({})", fmt::join(layout.dims, ", "));
  if (layout.padding != 0) text += fmt::format(" @pad({})", layout.padding);
  if (layout.row_pitch.defined()) text += fmt::format(" @pitch({})", layout.row_pitch);
  const Swizzle& chunks = layout.chunks;
  if (chunks.chunk != 0)
    text += fmt::format(" @swizzle({}, {}, {})", chunks.chunk, chunks.period, chunks.rows);
  return text;
}

TensorPtr with_layout(const TensorNode& tensor, const Layout& layout) {
  return make_form(tensor, tensor.shape, tensor.scope, layout, tensor.address);
}

}  // namespace hone
