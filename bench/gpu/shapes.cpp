#include "bench/gpu/shapes.h"

#include <cmath>

namespace hone {
namespace {

/// Uniform over [0, 1), the same on all machines.
class Uniform {
 public:
  explicit Uniform(uint64_t seed) : state_(seed) {}

  double operator()() {  // splitmix64
    uint64_t bits = (state_ += 0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

constexpr double shortest = 256, longest = 8192;

/// The nearest multiple of `factor`, or an odd number where that is 1.
int64_t rounded(double length, int64_t factor) {
  if (factor == 1) return static_cast<int64_t>(length) | 1;
  return std::llround(length / static_cast<double>(factor)) * factor;
}

}  // namespace

std::vector<std::vector<int64_t>> random_shapes(uint64_t seed, int count) {
  constexpr int64_t factors[] = {64, 8, 1};
  Uniform uniform(seed);
  std::vector<std::vector<int64_t>> shapes;
  for (int n = 0; n < count; ++n) {
    std::vector<int64_t>& shape = shapes.emplace_back();
    for (int extent = 0; extent < 3; ++extent)
      shape.push_back(rounded(shortest * std::pow(longest / shortest, uniform()), factors[n % 3]));
  }
  return shapes;
}

}  // namespace hone
