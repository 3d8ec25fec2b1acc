// The name of an instruction, taken apart: what the families of operations choose by.
#pragma once

#include <initializer_list>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/operations/operation.h"

namespace hone::ptx {

/// The modifiers that are no types. `lo` and `hi` are halves of a product, and comparisons.
enum class Modifier : uint8_t {
  // Rounding.
  rn,
  rz,
  rm,
  rp,
  rna,
  rni,
  rzi,
  rmi,
  rpi,
  // Floating point.
  ftz,
  noftz,
  sat,
  satfinite,
  relu,
  NaN,
  xorsign,
  abs,
  approx,
  full,
  // Integers.
  lo,
  hi,
  wide,
  cc,
  shiftamt,
  add,
  // Bits.
  l,
  r,
  wrap,
  clamp,
  f4e,
  b4e,
  rc8,
  ecl,
  ecr,
  rc16,
  // cvt.pack, and types that it alone has.
  pack,
  few_bits,
  // testp.
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal,
  // Comparisons.
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  ls,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
  // and, or, xor.
  conjunction,
  disjunction,
  exclusion,
  count
};

/// A set of modifiers or of types.
template <class Member>
class Set {
 public:
  constexpr Set() = default;
  constexpr Set(std::initializer_list<Member> members) {
    for (const Member member : members) bits_ |= bit(member);
  }
  constexpr bool has(Member member) const { return (bits_ & bit(member)) != 0; }
  constexpr bool has_any(Set other) const { return (bits_ & other.bits_) != 0; }
  constexpr void add(Member member) { bits_ |= bit(member); }
  constexpr Set operator|(Set other) const { return Set(bits_ | other.bits_); }
  constexpr bool is_empty() const { return bits_ == 0; }
  /// The first by the order of the enumerators, of a set that is not empty.
  constexpr Member first() const { return static_cast<Member>(std::countr_zero(bits_)); }

 private:
  explicit constexpr Set(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t bit(Member member) {
    return uint64_t{1} << static_cast<unsigned>(member);
  }

  uint64_t bits_ = 0;
};
using Modifiers = Set<Modifier>;
using Types = Set<Type>;
static_assert(static_cast<int>(Modifier::count) <= 64);

inline constexpr Modifiers roundings = {Modifier::rn, Modifier::rz, Modifier::rm, Modifier::rp};

struct Form {
  const Instruction& instruction;
  llvm::ArrayRef<Register> registers;  ///< of the function; empty where they are not known
  llvm::SmallVector<Type, 4> types{};  ///< by their order
  Modifiers modifiers{};
  std::string unknown{};  ///< the first modifier that is neither: ".foo"

  Form(const Instruction& of, llvm::ArrayRef<Register> among);
  bool has(Modifier modifier) const { return modifiers.has(modifier); }
  /// `none` where it has fewer types.
  Type type(size_t number = 0) const { return number < types.size() ? types[number] : Type::none; }
  /// The type of the register that is an operand, or else `wanted`.
  Type register_type(size_t operand, Type wanted) const;
};

/// The operation that is not known: "add.foo.u32: .foo is not known".
Operation refusal(const Form& form, const std::string& what);

/// The forms of an opcode whose first type is one of `types`, with no other modifiers and no more
/// types.
struct Entry {
  llvm::StringLiteral opcode;
  Types types;
  Modifiers modifiers;
  Operation (*make)(const Form&);
  size_t most_types = 1;
};

llvm::ArrayRef<Entry> integer_entries();
llvm::ArrayRef<Entry> carry_entries();
llvm::ArrayRef<Entry> bit_entries();
llvm::ArrayRef<Entry> field_entries();
llvm::ArrayRef<Entry> real_entries();
llvm::ArrayRef<Entry> approximation_entries();
llvm::ArrayRef<Entry> half_entries();
llvm::ArrayRef<Entry> sign_entries();
llvm::ArrayRef<Entry> comparison_entries();
llvm::ArrayRef<Entry> conversion_entries();
llvm::ArrayRef<Entry> move_entries();
llvm::ArrayRef<Entry> video_entries();

}  // namespace hone::ptx
