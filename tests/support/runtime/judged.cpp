#include "tests/support/runtime/judged.h"

#include <gtest/gtest.h>

#include "runtime/environment.h"
#include "runtime/nvrtc/disk_cache.h"

namespace hone {

void judge_once(const std::string& text, llvm::function_ref<void()> judge) {
  const auto judge_name = environment("HONE_JUDGE");
  if (!judge_name) return judge();
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string key =
      "judged\n" + *judge_name + "\n" + test.test_suite_name() + "." + test.name() + "\n" + text;
  if (DiskCache::of_this_process().find(key)) return;
  judge();
  if (!testing::Test::HasFailure())
    DiskCache::of_this_process().insert(key, {{"verdict", "right"}});
}

}  // namespace hone
