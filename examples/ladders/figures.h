// Measured figures of the ladders: the files of examples/ladders/figures, which CMake makes part of
// the library.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "tools/cli/ladder.h"

namespace hone {

/// The text of a file, under its name without ".json": that of a ladder.
struct FigureFile {
  const char* ladder;
  const char* text;
};

/// All files; the order is that of their names.
llvm::ArrayRef<FigureFile> figure_files();

/// Gives each ladder the figures that bear its name. Throws RuntimeError for a file that no ladder
/// bears the name of.
void add_figures(std::vector<Ladder>& ladders);

}  // namespace hone
