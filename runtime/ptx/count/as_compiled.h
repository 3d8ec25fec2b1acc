// The accesses of PTX as ptxas leaves them: some become one wide access together with neighbours,
// some are dropped.
#pragma once

#include "runtime/ptx/cubin/machine_code.h"

namespace hone::ptx {

/// The fate of an access of PTX that loads or stores.
struct CompiledAccess {
  /// Those of one group may become one access, where the bytes that they move lie in one aligned
  /// piece of `width` bytes. -1: it stays alone.
  int group = -1;
  int width = 0;
  /// Machine code has nothing that comes from it, nor from a neighbour of it.
  bool is_dropped = false;
  /// Machine code has one by a generic address.
  bool is_generic = false;
};

/// A program as its machine code has it. Nothing of a cubin without lines, or of other PTX.
struct CompiledProgram {
  std::vector<CompiledAccess> accesses;  ///< by Program::memory
  /// The instructions of the machine, in order.
  struct Made {
    std::optional<Place> from{};  ///< of the program; nothing where it is not known
    MachineInstruction machine;
  };
  std::vector<Made> code;
};

CompiledProgram match_program(const Program& program, const MachineCode& code);

}  // namespace hone::ptx
