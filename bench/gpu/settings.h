// Settings of a run of gpu_bench.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"
#include "bench/gpu/duel.h"
#include "bench/gpu/library.h"
#include "tools/cli/arguments.h"

namespace hone {

extern const llvm::ArrayRef<Option> gpu_bench_options;

struct Settings {
  Target target = {Device::simulated(), "sm_90"};
  DuelOptions duel;
  bool handwritten = false;  ///< no Hone: the hand-written kernels alone
  bool quick = false;
  bool edges = false;                  ///< the problems with edges, in the place of the usual ones
  std::optional<double> burst;         ///< milliseconds; empty: as each contest has it
  std::optional<Library> library;      ///< rungs are compared with it
  std::optional<std::string> against;  ///< the rung of their ladders that rungs are compared with
  std::optional<std::string> emit;     ///< a folder for the machine code
  std::optional<std::string> tiles;    ///< a file for the table of tiles
  std::vector<std::string> rungs;
  /// Each a length, or M, N and K; empty: the problems of each contest.
  std::vector<std::vector<int64_t>> lengths;
  bool random_shapes = false;  ///< the lengths are random M, N and K

  /// Without a GPU there are no results and no times.
  bool compile_only() const { return !target.device.is_cuda(); }

  /// True if the library, where there is one, does the same, and if the contest takes such sizes.
  bool is_comparable(const Contest& contest) const;
  bool selects(const Contest& contest, const std::string& rung) const;
  std::vector<Sizes> problems_of(const Contest& contest) const;
  DuelOptions duel_of(const Contest& contest) const;
};

/// Throws UsageError for what cannot be asked for, RuntimeError where a GPU or NVRTC is missing.
Settings read_settings(const Arguments& arguments);

}  // namespace hone
