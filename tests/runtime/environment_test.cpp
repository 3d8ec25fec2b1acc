#include "runtime/environment.h"

#include <gtest/gtest.h>

#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace environment_test {

uint64_t number(const char* value) {
  const ScopedVariable variable("HONE_NUMBERS_SIZES", value);
  return number_in_environment("HONE_NUMBERS_SIZES", 7);
}

TEST(Environment, HasNumbers) {
  EXPECT_EQ(number(nullptr), 7u);
  EXPECT_EQ(number(""), 7u);
  EXPECT_EQ(number("0"), 0u);
  EXPECT_EQ(number("18446744073709551615"), UINT64_MAX);
}

TEST(Environment, RefusesWhatIsNoNumber) {
  for (const std::string text : {"many", "-1", "2x", "18446744073709551616"})
    EXPECT_EQ(thrown_message<RuntimeError>([&] { number(text.c_str()); }),
              "HONE_NUMBERS_SIZES=" + text + " is no number from 0 on");
}

}  // namespace environment_test
}  // namespace hone
