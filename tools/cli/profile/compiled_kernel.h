// The compiler's treatment of the accesses of a kernel, read off a run of its PTX: which are kept,
// were merged into vectors, moved out of a loop, or live in a register.
//
// An access of PTX belongs to the access of its tensor that stands on its line of the CUDA text, or
// nearest to it. Both were counted in the same launch.
#pragma once

#include "codegen/cost/static_facts.h"
#include "runtime/ptx/device.h"
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
  std::string loop;  ///< that it was moved out of
  MemoryCounts as_written, counts;
  double written = 0;      ///< elements, of all threads
  double left = 0;         ///< of these
  int written_width = 1;   ///< elements of an access
  SizeFormula per_thread;  ///< elements of a thread that are left, as in StaticFacts

  bool is_of(const AccessReport& report) const;
  /// Elements of an instruction; 0 where none is left.
  double width() const;
  bool is_merged() const { return width() > 1.5 * written_width; }
};

struct CompiledKernel {
  std::vector<CompiledAccess> accesses;  ///< in the order of CountReport::accesses
  ptx::LaunchCounts counts;              ///< all that was counted
  /// Runs of statements of a thread that passes all conditions: as they grow, so do instructions.
  SizeFormula statements;
  double local_accesses = 0;   ///< of a thread, to arrays that are in no register
  double bytes_in_flight = 0;  ///< of a thread: loads that wait for no other one

  /// The fate of a counted access; null where it is not known.
  const CompiledAccess* of(const AccessReport& report) const;
  /// Elements of a thread, by class.
  SizeFormula per_thread(AccessClass access_class) const;
};

/// `ptx` is that of emit_cuda(kernel), compiled with -lineinfo; `written` and `counts` are those of
/// one launch.
CompiledKernel read_compiled(const KernelFunction& kernel, const CountReport& written,
                             const StaticFacts& facts, const std::string& ptx,
                             ptx::LaunchCounts counts, const Sizes& sizes);

/// The part of a group of accesses that one of them has, by what it asks for as written.
MemoryCounts part_of(const CompiledAccess& access, const AccessReport& report);

/// "kept", "kept in a register", "moved out of the loop k", "one of 8 is left, the others are in
/// registers", "merged: 4 in one".
std::string to_string(const CompiledAccess& access);

}  // namespace hone
