// The facts and steps of a launch, computed once from a lowered program: the runtime launches by
// them, and exports state the same as text, as JSON, in C++ and in Python.
#pragma once

#include "codegen/contract/formulas.h"
#include "codegen/kernel.h"
#include "codegen/tensor_maps.h"
#include "ir/core/size_check.h"

namespace hone {

/// An argument of the program.
struct ContractArgument {
  TensorPtr tensor;
  bool is_written = false;
};

/// Memory at a multiple of `bytes`, since a kernel accesses the argument in vectors of so many.
struct AlignmentCheck {
  size_t argument = 0;  ///< of the program
  int64_t bytes = 1;
  std::string message;  ///< "{}" stands for the address
};

/// Two arguments, of which one is written, that share no memory.
struct OverlapCheck {
  size_t first = 0, second = 0;
  bool may_be_one = false;  ///< but they may be one array
  std::string message;
};

/// A tensor that kernels leave to each other, in memory that callers give.
struct WorkspacePart {
  TensorPtr tensor;
  Expr offset;  ///< in bytes, a multiple of 256
  Expr bytes;   ///< with what lies before the next part
};

/// A tensor that a kernel takes: which of the program's arguments, temporaries or counters.
struct KernelOperand {
  enum class Kind : uint8_t { argument, temporary, counter };
  Kind kind = Kind::argument;
  size_t number = 0;
  bool is_written = false;
};

struct KernelContract {
  std::string name, symbol;  ///< of the kernel, and of its function
  llvm::SmallVector<KernelOperand, 4> operands;
  llvm::SmallVector<ParamPtr, 4> params;  ///< after the operands
  std::vector<TensorMap> tensor_maps;     ///< after the params, of the operands
  std::array<Expr, 3> grid, block;        ///< a launch without blocks or threads does nothing
  int64_t cluster = 1;                    ///< blocks along x that the kernel makes a cluster of
  int64_t shared_bytes = 0;               ///< of a block
  int64_t shared_alignment = 1;           ///< of the memory that a block gets, in bytes
  bool is_shared_dynamic = false;         ///< the launch says so, and asks for more where needed
  int index_bits = 32;                    ///< of the params
  bool starts_early = false;              ///< before the kernel before it has ended, for which it
                                          ///< waits itself: from sm_90 on, and a launch says so
  /// Sizes for which there are threads.
  llvm::SmallVector<SizeCheck, 8> limits;
  /// Sizes within the limits for which index arithmetic fits: so many steps of it may not. The
  /// conditions are over `values` too.
  int64_t index_steps = 0;
  std::vector<NamedFormula> values;
  std::vector<SizeCheck> index_limits;

  /// Bytes that the launch gives.
  int64_t dynamic_shared_bytes() const { return is_shared_dynamic ? shared_bytes : 0; }
};

struct LaunchContract {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<ContractArgument, 4> arguments;
  /// Conditions on sizes as such, and those that callers promised.
  llvm::SmallVector<SizeCheck, 4> sizes, promises;
  llvm::SmallVector<AlignmentCheck, 4> alignments;
  llvm::SmallVector<OverlapCheck, 4> overlaps;
  /// Counters are all 0 before a launch, and again after it.
  llvm::SmallVector<WorkspacePart, 2> temporaries, counters;
  std::vector<KernelContract> kernels;  ///< launched in this order
};

/// The module was lowered from `function`; without it, no two arguments may be one array.
LaunchContract launch_contract(const Module& module, const Function* function = nullptr);
/// Of a kernel whose tensors are all arguments of the program.
LaunchContract launch_contract(const KernelFunction& kernel);

/// The tensors one after the other, each at a multiple of 256 bytes.
llvm::SmallVector<WorkspacePart, 2> workspace_parts(llvm::ArrayRef<TensorPtr> tensors);
/// Bytes of all parts.
Expr workspace_bytes(llvm::ArrayRef<WorkspacePart> parts);

std::string refusal(const SizeCheck& check, const Sizes& sizes);

/// The contract for people, in lines.
std::string to_string(const LaunchContract& contract);

}  // namespace hone
