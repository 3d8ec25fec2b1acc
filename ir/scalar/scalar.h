// The arithmetic of the IR on single values. Whatever runs IR on the host computes with these
// functions, so that the interpreter and a simulated device agree to the bit.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ir/core/expr.h"

namespace hone {

/// A value of a type: floats are held as the double that they equal, elements of a ring as a double
/// between 0 and the ring's size, integers, indices and bools as
/// int64_t. A tuple is held as it lies in memory, with zeros where no component is.
struct Scalar {
  DType type = DType::index;
  union {
    int64_t integer = 0;
    double real;
    std::array<std::byte, widest_element> bytes;
  };

  /// Wraps around at the width of `type`, which is not a float; a bool is whether it is not 0.
  static Scalar of_int(DType type, int64_t value);
  /// Rounds as round_to does; `type` is a float.
  static Scalar of_float(DType type, double value);
  /// Whose bits are all 0.
  static Scalar zero(DType type);
  /// Of two to four numbers or bools.
  static Scalar of_tuple(llvm::ArrayRef<Scalar> components);

  /// Of a tuple: its first (0), second (1)... component.
  Scalar component(unsigned position) const;
  void set_component(unsigned position, const Scalar& value);
};

/// An operation that has no value: "7 / 0 is a division by zero".
class ArithmeticError : public std::domain_error {
  using std::domain_error::domain_error;
};

/// The nearest value of a float type, ties to even, but for those of tf32, which go away from zero.
/// Floats of 8 bits have no value beyond their largest numbers, which stand for all that is. Of a
/// ring, the element that the number stands for.
double round_to(DType type, double value);
/// `value` modulo the width of a type that is not a float.
int64_t wrap_to(DType type, int64_t value);

Scalar apply(UnaryOp op, const Scalar& operand);

/// Both operands have one type.
/// - Comparisons with a NaN are false, but for `!=`, which is true.
/// - min and max are fmin and fmax as CUDA has them: a NaN loses against a number, -0 is below +0.
/// - An integer quotient truncates towards zero, the remainder has the sign of the dividend, and
///   the least integer divided by -1 is itself.
/// - An integer is shifted by the low bits of the other one, as many as count its own: an i32 by
///   those modulo 32. `>>` keeps the sign.
/// - `&&` and `||` see both operands here; who evaluates an expression stops after the first.
/// Throws ArithmeticError: an integer divided by zero; an index that overflows, or is divided while
/// negative, or by a negative one.
Scalar apply(BinaryOp op, const Scalar& lhs, const Scalar& rhs);

/// A comparison of integers.
bool holds(BinaryOp comparison, int64_t lhs, int64_t rhs);

/// As many arguments as the arity, of one type. Computed in double, then rounded to the type; fma
/// is rounded only once. abs of the least integer is itself.
Scalar apply(Intrinsic intrinsic, llvm::ArrayRef<Scalar> arguments);

/// Cast. Between integers it wraps around; to a float it rounds once; from a float it truncates
/// towards zero and saturates at the limits of the type, with 0 for a NaN; to a bool it compares
/// with 0.
Scalar convert(DType type, const Scalar& value);

/// The element at `bytes` as it lies in memory: little-endian, narrow floats as in
/// ir/scalar/narrow_float.h, a bool as one byte.
Scalar read_element(DType type, const std::byte* bytes);
void write_element(std::byte* bytes, const Scalar& value);

/// The digits of a value, without its type: "-3", "0.5", "true", "(0.5, 3)".
std::string to_string(const Scalar& value);

/// The value of a constant; nothing of any other expression.
std::optional<Scalar> as_scalar(const Expr& expr);
/// The constant of that value.
Expr constant_of(const Scalar& value);

}  // namespace hone
