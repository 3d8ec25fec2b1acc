#include "ir/analysis/thread_values.h"

#include "ir/visit.h"

namespace hone {
namespace {

/// False where there is no such number.
bool compute(BinaryOp op, int64_t lhs, int64_t rhs, int64_t& result) {
  switch (op) {
    case BinaryOp::add:
      return !__builtin_add_overflow(lhs, rhs, &result);
    case BinaryOp::sub:
      return !__builtin_sub_overflow(lhs, rhs, &result);
    case BinaryOp::mul:
      return !__builtin_mul_overflow(lhs, rhs, &result);
    case BinaryOp::div:
      return rhs > 0 && (result = lhs / rhs, true);
    case BinaryOp::mod:
      return rhs > 0 && (result = lhs % rhs, true);
    case BinaryOp::shl:
      return rhs >= 0 && rhs < 63 && !__builtin_mul_overflow(lhs, int64_t{1} << rhs, &result);
    case BinaryOp::shr:
      return rhs >= 0 && rhs < 63 && (result = lhs >> rhs, true);
    default:
      break;
  }
  const auto is = [&](int64_t value) {
    result = value;
    return true;
  };
  switch (op) {
    case BinaryOp::min:
      return is(std::min(lhs, rhs));
    case BinaryOp::max:
      return is(std::max(lhs, rhs));
    case BinaryOp::bit_and:
      return is(lhs & rhs);
    case BinaryOp::bit_or:
      return is(lhs | rhs);
    case BinaryOp::bit_xor:
      return is(lhs ^ rhs);
    case BinaryOp::eq:
      return is(lhs == rhs);
    case BinaryOp::ne:
      return is(lhs != rhs);
    case BinaryOp::lt:
      return is(lhs < rhs);
    case BinaryOp::le:
      return is(lhs <= rhs);
    case BinaryOp::gt:
      return is(lhs > rhs);
    case BinaryOp::ge:
      return is(lhs >= rhs);
    case BinaryOp::logical_and:
      return is(lhs != 0 && rhs != 0);
    case BinaryOp::logical_or:
      return is(lhs != 0 || rhs != 0);
    default:
      return false;
  }
}

ThreadValues combined(BinaryOp op, const ThreadValues& lhs, const ThreadValues& rhs,
                      size_t threads) {
  if (!lhs.is_known() || !rhs.is_known()) return {};
  const size_t count = lhs.is_uniform() && rhs.is_uniform() ? 1 : threads;
  std::vector<int64_t> result(count);
  for (size_t thread = 0; thread < count; ++thread)
    if (!compute(op, lhs.of(thread), rhs.of(thread), result[thread])) return {};
  return result;
}

/// True where it is as true as `value` for every thread.
bool is_always(const ThreadValues& values, int64_t value) {
  return values.is_known() && values.is_uniform() && (values.of(0) != 0) == (value != 0);
}

ThreadValues chosen(const ThreadValues& condition, const ThreadValues& yes, const ThreadValues& no,
                    size_t threads) {
  if (!condition.is_known()) return {};
  if (condition.is_uniform()) return condition.of(0) != 0 ? yes : no;
  if (!yes.is_known() || !no.is_known()) return {};
  std::vector<int64_t> result(threads);
  for (size_t thread = 0; thread < threads; ++thread)
    result[thread] = condition.of(thread) != 0 ? yes.of(thread) : no.of(thread);
  return result;
}

}  // namespace

ThreadArithmetic::ThreadArithmetic(const BlockOfThreads& block) : block_(block) {
  int64_t stride = 1;
  for (uint8_t dim = 0; dim < 3; ++dim) {
    std::vector<int64_t> values(block.threads());
    for (size_t thread = 0; thread < values.size(); ++thread)
      values[thread] = static_cast<int64_t>(thread) / stride % block.extents[dim];
    threads_[dim] = std::move(values);
    stride *= block.extents[dim];
  }
}

ThreadValues ThreadArithmetic::value(const Expr& expr) const {
  if (is_float(expr.type()) || is_tuple(expr.type())) return {};
  return visit(
      expr, [](const IntConst& constant) { return ThreadValues(constant.value); },
      [](const FloatConst&) { return ThreadValues(); },
      [&](const AxisRef& reference) { return axes_.lookup(reference.axis.get()); },
      [&](const ParamRef& reference) {
        const auto size = block_.sizes.find(reference.param->name);
        return size == block_.sizes.end() ? ThreadValues() : ThreadValues(size->second);
      },
      [&](const ThreadIndex& index) {
        return index.space == IndexSpace::thread ? threads_[index.dim]
                                                 : ThreadValues(block_.place[index.dim]);
      },
      [](const Load&) { return ThreadValues(); },
      [&](const Unary& unary) {
        const ThreadValues operand = value(unary.operand);
        switch (unary.op) {
          case UnaryOp::negate:
            return combined(BinaryOp::sub, 0, operand, block_.threads());
          case UnaryOp::logical_not:
            return combined(BinaryOp::eq, operand, 0, block_.threads());
          case UnaryOp::bit_not:
            return combined(BinaryOp::sub, -1, operand, block_.threads());
        }
        llvm_unreachable("unknown operator");
      },
      [&](const Binary& binary) { return value(binary); },
      [&](const Select& select) {
        return chosen(value(select.condition), value(select.if_true), value(select.if_false),
                      block_.threads());
      },
      [&](const Cast& cast) { return value(cast.operand); },
      [](const Call&) { return ThreadValues(); }, [](const MakeTuple&) { return ThreadValues(); },
      [](const Component&) { return ThreadValues(); },
      [](const Shuffle&) { return ThreadValues(); });
}

ThreadValues ThreadArithmetic::value(const Binary& binary) const {
  if (is_logical(binary.op)) return logical_value(binary);
  return combined(binary.op, value(binary.lhs), value(binary.rhs), block_.threads());
}

/// The second operand may have no value where the first one decides.
ThreadValues ThreadArithmetic::logical_value(const Binary& binary) const {
  const ThreadValues lhs = value(binary.lhs), rhs = value(binary.rhs);
  const int64_t decides = binary.op == BinaryOp::logical_or;
  if (is_always(lhs, decides) || is_always(rhs, decides)) return decides;
  return combined(binary.op, lhs, rhs, block_.threads());
}

}  // namespace hone
