#include "tests/support/ir/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hone {

void expect_golden(const std::string& path, const std::string& text) {
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; UPDATE_GOLDEN=1 writes it";
  std::stringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(text, kept.str()) << "in " << path << "; UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace hone
