#include "runtime/cudart/settings.h"

#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "runtime/environment.h"
#include "runtime/error.h"

namespace hone::cudart {
namespace {

int64_t number_of(const char* name, const std::optional<std::string>& text, int64_t otherwise) {
  if (!text) return otherwise;
  if (*text == "all") return 0;
  int64_t number = 0;
  if (llvm::StringRef(*text).getAsInteger(10, number) || number < 0)
    throw RuntimeError("{}={} is neither a number nor `all`", name, *text);
  return number;
}

}  // namespace

Settings Settings::of_environment() {
  Settings settings;
  const std::string mode = environment("HONE_CUDA_MODE").value_or("check");
  if (mode != "check" && mode != "run" && mode != "count")
    throw RuntimeError("HONE_CUDA_MODE={} is neither `check`, `run` nor `count`", mode);
  settings.checks = mode == "check";
  settings.counts = mode == "count";
  if (settings.counts) settings.ptxas = environment("HONE_CUDA_PTXAS").value_or("");
  settings.blocks = number_of("HONE_CUDA_BLOCKS", environment("HONE_CUDA_BLOCKS"), -1);
  settings.launches = number_of("HONE_CUDA_LAUNCHES", environment("HONE_CUDA_LAUNCHES"), -1);
  settings.fails = environment("HONE_CUDA_FAIL").value_or("0") != "0";
  return settings;
}

bool Settings::checks_launch(int64_t number, int64_t checked_instructions) const {
  if (!checks) return false;
  if (launches >= 0) return launches == 0 || number <= launches;
  return number == 1 || checked_instructions < most_instructions;
}

int64_t Settings::checked_blocks(int64_t blocks_of_launch, int64_t threads_of_block) const {
  if (blocks > 0) return std::min(blocks, blocks_of_launch);
  if (blocks == 0 || blocks_of_launch * threads_of_block <= most_threads) return blocks_of_launch;
  return std::clamp<int64_t>(sampled_threads / threads_of_block, 1, blocks_of_launch);
}

}  // namespace hone::cudart
