// Many random cases of a seed, and what came of them.
#pragma once

#include <algorithm>
#include <thread>

#include "tests/support/random/shrink.h"

namespace hone {

struct Campaign {
  uint64_t seed = 1;
  uint64_t first = 0, count = 300;  ///< numbers first..first + count
  uint64_t host_share = 20;         ///< one case in so many runs through the C compiler too
  uint64_t check_share = 1;         ///< one case in so many runs in check mode too
  uint64_t nvrtc_share = 3;         ///< the CUDA of one case in so many is compiled
  bool on_gpu = false;              ///< runs on the first GPU, and not on the simulated device
  uint64_t cases_at_once = 25;      ///< that a process runs, as long as the GPU makes no mistake
  uint64_t seconds = 0;             ///< after which no further process starts; 0: any number
  size_t processes = std::max(2U, std::thread::hardware_concurrency());  ///< at a time
  size_t most_failures = 5;  ///< that are shrunk and reported; others count
  Extras extras = Extras(usual_extras);
  bool takes_refusals = true;  ///< after acceptance; else they are failures
  Plant plant = nullptr;       ///< of the cases

  static constexpr const char* usual_extras = "all";
};

/// The defaults, changed by HONE_RANDOM_SEED, HONE_RANDOM_FIRST, HONE_RANDOM_PROGRAMS,
/// HONE_RANDOM_HOST_SHARE, HONE_RANDOM_CHECK_SHARE, HONE_RANDOM_NVRTC_SHARE (0: none),
/// HONE_RANDOM_FAILURES, HONE_RANDOM_KINDS, which names extras, HONE_RANDOM_TAKE_REFUSALS (0: no),
/// HONE_RANDOM_SECONDS, and HONE_RANDOM_GPU: to n, for n cases at once on the GPU and nowhere else.
Campaign campaign_from_environment();

struct CampaignResult {
  /// Each with the seed, the number, what failed and C++ that shows it.
  std::vector<std::string> failures;
  std::map<std::string, int> counts;
  /// The first numbers of each kind of refusal and failure.
  std::map<std::string, std::vector<uint64_t>> examples;
  size_t compiled = 0;  ///< programs whose CUDA NVRTC took

  /// A table of how often each primitive was tried and accepted, and of the rest of the counts.
  std::string statistics() const;
};

CampaignResult run_campaign(const Campaign& campaign);

}  // namespace hone
