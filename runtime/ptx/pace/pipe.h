// The pipes of a multiprocessor that execute an instruction, and how long its result takes.
#pragma once

#include "runtime/ptx/text/module.h"

namespace hone::ptx {

enum class Pipe : uint8_t {
  none,     ///< it only names or places a value
  alu,      ///< integers, logic, comparisons
  fma,      ///< floats, and products of integers
  fp64,     ///< doubles
  special,  ///< reciprocals, roots, exponentials, conversions between floats and integers
  memory,   ///< loads, stores, shuffles
  tensor,   ///< products of matrices
  control,  ///< jumps, barriers
};
inline constexpr size_t pipes = 8;

/// Clocks that an instruction of one warp keeps the pipes of a multiprocessor busy; 0 where its
/// accesses say that.
double clocks_of(Pipe pipe);

struct PipeUse {
  Pipe pipe = Pipe::none;
  int slots = 0;    ///< instructions of the machine, roughly
  int latency = 4;  ///< clocks until the result can be used; of memory, that of shared memory
};

PipeUse use_of(const Instruction& instruction);

/// Products and sums that a warp has of a product of matrices, in those of floats of 16 bits that
/// take as long.
double products_of(const Instruction& instruction);

// Latencies of Hopper, from arXiv 2402.13499 and the public gpu-benches.

/// Clocks of loads of global memory, by where they find their bytes.
inline constexpr int l1_latency = 34, l2_latency = 265, dram_latency = 650;
/// Clocks from one block of a cluster to another.
inline constexpr int cluster_latency = 190;

}  // namespace hone::ptx
