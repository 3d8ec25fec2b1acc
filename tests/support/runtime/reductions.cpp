#include "tests/support/runtime/reductions.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/interpret/interpreter.h"
#include "ir/scalar/scalar.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace {

/// Sums of the values and of their squares.
Reduction moments(const ReduceAxis& axis, const Expr& value) {
  return reduce({axis}, pair(0.0, 0.0), pair(value, value * value),
                [](Expr x, Expr y) { return pair(first(x) + first(y), second(x) + second(y)); },
                {.name = "add_both", .associative = true});
}

/// Zeros of a type.
Expr zeros(DType type) { return constant_of(Scalar::zero(type)); }

/// Of two values: sums of the first components and of the second ones, and so on.
Expr summary_of_both(const Expr& x, const Expr& y) {
  llvm::SmallVector<Expr, 4> parts = {first(x) + first(y), second(x) + second(y),
                                      max(abs(third(x)), abs(third(y)))};
  if (component_count(x.type()) == 4) parts.push_back(fourth(x) || fourth(y));
  return MakeTuple::make(parts);
}

/// The sum, how many values there are, the largest magnitude, and whether one is above 0.
Reduction summary(DType type, const ReduceAxis& axis, const Expr& value) {
  llvm::SmallVector<Expr, 4> parts = {cast(component_type(type, 0), value),
                                      cast(component_type(type, 1), 1),
                                      cast(component_type(type, 2), value)};
  if (component_count(type) == 4) parts.push_back(value > 0);
  return reduce({axis}, zeros(type), MakeTuple::make(parts), summary_of_both,
                {.name = "summary", .associative = true});
}

Reduction reduction_of(const TypedUpdate& operation, const ReduceAxis& axis, const Expr& value) {
  if (operation.type == f32_f32) return moments(axis, value);
  if (is_tuple(operation.type))
    return component_count(operation.type) == 2
               ? argmax(axis, value, component_type(operation.type, 1))
               : summary(operation.type, axis, value);
  switch (operation.update) {
    case Update::add:
      return sum(axis, value);
    case Update::mul:
      return product(axis, value);
    case Update::min:
      return min(axis, value);
    case Update::max:
      return max(axis, value);
    case Update::logical_or:
      return any(axis, value);
    case Update::logical_and:
      return all(axis, value);
    default:
      llvm_unreachable("no built-in reduction");
  }
}

const char* name_of(Update update) {
  switch (update) {
    case Update::add:
      return "sum";
    case Update::mul:
      return "product";
    case Update::min:
      return "min";
    case Update::max:
      return "max";
    case Update::logical_or:
      return "any";
    case Update::logical_and:
      return "all";
    case Update::custom:
      return "an operator";
    default:
      llvm_unreachable("no built-in reduction");
  }
}

struct VectorProgram {
  explicit VectorProgram(const TypedUpdate& operation)
      : A("A", input_type(operation), {N}), S("S", operation.type, {}) {}

  Param N{"N"};
  Tensor A, S;
  ReduceAxis k{"k", N};
};

Program program_of(const VectorProgram& p, const TypedUpdate& operation) {
  return Program("reduce", p.S() = reduction_of(operation, p.k, p.A(p.k)));
}

/// Few factors of two among ones: products are exact in all types.
double factor(std::mt19937& random, int64_t n) {
  const double sign = random() % 2 == 0 ? 1 : -1;
  return n % 97 == 5 ? 2 * sign : sign;
}

/// Whose sums are to stay exact too.
constexpr DType f16_summary = tuple_of({f16, i8, bf16, boolean});

double exact_value(const TypedUpdate& operation, std::mt19937& random, int64_t n, int64_t odd_one) {
  const auto in_range = [&](int most) {
    return static_cast<int>(random() % (2 * most + 1)) - most;
  };
  switch (operation.update) {
    case Update::mul:
      return factor(random, n);
    case Update::logical_or:
      return n == odd_one;
    case Update::logical_and:
      return n != odd_one;
    case Update::add:
      return in_range(operation.type == bf16 ? 1 : operation.type == f16 ? 3 : 7);
    default:
      return in_range(operation.type == f16_summary ? 3 : 99);
  }
}

}  // namespace

DType input_type(const TypedUpdate& operation) {
  return is_tuple(operation.type) ? component_type(operation.type, 0) : operation.type;
}

std::string to_string(const TypedUpdate& operation) {
  return fmt::format("{} of {}", name_of(operation.update), name(operation.type).str());
}

std::vector<TypedUpdate> all_operations() {
  std::vector<TypedUpdate> operations;
  for (const DType type : {f32, f64, f16, bf16, i32, i64})
    for (const Update update : {Update::add, Update::mul, Update::min, Update::max})
      operations.push_back({update, type});
  operations.push_back({Update::logical_or, boolean});
  operations.push_back({Update::logical_and, boolean});
  for (const DType type :
       {f32_i32, f32_f32, tuple_of({i32, i32}), tuple_of({i64, i32}), tuple_of({f64, i32}),
        tuple_of({f32, i64}), tuple_of({f32, f32, i32}), tuple_of({f32, i32, f32, boolean}),
        tuple_of({i8, u8, i8}), f16_summary, tuple_of({i64, i32, f64, boolean})})
    operations.push_back({Update::custom, type});
  return operations;
}

