// Neighbouring cells that say the same, as one box.
#pragma once

#include "tools/draw/figure.h"

namespace hone {

struct FigureBox {
  int64_t row = 0, column = 0, rows = 1, columns = 1;
  const FigureCell* cell = nullptr;  ///< the first one
};

/// Boxes that cover each cell that is there once. A cell without text or colour has its own, and so
/// has each cell of a panel that does not merge.
std::vector<FigureBox> boxes_of(const FigurePanel& panel);

}  // namespace hone
