// PTX as the simulated device runs it: operations over the 32 lanes of a warp, one after the other,
// with jumps between them. A register is an array over the lanes; a predicate is a bit for each.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "runtime/ptx/text/module.h"

namespace hone::ptx {

struct Warp;

inline constexpr int lanes = 32;
/// Lanes of a warp, a bit each.
using LaneMask = uint32_t;
inline constexpr LaneMask all_lanes = ~LaneMask{0};

/// The place of a register in the frame of its function, or of a constant in the program's pool: in
/// bytes, and the highest bit for a constant.
struct Ref {
  static constexpr uint32_t constant_bit = 1u << 31, none_bits = ~uint32_t{0};

  uint32_t bits = none_bits;

  static Ref reg(uint32_t offset) { return {offset}; }
  static Ref constant(uint32_t offset) { return {offset | constant_bit}; }
  bool exists() const { return bits != none_bits; }
  bool is_constant() const { return (bits & constant_bit) != 0; }
  uint32_t offset() const { return bits & ~constant_bit; }
  bool operator==(const Ref&) const = default;
};

/// What the 32 lanes of a warp do at one place of the program.
struct Op {
  using Execute = void (*)(Warp&, const Op&);

  Execute execute = nullptr;
  Ref destination;
  std::array<Ref, 5> sources{};
  /// The predicate of lanes that take part, and whether it must not hold.
  Ref guard;
  bool is_guard_negated = false;
  /// Ends a straight run: a jump, a call, a barrier, an exit.
  bool is_control = false;
  uint32_t detail = 0;  ///< a number, or a place in one of the program's tables
};

/// An access to memory: `count` values of `bytes` each, one behind the other.
struct MemoryDetail {
  enum class Kind : uint8_t { load, store, atomic, reduction };

  Kind kind = Kind::load;
  Space space = Space::generic;
  Type type = Type::b32;
  int bytes = 4, count = 1;
  int64_t offset = 0;                ///< added to the address
  llvm::SmallVector<Ref, 8> values;  ///< what is loaded, or stored; no place for `_`
  llvm::SmallVector<int, 8> widths;  ///< bytes of these registers in a lane
  /// Volatile, relaxed, acquire, release: others see it, and it races with no other such access.
  bool is_strong = false;
  bool acquires = false, releases = false;
  bool is_non_coherent = false;  ///< ld.global.nc
  bool is_cluster = false;       ///< shared::cluster
};

/// A function as it runs.
struct Code {
  const Function* function = nullptr;
  std::vector<Op> ops;
  std::vector<uint32_t> instruction_of;  ///< by op: in Function::instructions
  uint32_t frame_bytes = 0;              ///< of its registers, for 32 lanes
  int64_t local_bytes = 0;               ///< of its own local variables, by thread
  std::vector<Ref> params, returns;      ///< areas of bytes, lane by lane
};

/// Immutable; shared by launches.
struct Program {
  std::shared_ptr<const Module> module;
  std::vector<Code> codes;           ///< by Module::functions
  std::vector<std::byte> constants;  ///< the pool: 32 lanes each
  std::vector<MemoryDetail> memory;
};

}  // namespace hone::ptx
