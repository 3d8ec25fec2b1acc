// PTX as the compiler wrote it: the instructions of each kernel with the lines of the source that
// they come from, in basic blocks and loops.
//
// Reads the output of NVRTC for one kernel after the other, with `-lineinfo`. It is no verifier:
// text that it does not understand is an instruction like any other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

struct PtxInstruction {
  std::string opcode;                          ///< "ld.global.nc.v4.f32"
  std::string guard;                           ///< "%p3" or "!%p3"; empty where there is none
  llvm::SmallVector<std::string, 4> operands;  ///< "%f1", "[%rd4+16]", "{%f1, %f2}", "4"
  unsigned line = 0;                           ///< of the source; 0 where it is not known

  /// True if the opcode begins with this word: "ld" of "ld.global.f32".
  bool is(llvm::StringRef word) const;
};

struct PtxBlock {
  std::string label;   ///< empty where nothing jumps here
  unsigned scope = 0;  ///< the number of the braces around its last instruction; 0: the kernel's
  std::vector<PtxInstruction> instructions;
  llvm::SmallVector<size_t, 2> successors;
};

/// A natural loop; loops of one header are one.
struct PtxLoop {
  size_t header = 0;
  std::vector<size_t> blocks;  ///< ascending, those of the loops inside included
  int parent = -1;             ///< the innermost loop around it; -1: none
  unsigned line = 0;           ///< of the branch back
};

struct PtxKernel {
  std::string name;
  std::vector<std::string> params;  ///< "matmul_param_0"
  std::vector<int> param_bytes;     ///< of each
  std::vector<PtxBlock> blocks;     ///< in the order of the text; the first is the entry
  std::vector<PtxLoop> loops;       ///< outer ones before inner ones

  /// The innermost loop around a block; -1: none.
  int loop_of(size_t block) const;
};

/// The kernels of a text, in its order. Lines of code that was inlined are those of the kernel that
/// it was inlined into.
std::vector<PtxKernel> read_ptx(std::string_view text);

/// The natural loops of blocks, outer ones before inner ones.
std::vector<PtxLoop> find_loops(llvm::ArrayRef<PtxBlock> blocks);

}  // namespace hone
