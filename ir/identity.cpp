#include "ir/identity.h"

#include <limits>

namespace hone {
namespace {

int64_t lowest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::min();
    case DType::i32:
      return std::numeric_limits<int32_t>::min();
    case DType::i8:
      return std::numeric_limits<int8_t>::min();
    default:
      return 0;
  }
}

int64_t highest_integer(DType type) {
  switch (type) {
    case DType::i64:
      return std::numeric_limits<int64_t>::max();
    case DType::i32:
      return std::numeric_limits<int32_t>::max();
    case DType::i8:
      return std::numeric_limits<int8_t>::max();
    default:
      return std::numeric_limits<uint8_t>::max();
  }
}

}  // namespace

Expr identity_of(Update update, DType type) {
  const bool real = is_float(type);
  const auto number = [&](int64_t value) {
    return real ? FloatConst::make(static_cast<double>(value), type) : IntConst::make(value, type);
  };
  const auto infinite = [&](int sign) {
    return real ? FloatConst::make(sign * std::numeric_limits<double>::infinity(), type)
                : IntConst::make(sign < 0 ? lowest_integer(type) : highest_integer(type), type);
  };
  switch (update) {
    case Update::add:
      return number(0);
    case Update::mul:
      return number(1);
    case Update::min:
      return infinite(1);
    case Update::max:
      return infinite(-1);
    case Update::logical_and:
      return IntConst::make(1, type);
    case Update::logical_or:
      return IntConst::make(0, type);
    case Update::set:
      break;
  }
  return {};
}

}  // namespace hone
