// Facts about a kernel's cost from its text, without running it.
#pragma once

#include "codegen/cost/size_formula.h"
#include "codegen/kernel.h"

namespace hone {

/// Elements that are read and written. A vector counts as its elements, `T[e] += v` as a load and a
/// store, unless it is atomic, and an element that one store reads twice as one load. Others that
/// the compiler drops, as a load of the statement before, count.
struct AccessCounts {
  SizeFormula global_loads, global_stores, shared_loads, shared_stores;
  SizeFormula global_atomics, shared_atomics;
};

enum class AccessKind : uint8_t { load, store, atomic };

/// The accesses of one statement to one global or shared tensor.
struct StatementAccess {
  const StmtNode* statement;  ///< of the kernel's body
  TensorPtr tensor;
  AccessKind kind = AccessKind::load;
  SizeFormula per_thread;  ///< elements; see StaticFacts
  /// The same of a thread that passes all conditions. Those on loops that are unrolled in full do
  /// not count: the text of each iteration has the access or not.
  SizeFormula at_most;
  SizeFormula unguarded;  ///< the same if no condition were there
};

/// The barriers that stand directly in one loop, or in none.
struct BarrierNest {
  std::string loop;        ///< the innermost loop around them; empty where there is none
  int64_t barriers = 0;    ///< in an iteration
  SizeFormula iterations;  ///< of a thread, the loops around this one included
};

/// Counts are those of sizes that every tile divides: see SizeFormula. A condition that thread
/// indices and loops decide counts for the threads that pass it, so that counts of a thread are
/// averages over its block; conditions on sizes and on blocks count as passed.
struct StaticFacts {
  SizeFormula threads_per_block, blocks;
  int64_t shared_bytes = 0;    ///< of a block
  int64_t register_bytes = 0;  ///< of a thread: the largest sum of register tiles at one place
  /// 32-bit registers that the tiles take, closely packed.
  int64_t tile_registers() const { return (register_bytes + 3) / 4; }

  llvm::SmallVector<BarrierNest, 2> barriers;  ///< in the order of the text
  SizeFormula barriers_per_thread, shuffles_per_thread;
  /// By tensor cores: the product and the sum are two.
  SizeFormula tensor_operations_per_thread, tensor_operations_per_result;

  /// Elements of the global tensors that the kernel writes, all of them, divided by the threads of
  /// the grid. 0 where there is no thread.
  SizeFormula results_per_thread;
  /// Per element of those: matmul's loads and stores for one element of C. 0 where there is none.
  AccessCounts per_thread, per_result;
  /// The parts of `per_thread`, in the order of the text.
  std::vector<StatementAccess> accesses;
};

StaticFacts static_facts(const KernelFunction& kernel);

}  // namespace hone
