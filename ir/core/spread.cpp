// The elements of an operand that lanes have.
#include <set>

#include "ir/core/expr.h"
#include "ir/core/opcode.h"
#include "ir/target/gpu_limits.h"

namespace hone {
namespace {

/// A dimension of a tensor, as a digit of the index of an operand: index / stride % extent.
struct PartOfIndex {
  int operand_dim;
  int64_t stride, extent;
};

/// The dimensions of a tensor that an operand of these extents has, from its slowest to its fastest
/// one. A dimension of the operand takes the fastest ones that are left until they hold its
/// elements. Nothing where these fill no whole ones.
std::optional<llvm::SmallVector<PartOfIndex, 4>> parts_of(llvm::ArrayRef<int64_t> extents,
                                                          llvm::ArrayRef<Expr> shape) {
  llvm::SmallVector<PartOfIndex, 4> parts;
  size_t left = shape.size();
  for (size_t dim = extents.size(); dim-- > 0;)
    for (int64_t stride = 1, rest = extents[dim]; stride != 0 && left > dim;) {
      const auto extent = as_int(shape[--left]);
      const bool is_last = left == dim || !extent || *extent >= rest;
      if (!is_last && rest % std::max<int64_t>(*extent, 1) != 0) return std::nullopt;
      parts.push_back({static_cast<int>(dim), stride, is_last ? rest : *extent});
      rest /= parts.back().extent;
      stride = is_last ? 0 : stride * *extent;
    }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// The part of a digit of the operand's index that is one of the index of a tensor's dimension;
/// nothing where it is cut. A count of 0: it has none.
std::optional<SpreadDigit> part_of(const SpreadDigit& digit, const PartOfIndex& part, int dim) {
  const int64_t end = int64_t{digit.factor} * digit.count, past = part.stride * part.extent;
  if (digit.dim != part.operand_dim || end <= part.stride || digit.factor >= past)
    return SpreadDigit{.count = 0};
  const int64_t low = std::max<int64_t>(digit.factor, part.stride), high = std::min(end, past);
  if (low % digit.factor != 0 || low % part.stride != 0 || high % low != 0) return std::nullopt;
  return SpreadDigit{digit.of, static_cast<int>(digit.divisor * (low / digit.factor)),
                     static_cast<int>(high / low), dim, static_cast<int>(low / part.stride)};
}

/// The elements of all lanes, along each dimension of the operand.
llvm::SmallVector<int64_t, 4> all_extents(const FragmentSpread& spread) {
  if (spread.is_tile()) return spread.extents();
  llvm::SmallVector<int64_t, 4> extents(spread.rank(), 1);
  for (const SpreadDigit& digit : spread.digits)
    extents[digit.dim] += int64_t{digit.count - 1} * digit.factor;
  return extents;
}

}  // namespace

bool FragmentSpread::has_panels() const {
  return is_tile() && llvm::any_of(digits, [&](const SpreadDigit& digit) {
           return digit.dim >= int(tile.size());
         });
}

size_t FragmentSpread::rank() const {
  if (is_tile()) return tile.size();
  int last = -1;
  for (const SpreadDigit& digit : digits) last = std::max(last, digit.dim);
  return last + 1;
}

int FragmentSpread::values() const {
  int product = 1;
  for (const SpreadDigit& digit : digits)
    if (digit.of == SpreadDigit::Of::value) product *= digit.count;
  return product;
}

llvm::SmallVector<int64_t, 4> FragmentSpread::extents() const {
  if (is_tile()) return {tile.begin(), tile.end()};
  llvm::SmallVector<int64_t, 4> result(rank(), 1);
  for (const SpreadDigit& digit : digits)
    if (digit.of == SpreadDigit::Of::value) result[digit.dim] *= digit.count;
  return result;
}

Layout FragmentSpread::layout(DType type) const {
  return tile.back() > columns(type) ? layout_of_panels(type)
                                     : Layout().swizzle_bytes(swizzle, type);
}

Layout FragmentSpread::layout_of_panels(DType type) const {
  const int64_t panel = columns(type);
  return Layout::order({IndexDigit(1) / panel, 0, IndexDigit(1) % panel})
      .swizzle_bytes(swizzle, type);
}

uint32_t FragmentSpread::own_lanes() const {
  uint32_t own = 0;
  std::set<llvm::SmallVector<int64_t, 4>> seen;
  for (int lane = 0; lane < warp_size; ++lane)
    own |= uint32_t{seen.insert(element(lane, 0)).second} << lane;
  return own;
}

llvm::SmallVector<int64_t, 4> FragmentSpread::element(int lane, int value) const {
  llvm::SmallVector<int64_t, 4> indices;
  for (const SpreadDigit& digit : digits) {
    const int number = digit.of == SpreadDigit::Of::lane ? lane : value;
    if (indices.size() <= static_cast<size_t>(digit.dim)) indices.resize(digit.dim + 1);
    indices[digit.dim] += int64_t{number / digit.divisor % digit.count} * digit.factor;
  }
  return indices;
}

std::optional<FragmentSpread> FragmentSpread::over(llvm::ArrayRef<Expr> shape) const {
  if (has_panels()) return *this;
  const auto parts = parts_of(all_extents(*this), shape);
  if (!parts) return std::nullopt;
  if (parts->size() == rank()) return *this;
  FragmentSpread result = {{}, scope, {}, swizzle};
  for (const SpreadDigit& digit : digits)
    for (size_t dim = 0; dim < parts->size(); ++dim) {
      const auto own = part_of(digit, (*parts)[dim], static_cast<int>(dim));
      if (!own) return std::nullopt;
      if (own->count != 0) result.digits.push_back(*own);
    }
  if (is_tile())
    for (const PartOfIndex& part : *parts) result.tile.push_back(part.extent);
  return result;
}

llvm::SmallVector<int64_t, 5> FragmentSpread::box(llvm::ArrayRef<Expr> shape) const {
  llvm::SmallVector<int64_t, 5> box;
  if (const auto parts = parts_of(extents(), shape))
    for (const PartOfIndex& part : *parts) box.push_back(part.extent);
  box.insert(box.begin(), shape.size() - box.size(), 1);
  return box;
}

}  // namespace hone
