// Kernels with one mistake each, of the kinds that people make: what a test of checks has to
// notice.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace hone {

struct Mutant {
  std::string mistake;  ///< "barrier 1 dropped"
  KernelFunction kernel;
  Stmt place = {};  ///< the statement of the right kernel that it is about, where one is
};

/// Every barrier dropped, and moved across the statement before and behind it; every shared tile
/// one shorter in each dimension; the extent of every loop, and the bound of every condition, one
/// more and one less; two indices swapped in every access to a tile; every guard dropped.
std::vector<Mutant> mutants_of(const KernelFunction& kernel);

/// One reader or writer of a shared tile has another layout than the others: without the XOR of a
/// swizzle, or with half its period, or chunks of one element more; with panels half as wide; with
/// its two slowest digits in the other order; with rows one element nearer to each other.
/// The text of a mistake says which kind, and then " in " or " on the left of ".
std::vector<Mutant> layout_mutants_of(const KernelFunction& kernel);

/// Every digit of the number of a thread, as in lane / 8, with the other operator, with twice and
/// half the divisor, and as the number itself; twice the offset of every shuffle.
std::vector<Mutant> lane_map_mutants_of(const KernelFunction& kernel);

}  // namespace hone
