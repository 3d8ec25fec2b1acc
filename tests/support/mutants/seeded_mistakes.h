// Kernels with one mistake each in how pipelines, asynchronous copies, roles and tensor cores keep
// time, and in where their elements lie: what check mode has to notice. Generators are general over
// kernels; where a kernel has no place for a mistake, they make none.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace hone {

struct SeededMistake {
  /// The part of a kernel's text that it is about.
  enum class About : uint8_t {
    order,   ///< waits and arrivals alone: a result that changes does so by chance
    values,  ///< elements too: it may be well ordered, and compute something else
  };

  std::string kind;   ///< "wait dropped"
  std::string place;  ///< the statement, as it was: "wait_group 1"
  About about = About::order;
  KernelFunction kernel;
  Stmt stmt = {};  ///< the same, in the right kernel
};

/// The end of a place from which a statement moves across a wait.
inline constexpr const char* passing_waits = ", past a wait";

/// All kinds below, each kernel once.
std::vector<SeededMistake> seeded_mistakes(const KernelFunction& kernel);

/// Barriers, fences, waits and groups of copies and products: dropped, doubled, weaker and
/// stronger, with other names and counts, in one trip alone, in all trips but one.
void add_wait_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);
/// Mbarriers: initialised for other counts, or by everybody; waited for by another parity, or by
/// one lane; arrived at too often, or before copies; with other bytes to expect.
void add_mbarrier_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);
/// Neighbours change places; a wait or an arrival leaves its loop, and enters that beside it.
void add_moves(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);
/// Rings: another slot, another depth, one slot shorter, in the bytes of another one.
void add_ring_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);
/// Copies: from elsewhere, of another width, under other conditions, not at all; loops and roles of
/// other extents; sums that begin with anything.
void add_copy_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);
/// Instructions with lanes: one of another meaning, with other spreads, or on other fragments and
/// tiles. Accesses to a tile by another layout than the rest.
void add_fragment_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel);

}  // namespace hone
