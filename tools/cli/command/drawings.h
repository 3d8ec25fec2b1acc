// Drawings of a rung.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "tools/cli/judge/selection.h"
#include "tools/draw/draw.h"

namespace hone {

struct DrawingOptions {
  Sizes sizes;  ///< of a run on the simulated device, pitches aside
  uint64_t seed = 1;
  int64_t most_blocks = 64;  ///< as of DrawOptions
  bool all_patterns = false;
};

/// A run of the rung's kernels, on random inputs as `counters` has them. The rung is one
/// for a GPU. Throws what a run on the simulated device throws.
Recording record_rung(const RungRef& rung, const DrawingOptions& options);

/// The figures of banks that rungs of one ladder have, by name, made once: those of a rung are
/// compared with those of the one that it builds on. Several threads may ask for them.
class BankFigures {
 public:
  /// Those that `make` returns, if nobody has made them. Throws what it throws.
  const std::vector<Figure>& of(const std::string& rung,
                                const std::function<std::vector<Figure>()>& make);

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<std::vector<Figure>> figures;
  };
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

/// A rung that drawings are made of, and the one that it builds on.
class Drawings {
 public:
  /// Rungs that share figures of banks have the same options.
  Drawings(const RungRef& rung, const DrawingOptions& options,
           std::shared_ptr<BankFigures> banks = std::make_shared<BankFigures>());

  /// Of the iteration space, that of the program without a schedule. Of banks, changes of the rung
  /// are drawn beside the rung that it builds on. A rung of the host has the
  /// iteration space alone.
  std::vector<Figure> of(FigureKind kind);

 private:
  std::vector<Figure> banks();

  RungRef rung_;
  DrawingOptions options_;
  std::shared_ptr<BankFigures> banks_;
  std::optional<Recording> recording_;  ///< of a GPU
  std::optional<RungRef> base_rung_;    ///< of a GPU
};

}  // namespace hone
