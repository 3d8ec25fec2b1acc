#include "runtime/sim/compile/index_sum.h"

#include <algorithm>

namespace hone {

IndexSum IndexSum::constant(int64_t value) {
  IndexSum sum;
  sum.add({}, value);
  return sum;
}

IndexSum IndexSum::of(Slot slot) {
  IndexSum sum;
  sum.add({slot}, 1);
  return sum;
}

void IndexSum::add(const Product& product, uint64_t coefficient) {
  const auto [term, is_new] = terms_.try_emplace(product, 0);
  term->second = static_cast<int64_t>(static_cast<uint64_t>(term->second) + coefficient);
  if (term->second == 0) terms_.erase(term);
}

IndexSum IndexSum::operator+(const IndexSum& other) const {
  IndexSum sum = *this;
  for (const auto& [product, coefficient] : other.terms_) sum.add(product, coefficient);
  return sum;
}

IndexSum IndexSum::operator*(const IndexSum& other) const {
  IndexSum result;
  for (const auto& [left, left_coefficient] : terms_) {
    for (const auto& [right, right_coefficient] : other.terms_) {
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      result.add(product, static_cast<uint64_t>(left_coefficient) * right_coefficient);
    }
  }
  return result;
}

}  // namespace hone
