// Kernel IR: the program of one thread. The statements are those of ir/core/stmt.h; the decisions
// of lowering are
// - loops bound to blocks and threads are gone: `let` gives their axes values over thread indices;
// - copies are loops, but for accesses of whole vectors, which are copies of their own; barriers
//   stand where they are needed;
// - a global tensor is indexed by one flat offset in elements, in the order of its layout (its
//   TensorNode in the body has the one extent); shared and register tensors keep their dimensions;
// - an alloc is shared (one per block) or registers (one per thread); its shape is constant.
#pragma once

#include <array>

#include "ir/algebra/facts.h"
#include "ir/core/instr.h"
#include "ir/text/printer.h"

namespace hone {

/// One launch. `grid` and `block` are x, y, z, over params and constants. Blocks that follow each
/// other in x form a cluster, if that has more than one: block.x % cluster numbers those of one. An
/// element of a shared tensor then lies in the block of the cluster that its first index numbers.
struct KernelFunction {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  /// With their full shapes; those that the body writes are outputs.
  llvm::SmallVector<TensorPtr, 4> arguments;
  bool may_alias = false;
  /// Conditions that hold for the params; a launch checks them.
  llvm::SmallVector<Expr, 2> assumptions;
  int index_bits = 32;
  std::array<Expr, 3> grid, block;
  int64_t cluster = 1;
  /// Blocks that a multiprocessor holds at least, as the schedule promises; 0: any number.
  int64_t resident_blocks = 0;
  Stmt body;
  Stmt simplified = {};  ///< the body as it was simplified last
  llvm::SmallVector<std::string, 0> history;
  /// Names of other kernels' tensors in global memory.
  llvm::SmallVector<std::string, 0> taken_names;
};

/// The kernel's statements as those of a function, for code that works on functions.
Function as_function(const KernelFunction& kernel);

/// True if the kernel writes the argument.
bool is_written(const KernelFunction& kernel, const TensorPtr& tensor);

/// The promises of callers, and the ranges of the thread indices once they are known.
Facts facts_in(const KernelFunction& kernel);

/// A lowered program: launches in order. Temporaries are global tensors that the caller allocates.
struct Module {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<TensorPtr, 4> arguments;
  llvm::SmallVector<TensorPtr, 2> temporaries;
  /// Temporaries that are all 0 before a launch, and again after it.
  llvm::SmallVector<TensorPtr, 2> counters;
  llvm::SmallVector<KernelFunction, 1> kernels;
  llvm::SmallVector<SizeCheck, 0> index_checks = {};  ///< of the function
};

/// "kernel matmul[M](A: f32[M, M]...) grid(...) block(...) { ... }" in the style of IR text.
std::string to_string(const KernelFunction& kernel);
/// The same, and on which of its lines the statements of the body stand.
LinedText print_with_lines(const KernelFunction& kernel);

/// A statement of a kernel, or the line that opens it: "for k in 0..K".
std::string head_of(const Stmt& statement);

}  // namespace hone
