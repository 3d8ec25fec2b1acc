// Tests of work that takes a tenth of a second, and minutes where it grows with the square of a
// size.
// size.
#pragma once

#include <ctime>

#include "gtest/gtest.h"

namespace hone {

/// Fails where a test takes more than four seconds of the processor, other processes left aside.
class QuickTest : public testing::Test {
 protected:
  void TearDown() override {
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LT(static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC, 4.0) << "seconds";
#endif
  }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace hone
