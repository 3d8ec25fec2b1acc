// Measured figures of a ladder, read from the JSON that `hone ladder --json` prints.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/ladder.h"

namespace hone {

struct MeasuredRung {
  std::string rung;
  std::string device;       ///< "cuda:0", "host"
  std::string device_name;  ///< "NVIDIA H200"; empty where it is not known
  std::string driver, nvrtc, date;
  double milliseconds = 0;
  double gflops = 0, gb_per_s = 0;  ///< 0 where the ladder does not say how many there are
};

/// Rungs that were measured at the same sizes, and on one GPU.
struct MeasuredRun {
  Sizes sizes;
  std::vector<MeasuredRung> rungs;

  /// Null where it was not measured.
  const MeasuredRung* of(const std::string& rung) const;
  /// The GPU's name; that of the host where nothing ran on a GPU.
  std::string device_name() const;
  /// "NVIDIA H200, driver 580.95.05, for CUDA 13.0, NVRTC 13.0, 2026-11-23", and the host where
  /// rungs ran there.
  std::string origin() const;
};

/// The first run, where it is at those sizes; else null.
const MeasuredRun* first_run_at(llvm::ArrayRef<MeasuredRun> runs, const Sizes& sizes);

/// The runs of a text of arrays, one behind the other; rows without a time are left out, and runs
/// without rows. An empty text has none. Throws RuntimeError, which names `ladder`, for a text that
/// is something else.
std::vector<MeasuredRun> read_figures(const std::string& text, const Ladder& ladder);

/// Those of one array of rows.
std::vector<MeasuredRun> runs_of(const llvm::json::Array& rows, const Ladder& ladder);

}  // namespace hone
