// The compiler's treatment of the accesses of a kernel, read from its PTX: which are kept, were
// merged into vectors, moved out of a loop, or live in a register.
//
// An instruction belongs to the access of its tensor that stands on its line, or nearest to it; a
// loop of the PTX to the loop on whose line it branches back. The remainder of a loop that was
// unrolled counts as nothing, as in SizeFormula.
#pragma once

#include "codegen/cost/static_facts.h"
#include "runtime/nvrtc/ptx_access.h"
#include "runtime/sim/count/count.h"

namespace hone {

enum class Fate : uint8_t {
  kept,         ///< as often as written
  moved,        ///< out of a loop: before it, or behind it
  reused,       ///< less often than written: others have the value in a register
  in_register,  ///< none is left
  by_engine,    ///< the copy engine makes it, without instructions of threads
};

/// "kept", "moved", "reused", "in_register", "by_engine"
const char* name(Fate fate);

/// The fate of the accesses of one statement to one tensor.
struct CompiledAccess {
  Stmt statement;  ///< of the kernel's body
  TensorPtr tensor;
  AccessClass access_class = AccessClass::global_load;
  unsigned line = 0;  ///< of the CUDA text; in a profile, of that of all kernels
  Fate fate = Fate::kept;
  std::string loop;         ///< that it was moved out of
  double written = 0;       ///< elements of a thread that passes all conditions
  double left = 0;          ///< of these
  double instructions = 0;  ///< for what is left, those that the assembler merges counted once
  int written_width = 1;    ///< elements of an access
  /// Elements of a thread that are left, as in StaticFacts.
  SizeFormula per_thread;

  bool is_of(const AccessReport& report) const;
  /// Elements of an instruction; 0 where none is left.
  double width() const { return instructions == 0 ? 0 : left / instructions; }
  bool is_merged() const { return width() > 1.5 * written_width; }
};

struct CompiledKernel {
  std::vector<CompiledAccess> accesses;  ///< in the order of CountReport::accesses
  SizeFormula instructions;              ///< of a thread that passes all conditions
  double counted_instructions = 0;       ///< if conditions around loops pass as they did
  double statements = 0;                 ///< beside those: CountReport::run_statements, as written
  double local_accesses = 0;             ///< to arrays that are in no register
  double bytes_in_flight = 0;            ///< of a thread: loads that wait for no other one

  /// The fate of a counted access; null where it is not known.
  const CompiledAccess* of(const AccessReport& report) const;
  /// Elements of a thread, by class.
  SizeFormula per_thread(AccessClass access_class) const;
};

/// `ptx` is that of emit_cuda(kernel), compiled with -lineinfo; `counts` say which accesses there
/// are.
CompiledKernel read_compiled(const KernelFunction& kernel, const CountReport& counts,
                             const StaticFacts& facts, const PtxKernel& ptx, const Sizes& sizes);

/// The counts of an access, scaled to those of its elements that the compiler left.
MemoryCounts as_compiled(const MemoryCounts& counts, const CompiledAccess& access);

/// "kept", "kept in a register", "moved out of the loop k", "one of 8 is left, the others are in
/// registers", "merged: 4 in one".
std::string to_string(const CompiledAccess& access);

}  // namespace hone
