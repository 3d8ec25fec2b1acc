#include "tests/support/runtime/named_program.h"

#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "runtime/compile.h"

namespace hone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The parts of a program of any kind.
struct Parts {
  Param n;
  Tensor A;
  Axis i;
  ReduceAxis k;
  const ProgramNames& names;

  explicit Parts(const ProgramNames& names)
      : n(names.rows),
        A(names.input, f32, {n, 8}),
        i(names.row, n),
        k(names.column, 8),
        names(names) {}

  Tensor output(DType type) const { return {names.output, type, {n}}; }
  OperatorOptions own() const { return {.name = names.combine, .associative = true}; }
  /// The axis in the schedule, where it has another name if that is a tensor's.
  Axis in(const Schedule& s, const Axis& axis) const { return s.axis(output(f32), axis); }
  Schedule schedule(const Definition& definition) const {
    Schedule s(Program(names.program, definition));
    s.bind(in(s, i), block.x);
    return s;
  }
};

Expr all_functions(const Expr& x) {
  const Expr y = exp(x) + log(x) + sqrt(x) + rsqrt(x) + tanh(x) + erf(x) + pow(x, x) +
                 floor(sin(x)) + round(x) * ceil(cos(x));
  return select(x < infinity, max(min(fma(x, x, y), abs(x)), -infinity), x);
}

Schedule functions_of(DType type, const Parts& p) {
  const Expr x = all_functions(cast(type, p.A(p.i, 0)));
  const Expr whole = abs(cast(i64, x)) + cast(i64, max(abs(cast(i32, x)), cast(i32, p.i % 3)));
  return p.schedule(p.output(type)(p.i) = x + cast(type, whole));
}

Schedule reduction(const Parts& p, DType type, const Reduction& value, Combine::Method method) {
  Schedule s = p.schedule(p.output(type)(p.i) = value);
  s.bind(p.in(s, p.k), thread.x, Combine{method});
  return s;
}

/// Of a value and a weight.
Reduction own_sum_of_pairs(const Parts& p) {
  const auto add = [](const Expr& x, const Expr& y) {
    return pair(first(x) + first(y), second(x) + second(y));
  };
  return reduce({p.k}, pair(0.0, 0.0), pair(p.A(p.i, p.k), 1.0), add, p.own());
}

Reduction largest_magnitude(const Parts& p) {
  const auto larger = [](const Expr& x, const Expr& y) { return max(abs(x), abs(y)); };
  return reduce({p.k}, 0.0, p.A(p.i, p.k), larger, p.own());
}

Schedule through_shared_memory(const Parts& p) {
  Schedule s(Program(p.names.program, p.output(f32)(p.i) = sum(p.k, p.A(p.i, p.k))));
  const auto [o, t] = s.split(p.in(s, p.i), 4);
  s.bind(o, block.x);
  s.bind(t, thread.x);
  s.cache_shared(p.A, o);
  s.cache_registers(s.tensor(p.names.output), t);
  return s;
}

/// The parts of a row belong to blocks, the last of which ends it.
Schedule by_the_last_block(const Parts& p) {
  Schedule s(Program(p.names.program, p.output(f32)(p.i) = sum(p.k, p.A(p.i, p.k))));
  const auto [o, t] = s.split(p.in(s, p.k), 4);
  const Axis i = p.in(s, p.i);
  s.reorder({o, i});
  s.bind(o, block.x, Combine{Combine::last_block});
  s.bind(i, block.y);
  s.bind(t, thread.x, Combine{Combine::sequential});
  return s;
}

constexpr int64_t row_count = 3;
const std::vector<float> rows = {1, 5, 2, 5, 3, 1, 2, 4, 2, 1, 1, 3,
                                 1, 1, 2, 2, 3, 1, 4, 1, 5, 9, 2, 6};

AnyArray output_for(const Schedule& schedule) {
  const DType type = schedule.function().arguments.back()->type;
  return AnyArray(type, {row_count}, Device::host(), Fill::zeros);
}

std::vector<std::byte> bytes_of(const AnyArray& array) {
  const auto* bytes = static_cast<const std::byte*>(array.data());
  return {bytes, bytes + array.bytes()};
}

}  // namespace

Schedule named_schedule(int kind, const ProgramNames& names) {
  const Parts p(names);
  switch (kind) {
    case 0:
      return functions_of(f32, p);
    case 1:
      return functions_of(f64, p);
    case 2:
      return reduction(p, f32_i32, argmax(p.k, p.A(p.i, p.k)), Combine::shuffle);
    case 3:
      return reduction(p, f32, product(p.k, p.A(p.i, p.k)), Combine::atomic);
    case 4:
      return reduction(p, f32_f32, own_sum_of_pairs(p), Combine::atomic);
    case 5:
      return reduction(p, f32, largest_magnitude(p), Combine::interleaved_strided);
    case 6:
      return through_shared_memory(p);
    case 7:
      return by_the_last_block(p);
    default:
      return p.schedule(p.output(f32)(p.i) = p.A(p.i, 0) * 2.0);
  }
}

std::vector<std::byte> output_on_sim(const Schedule& schedule) {
  const Array<float> input(rows, {row_count, 8});
  const AnyArray output = output_for(schedule);
  compile(schedule, {.device = Device::simulated()})(input, output);
  return bytes_of(output);
}

std::vector<std::byte> output_of(RowFunction* function, const Schedule& schedule) {
  const AnyArray output = output_for(schedule);
  function(rows.data(), output.data(), row_count);
  return bytes_of(output);
}

std::string cuda_text(const Schedule& schedule) {
  std::string text;
  for (const KernelFunction& kernel : lower(schedule.function()).kernels) text += emit_cuda(kernel);
  return text;
}

std::string c_text(const Schedule& schedule) {
  return emit_c(lower_host(schedule.function()).kernels.front());
}

}  // namespace hone
