// The operators that have a value for any operands, and select. The meaning is that of
// ir/scalar/scalar.h, in the types of the lanes: float has enough bits that an operation on f16 or
// bf16, rounded to float and then to the type, is as if rounded once.
#include "runtime/sim/operation.h"

namespace hone {
namespace {

/// Integers wrap around, which only unsigned arithmetic does.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else
    return value;
}

template <DType type>
struct Add {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    return narrow<type>(wrapping(lhs) + wrapping(rhs));
  }
};

template <DType type>
struct Subtract {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    return narrow<type>(wrapping(lhs) - wrapping(rhs));
  }
};

template <DType type, BinaryOp op>
struct Bits {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    if constexpr (op == BinaryOp::bit_and) return static_cast<Lane<type>>(lhs & rhs);
    if constexpr (op == BinaryOp::bit_or) return static_cast<Lane<type>>(lhs | rhs);
    if constexpr (op == BinaryOp::bit_xor) return static_cast<Lane<type>>(lhs ^ rhs);
    constexpr int last = 8 * sizeof(Stored<type>) - 1;
    if constexpr (op == BinaryOp::shl) return narrow<type>(wrapping(lhs) << (rhs & last));
    if constexpr (op == BinaryOp::shr) return static_cast<Lane<type>>(lhs >> (rhs & last));
  }
};

template <DType type>
struct Complement {
  Lane<type> operator()(Lane<type> operand) const { return narrow<type>(~operand); }
};

template <DType type>
struct Multiply {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    return narrow<type>(wrapping(lhs) * wrapping(rhs));
  }
};

template <DType type>
struct DivideFloats {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    if constexpr (is_ring(type)) return narrow<type>(ring_quotient(lhs, rhs));
    return narrow<type>(lhs / rhs);
  }
};

template <DType type>
struct Negate {
  Lane<type> operator()(Lane<type> operand) const {
    if constexpr (is_float_lane<type> && !is_ring(type)) return -operand;
    return narrow<type>(0 - wrapping(operand));
  }
};

struct Not {
  uint8_t operator()(uint8_t operand) const { return operand ^ 1; }
};

/// Of a zero and a zero, the one below: -0 where there is one.
template <class Float>
Float lower_zero(Float lhs, Float rhs) {
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  return std::bit_cast<Float>(std::bit_cast<Bits>(lhs) | std::bit_cast<Bits>(rhs));
}

/// fmin: a NaN loses against a number.
template <class Float>
Float lower_number(Float lhs, Float rhs) {
  const Float lower = rhs < lhs ? rhs : lhs;
  const Float ordered = lhs == rhs ? lower_zero(lhs, rhs) : lower;
  return lhs != lhs ? rhs : ordered;
}

template <DType type>
struct Min {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    if constexpr (is_float_lane<type>) return lower_number(lhs, rhs);
    return rhs < lhs ? rhs : lhs;
  }
};

template <DType type>
struct Max {
  Lane<type> operator()(Lane<type> lhs, Lane<type> rhs) const {
    if constexpr (is_float_lane<type>) return -lower_number(-lhs, -rhs);
    return lhs < rhs ? rhs : lhs;
  }
};

template <DType type, BinaryOp op>
struct Compare {
  uint8_t operator()(Lane<type> lhs, Lane<type> rhs) const {
    if constexpr (op == BinaryOp::eq) return lhs == rhs;
    if constexpr (op == BinaryOp::ne) return lhs != rhs;
    if constexpr (op == BinaryOp::lt) return lhs < rhs;
    if constexpr (op == BinaryOp::le) return lhs <= rhs;
    if constexpr (op == BinaryOp::gt) return lhs > rhs;
    if constexpr (op == BinaryOp::ge) return lhs >= rhs;
  }
};

struct And {
  uint8_t operator()(uint8_t lhs, uint8_t rhs) const { return lhs & rhs; }
};

struct Or {
  uint8_t operator()(uint8_t lhs, uint8_t rhs) const { return lhs | rhs; }
};

template <DType type>
struct Choose {
  Lane<type> operator()(uint8_t condition, Lane<type> if_true, Lane<type> if_false) const {
    return condition ? if_true : if_false;
  }
};

template <DType type, template <DType> class Function>
Operation binary() {
  return elementwise<Function<type>, Lane<type>, Lane<type>>();
}

template <DType type, BinaryOp op>
Operation comparison() {
  return elementwise<Compare<type, op>, Lane<type>, Lane<type>>();
}

template <DType type>
Operation float_division() {
  if constexpr (is_float_lane<type>) return binary<type, DivideFloats>();
  llvm_unreachable("a division of integers may fail");
}

template <DType type, BinaryOp op>
Operation bits() {
  if constexpr (!is_float_lane<type>) return elementwise<Bits<type, op>, Lane<type>, Lane<type>>();
  llvm_unreachable("a bit operation on floats");
}

template <DType type>
Operation binary_operation_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return binary<type, Add>();
    case BinaryOp::sub:
      return binary<type, Subtract>();
    case BinaryOp::mul:
      return binary<type, Multiply>();
    case BinaryOp::div:
      return float_division<type>();
    case BinaryOp::mod:
      llvm_unreachable("a remainder may fail");
    case BinaryOp::min:
      return binary<type, Min>();
    case BinaryOp::max:
      return binary<type, Max>();
    case BinaryOp::bit_and:
      return bits<type, BinaryOp::bit_and>();
    case BinaryOp::bit_or:
      return bits<type, BinaryOp::bit_or>();
    case BinaryOp::bit_xor:
      return bits<type, BinaryOp::bit_xor>();
    case BinaryOp::shl:
      return bits<type, BinaryOp::shl>();
    case BinaryOp::shr:
      return bits<type, BinaryOp::shr>();
    case BinaryOp::eq:
      return comparison<type, BinaryOp::eq>();
    case BinaryOp::ne:
      return comparison<type, BinaryOp::ne>();
    case BinaryOp::lt:
      return comparison<type, BinaryOp::lt>();
    case BinaryOp::le:
      return comparison<type, BinaryOp::le>();
    case BinaryOp::gt:
      return comparison<type, BinaryOp::gt>();
    case BinaryOp::ge:
      return comparison<type, BinaryOp::ge>();
    case BinaryOp::logical_and:
      return elementwise<And, uint8_t, uint8_t>();
    case BinaryOp::logical_or:
      return elementwise<Or, uint8_t, uint8_t>();
  }
  llvm_unreachable("unknown operator");
}

}  // namespace

Operation unary_operation(UnaryOp op, DType type) {
  if (op == UnaryOp::logical_not) return elementwise<Not, uint8_t>();
  return with_number_type(type, [op]<DType t>() {
    if constexpr (!is_float_lane<t>)
      if (op == UnaryOp::bit_not) return elementwise<Complement<t>, Lane<t>>();
    return elementwise<Negate<t>, Lane<t>>();
  });
}

Operation binary_operation(BinaryOp op, DType type) {
  return with_number_type(type, [op]<DType t>() { return binary_operation_of<t>(op); });
}

Operation select_operation(DType type) {
  return with_type(type,
                   []<DType t>() { return elementwise<Choose<t>, uint8_t, Lane<t>, Lane<t>>(); });
}

}  // namespace hone
