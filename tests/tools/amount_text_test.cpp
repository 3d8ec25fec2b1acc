#include "tools/cli/amount_text.h"

#include <gtest/gtest.h>

#include "tools/page/counter_changes.h"

namespace hone {
namespace {

TEST(AmountText, HasThreeDigitsOrAllOfAWholeNumber) {
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(1.0669), "1.07");
  EXPECT_EQ(number_text(99.96), "100");
  EXPECT_EQ(number_text(2048.4), "2048");
  EXPECT_EQ(number_text(1048576), "1048576");
}

TEST(AmountText, HasThousandsApartInTables) {
  EXPECT_EQ(amount_text(1048576), "1,048,576");
  EXPECT_EQ(amount_text(1024.3), "1,024");
  EXPECT_EQ(amount_text(2.5), "2.5");
}

}  // namespace
}  // namespace hone