bool is_exchanged_at_once(DType type) {
  const int64_t bytes = size_of(type);
  return type == boolean || (2 <= bytes && bytes <= 8);
}

std::vector<CombineLevels> all_thread_combines(int64_t threads, DType type) {
  std::vector<CombineLevels> combines;
  for (const auto method :
       {Combine::interleaved_modulo, Combine::interleaved_strided, Combine::sequential})
    for (const bool unrolled : {false, true}) combines.emplace_back(Combine{method, unrolled});
  for (const bool unrolled : {false, true})
    combines.emplace_back(Combine{Combine::sequential, unrolled, /*last_warp=*/true});
  if (threads <= 32) combines.emplace_back(Combine::shuffle);
  combines.emplace_back(Combine::two_level);
  const CombineLevel lanes = {CombineUnit::lanes, CombineMeans::shuffle},
                     atomic = {CombineUnit::grid, CombineMeans::atomic};
  for (const CombineMeans order : {CombineMeans::interleaved_modulo,
                                   CombineMeans::interleaved_strided, CombineMeans::sequential})
    for (const bool unrolled : {false, true})
      combines.push_back({lanes, {CombineUnit::warps, order, unrolled}});
  if (!is_exchanged_at_once(type)) return combines;
  combines.emplace_back(Combine::atomic);
  combines.push_back({lanes, atomic});
  combines.push_back({lanes, {CombineUnit::warps, CombineMeans::shuffle}, atomic});
  combines.push_back({{CombineUnit::block, CombineMeans::sequential}, atomic});
  return combines;
}

Program VectorReduction::program() const { return program_of(VectorProgram(operation), operation); }

Schedule VectorReduction::schedule() const {
  const VectorProgram p(operation);
  Schedule s(program_of(p, operation));
  Axis rest = p.k;
  if (across) {
    auto [part, own] = s.split_into(p.k, blocks);
    s.bind(part, block.x, across);
    rest = own;
  }
  auto [turn, lane] = s.split(rest, threads);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, within);
  return s;
}

std::string VectorReduction::describe() const {
  std::string text =
      fmt::format("{}, {} threads combine({})", to_string(operation), threads, to_string(within));
  if (across) text += fmt::format(", {} blocks combine({})", blocks, to_string(across));
  return text;
}

Buffers exact_inputs(const TypedUpdate& operation, int64_t size, std::mt19937& random) {
  Buffer a(input_type(operation), {size}), s(operation.type, {});
  const int64_t odd_one = static_cast<int64_t>(random() % (size + 1));
  for (int64_t n = 0; n < size; ++n) a.set(n, exact_value(operation, random, n, odd_one));
  s.set(0, 1);
  return {{"A", std::move(a)}, {"S", std::move(s)}};
}

std::vector<Device> parallel_devices() {
  std::vector<Device> all = {Device::simulated()};
  if (Device::best() != Device::simulated()) all.push_back(Device::best());
  return all;
}

Buffers run_kernel(const Kernel& kernel, const Sizes& sizes, const Buffers& inputs) {
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : kernel.module().arguments) {
    arrays.push_back(array_for(*tensor, sizes, kernel.device()));
    const Buffer& buffer = inputs.find(tensor->name)->second;
    if (!buffer.bytes.empty()) arrays.back().copy_from_host(buffer.bytes.data());
  }
  kernel.run(arrays, sizes);
  Buffers results;
  for (size_t n = 0; n < arrays.size(); ++n)
    results.emplace(kernel.module().arguments[n]->name, to_buffer(arrays[n].to(Device::host())));
  return results;
}

namespace {

void expect_results(const Kernel& kernel, const Sizes& sizes, const Buffers& inputs,
                    const Buffers& expected, const std::string& about) {
  const Buffers results = run_kernel(kernel, sizes, inputs);
  for (const auto& [name, buffer] : expected)
    EXPECT_EQ(values_of(results.find(name)->second), values_of(buffer))
        << name << " on " << to_string(kernel.device()) << " at " << fmt::format("{}", sizes)
        << "\n"
        << about;
}

}  // namespace

void expect_as_meant(const Program& program, const Schedule& schedule, const Sizes& sizes,
                     const Buffers& inputs) {
  Buffers expected = inputs;
  interpret(program.function(), sizes, expected);
  for (const Device& device : parallel_devices())
    expect_results(compile(schedule, {.device = device}), sizes, inputs, expected,
                   to_string(schedule.function()));
}

void expect_as_meant(const VectorReduction& reduction, llvm::ArrayRef<int64_t> lengths) {
  const Schedule schedule = reduction.schedule();
  const Program program = reduction.program();
  std::mt19937 random(41);
  for (const Device& device : parallel_devices()) {
    const Kernel kernel = compile(schedule, {.device = device});
    for (const int64_t length : lengths) {
      const Buffers inputs = exact_inputs(reduction.operation, length, random);
      Buffers expected = inputs;
      interpret(program.function(), {{"N", length}}, expected);
      expect_results(kernel, {{"N", length}}, inputs, expected, reduction.describe());
    }
  }
}

}  // namespace hone
