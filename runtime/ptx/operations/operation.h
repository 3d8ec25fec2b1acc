// The operations that compute registers from registers, lane by lane.
//
// Registers are typeless: .b8 and .b16 kinds take 2 bytes in a lane (uint16_t), .b32 kinds and f32
// 4, .b64 kinds and f64 8, .b128 16. Predicates are LaneMask, a bit for each lane.
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/machine/program.h"
#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

/// How an instruction becomes an Op. The compiler of PTX fills in its destination and its sources
/// from the operands, in their order: the destination, then sources[0], sources[1] and so on. It
/// makes constants of literals, 32 lanes each, of the type that `types` says. Out of this order:
///
///   setp p|q      sources[3] is q; none where it is absent or `_`
///   lop3 d|p      sources[4] is p; the destination is none where d is `_`
///   add.cc, addc  sources[3] is the carry flag of the lanes, a predicate, read and written
///   mov d, {a, b, c, e}       sources[0] to sources[3] are the parts
///   mov {d, e, f, g}, a       destination is d, sources[0] is a, sources[1] to [3] are e, f, g;
///                             none for `_`
struct Operation {
  Op::Execute execute = nullptr;
  uint32_t detail = 0;  ///< of the Op, with a bit for each source that has a `!`
  /// By operand of the text, the destination first: the type of the register, or of the constant.
  /// Of parts in braces, of each part; `pred` for a predicate; of a pair, of its first. `none`
  /// where the operation has read the operand, as immLut of lop3: it is no source then.
  llvm::SmallVector<Type, 6> types{};
  bool has_carry = false;
  std::string problem{};  ///< what is not known: "add.sat.u32: .sat is not known"
};

/// In the detail of an Op: its first source is a predicate with a `!`; shifted by n, that with n.
inline constexpr uint32_t negated_source = uint32_t{1} << 27;

/// The operation of an instruction that computes registers from registers alone. `execute` is null
/// where the opcode is none of those (memory, control flow, exchange between lanes: others know
/// them), and `problem` is set where it is, and has a form that is not known. `registers` are those
/// of its function: those of cvt may be wider than its types.
Operation find_operation(const Instruction& instruction, llvm::ArrayRef<Register> registers = {});

}  // namespace hone::ptx
