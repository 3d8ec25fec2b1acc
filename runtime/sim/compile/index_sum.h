// Index arithmetic as a sum of products of slots, so that its uniform part can be told from its
// lanes, and the part that changes in a loop from the rest.
#pragma once

#include <map>
#include <vector>

#include "runtime/sim/program.h"

namespace hone {

class IndexSum {
 public:
  /// The slots that are multiplied, in ascending order; none for the constant.
  using Product = std::vector<Slot>;

  IndexSum() = default;
  static IndexSum constant(int64_t value);
  static IndexSum of(Slot slot);

  IndexSum operator+(const IndexSum& other) const;
  IndexSum operator*(const IndexSum& other) const;

  /// Products and their coefficients, which are not 0.
  const std::map<Product, int64_t>& terms() const { return terms_; }

 private:
  /// Coefficients wrap around.
  void add(const Product& product, uint64_t coefficient);

  std::map<Product, int64_t> terms_;
};

}  // namespace hone
