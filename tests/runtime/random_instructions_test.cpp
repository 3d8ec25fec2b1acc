// Random products that instructions of warps and warpgroups compute, and results that they store.
#include <gtest/gtest.h>

#include "tests/support/random/campaign.h"

namespace hone {
namespace random_instructions_test {

/// Products of so many programs run by these instructions, and the campaign says by which.
void expect_instructions(const char* kind, uint64_t count, const char* word, int least) {
  Campaign campaign{.seed = 8, .count = count, .host_share = 0, .check_share = 0, .nvrtc_share = 0};
  campaign.extras = Extras(kind);
  const CampaignResult result = run_campaign(campaign);
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
  int products = 0;
  for (const auto& [what, programs] : result.counts)
    if (what.starts_with(word)) products += programs;
  EXPECT_GE(products, least) << result.statistics();
}

TEST(RandomInstructions, ComputeRandomProducts) {
  expect_instructions("warps", 30, "with mma_m16n8k", 6);
  expect_instructions("warpgroups", 16, "with wgmma_m", 2);
}

TEST(RandomInstructions, StoreRandomResults) {
  expect_instructions("matrices", 40, "with stmatrix_x", 2);
}

}  // namespace random_instructions_test
}  // namespace hone
