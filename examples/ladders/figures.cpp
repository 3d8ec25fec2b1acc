#include "examples/ladders/figures.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {

void add_figures(std::vector<Ladder>& ladders) {
  for (const FigureFile& file : figure_files()) {
    const auto found =
        llvm::find_if(ladders, [&](const Ladder& ladder) { return ladder.name == file.ladder; });
    if (found == ladders.end())
      throw RuntimeError("examples/ladders/figures has figures of {}, which is no ladder",
                         file.ladder);
    found->figures = file.text;
  }
}

}  // namespace hone
