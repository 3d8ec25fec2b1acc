// The arithmetic of the reference.
#pragma once

#include <vector>

#include "ir/core/expr.h"

namespace hone::reference {

__extension__ typedef __int128 Integer;  // NOLINT

/// A number, a bool, an index, or a tuple. Integers, bools and indices are in `integer`, floats in
/// `real`.
struct Value {
  DType type = DType::index;
  Integer integer = 0;
  double real = 0;
  std::vector<Value> components = {};
};

/// As the type holds it: wrapped around, or rounded to nearest even.
Value integer_value(DType type, Integer value);
Value real_value(DType type, double value);

Value negated(const Value& operand);
Value binary(BinaryOp op, const Value& lhs, const Value& rhs);
Value converted(DType type, const Value& value);
Value call(Intrinsic intrinsic, llvm::ArrayRef<Value> arguments);
Value tuple(DType type, std::vector<Value> components);

/// The element at `bytes`, as it lies in memory.
Value load(DType type, const std::byte* bytes);
void store(std::byte* bytes, const Value& value);

}  // namespace hone::reference
