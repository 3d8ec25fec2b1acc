#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tools/cli/command/drawings.h"

namespace hone {
namespace bank_figures_test {

TEST(BankFigures, AreMadeOnceForARung) {
  BankFigures banks;
  int made = 0;
  const auto make = [&] {
    if (++made == 1) throw RuntimeError("the run fails");
    return std::vector<Figure>(2);
  };
  EXPECT_EQ(thrown_message<RuntimeError>([&] { banks.of("one", make); }), "the run fails");
  for (int n = 0; n < 3; ++n) EXPECT_EQ(banks.of("one", make).size(), 2u);
  EXPECT_EQ(made, 2);
  banks.of("other", make);
  EXPECT_EQ(made, 3);
}

}  // namespace bank_figures_test
}  // namespace hone
