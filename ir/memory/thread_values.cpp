#include "ir/memory/thread_values.h"

#include <algorithm>
#include <optional>

#include "ir/scalar/scalar.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Of operators whose results always fit.
std::optional<int64_t> result_that_fits(BinaryOp op, int64_t lhs, int64_t rhs) {
  if (is_comparison(op)) return holds(op, lhs, rhs);
  switch (op) {
    case BinaryOp::min:
      return std::min(lhs, rhs);
    case BinaryOp::max:
      return std::max(lhs, rhs);
    case BinaryOp::bit_and:
      return lhs & rhs;
    case BinaryOp::bit_or:
      return lhs | rhs;
    case BinaryOp::bit_xor:
      return lhs ^ rhs;
    case BinaryOp::logical_and:
      return lhs != 0 && rhs != 0;
    case BinaryOp::logical_or:
      return lhs != 0 || rhs != 0;
    default:
      return std::nullopt;
  }
}

/// Nothing where there is no such number.
std::optional<int64_t> computed(BinaryOp op, int64_t lhs, int64_t rhs) {
  const bool divides = op == BinaryOp::div || op == BinaryOp::mod;
  const bool shifts = op == BinaryOp::shl || op == BinaryOp::shr;
  if ((divides && rhs <= 0) || (shifts && (rhs < 0 || rhs > 62))) return std::nullopt;
  int64_t result = 0;
  switch (op) {
    case BinaryOp::add:
      return __builtin_add_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::sub:
      return __builtin_sub_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::mul:
      return __builtin_mul_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::shl:
      return computed(BinaryOp::mul, lhs, int64_t{1} << rhs);
    case BinaryOp::div:
      return lhs / rhs;
    case BinaryOp::mod:
      return lhs % rhs;
    case BinaryOp::shr:
      return lhs >> rhs;
    default:
      return result_that_fits(op, lhs, rhs);
  }
}

ThreadValues combined(BinaryOp op, const ThreadValues& lhs, const ThreadValues& rhs,
                      size_t threads) {
  if (!lhs.is_known() || !rhs.is_known()) return {};
  const size_t count = lhs.is_uniform() && rhs.is_uniform() ? 1 : threads;
  std::vector<int64_t> result(count);
  for (size_t thread = 0; thread < count; ++thread) {
    const auto number = computed(op, lhs.of(thread), rhs.of(thread));
    if (!number) return {};
    result[thread] = *number;
  }
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
      [](const Shuffle&) { return ThreadValues(); },
      [&](const Named& named) { return value(named.value); });
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
