// The problem that a ladder solves, before any schedule.
#pragma once

#include "tools/page/page_drawings.h"
#include "tools/page/story/standing.h"

namespace hone {

struct Gpu;

struct ProblemPage {
  std::string text;                      ///< as the ladder has it; may be empty
  std::vector<std::string> definitions;  ///< "C(i, j) = sum(k, A(i, k) * B(k, j))"
  std::string amounts;                   ///< operations, bytes and the least time, sentences
  std::vector<PageDrawing> drawings;     ///< of the loops as the definitions have them
  std::string plan;                      ///< sentences
};

/// `gpu` may be null; drawings are of `drawn_sizes`.
ProblemPage problem_page(const Ladder& ladder, const Sizes& sizes, const Sizes& drawn_sizes,
                         const Gpu* gpu, llvm::ArrayRef<RungStanding> standings);

}  // namespace hone
