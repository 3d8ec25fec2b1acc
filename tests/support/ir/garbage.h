// Another heap: for tests that nothing depends on addresses.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace hone {

/// Holds blocks of random sizes, between which there are as many holes: while it lives, what is
/// allocated lies elsewhere than it would, and in another order.
class Garbage {
 public:
  explicit Garbage(unsigned seed) {
    std::mt19937 random(seed);
    for (int n = 0; n < 4000; ++n) blocks_.push_back(std::make_unique<char[]>(8 + random() % 400));
    std::shuffle(blocks_.begin(), blocks_.end(), random);
    blocks_.resize(blocks_.size() / 2);
  }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
};

}  // namespace hone
