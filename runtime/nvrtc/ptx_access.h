// Reads and writes of the instructions of a kernel in PTX, as the assembler will merge them.
#pragma once

#include "runtime/nvrtc/ptx.h"

namespace hone {

enum class PtxSpace : uint8_t { global, shared, local };
enum class PtxAccessKind : uint8_t { load, store, atomic };

struct PtxAccess {
  PtxAccessKind kind = PtxAccessKind::load;
  PtxSpace space = PtxSpace::global;
  int bytes = 0;  ///< of an element
  int width = 1;  ///< elements of the instruction
  /// Elements of the instruction that the assembler makes of it and of its neighbours: neighbouring
  /// loads of shared memory become one, where their address is known to be aligned.
  int merged_width = 1;
  int param = -1;      ///< the number of the parameter that the address comes from; -1: not known
  std::string symbol;  ///< the shared variable that the address comes from; empty: not known
  unsigned line = 0;   ///< of the source; 0 where it is not known
  size_t block = 0;    ///< of the kernel
};

/// The accesses of a kernel but those to its parameters, in the order of its text.
std::vector<PtxAccess> accesses_of(const PtxKernel& kernel);

}  // namespace hone
