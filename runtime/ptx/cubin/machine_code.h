// The instructions of a cubin, which ptxas has made of those of PTX, by the line that each comes
// from, and of the accesses to memory a few fields, the same from sm_75 to sm_120.
#pragma once

#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

/// An instruction that loads or stores; atomic updates, matrices and copies are none of them.
struct MachineAccess {
  Space space = Space::global;  ///< generic where the instruction does not say it
  bool is_store = false;
  int bytes = 4;     ///< of a lane
  int ptx_line = 0;  ///< in MachineCode::ptx; 0 where it is not known
};

struct MachineInstruction {
  int ptx_line = 0;         ///< as above
  bool is_jump = false;     ///< or the end of the kernel
  bool goes_on = true;      ///< a warp may come to the one behind it from here
  bool is_special = false;  ///< of the unit of roots and conversions of 64 bits
  bool is_double = false;   ///< of the unit of doubles
  bool is_call = false;
  bool is_access = false;  ///< one of the accesses
  int64_t target = -1;     ///< of a jump: the number of an instruction; -1: not known
};

struct MachineCode {
  std::string ptx;  ///< with the comments left out; empty of a cubin that has no lines
  std::vector<MachineAccess> accesses;
  std::vector<MachineInstruction> instructions;  ///< of all functions, in order
};

/// Throws RuntimeError where it is no cubin.
MachineCode read_cubin(llvm::StringRef cubin);

}  // namespace hone::ptx
