#include "tests/support/random/random.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace hone {

/// The finaliser of SplitMix64.
uint64_t mix(uint64_t lhs, uint64_t rhs) {
  uint64_t bits = lhs + 0x9e3779b97f4a7c15u * (rhs + 1);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

Random::Random(uint64_t seed, uint64_t number, Extras extras)
    : extras_(extras), state_(mix(mix(seed, 0), number)) {}

Random::Random(std::vector<uint32_t> record, Extras extras)
    : extras_(extras), replays_(true), record_(std::move(record)) {}

uint64_t Random::next() { return mix(state_, ++position_); }

uint32_t Random::below(uint32_t count) {
  assert(count > 0 && "a choice among nothing");
  if (replays_) {
    const uint32_t choice = position_ < record_.size() ? record_[position_] : 0;
    ++position_;
    return std::min(choice, count - 1);
  }
  record_.push_back(static_cast<uint32_t>(next() % count));
  return record_.back();
}

int64_t Random::between(int64_t lowest, int64_t highest) {
  return lowest + below(static_cast<uint32_t>(highest - lowest + 1));
}

bool Random::chance(uint32_t percent) { return below(100) >= 100 - percent; }

size_t Random::weighted(llvm::ArrayRef<uint32_t> weights) {
  uint32_t draw = below(std::accumulate(weights.begin(), weights.end(), 0u));
  size_t index = 0;
  while (draw >= weights[index]) draw -= weights[index++];
  return index;
}

double exact_limit(DType type) {
  switch (type) {
    case DType::f16:
      return 2048;
    case DType::bf16:
      return 256;
    case DType::f32:
      return 16777216;
    default:
      return 9e15;
  }
}

}  // namespace hone
