// Settings of a run of gpu_bench.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"
#include "bench/gpu/duel.h"
#include "tools/cli/arguments.h"

namespace hone {

extern const llvm::ArrayRef<Option> gpu_bench_options;

struct Settings {
  Target target = {Device::simulated(), "sm_90"};
  DuelOptions duel;
  bool handwritten = false;  ///< no Hone: the hand-written kernels alone
  bool quick = false;
  std::optional<std::string> cub;     ///< the library of CUB's sum, which rungs are held to
  std::optional<std::string> cublas;  ///< cuBLAS, which products of matrices are held to
  std::optional<std::string> emit;    ///< a folder for the machine code
  std::optional<std::string> tiles;   ///< a file for the table of tiles
  std::vector<std::string> rungs;
  /// Each a length, or M, N and K; empty: the problems of each contest.
  std::vector<std::vector<int64_t>> lengths;

  /// Without a GPU there are no results and no times.
  bool compile_only() const { return !target.device.is_cuda(); }

  bool has_library() const { return cub || cublas; }
  /// True if the library, where there is one, does the same.
  bool is_comparable(const Contest& contest) const;
  bool selects(const Contest& contest, const std::string& rung) const;
  std::vector<Sizes> problems_of(const Contest& contest) const;
};

/// Throws UsageError for what cannot be asked for, RuntimeError where a GPU or NVRTC is missing.
Settings read_settings(const Arguments& arguments);

}  // namespace hone
