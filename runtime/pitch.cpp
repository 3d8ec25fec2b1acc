#include "runtime/pitch.h"

namespace hone {

Layout pitched_layout(DType type, llvm::ArrayRef<int64_t> shape, const Layout& order) {
  const bool fits = order.digits.empty() || order.digits.size() == shape.size();
  if (shape.empty() || !fits) return order;  // the array refuses an order that does not fit
  const int64_t row = order.digits.empty() ? shape.back() : shape[order.digits.back().dim];
  const int64_t elements = row_alignment / size_of(type);
  return order.pitch(row / elements * elements + (row % elements == 0 ? 0 : elements));
}

}  // namespace hone
