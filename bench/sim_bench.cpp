// The speed of kernels without a GPU: matmul with the sum in a register, and with shared tiles, on
// the simulated device, bounds checked; the latter also in count mode and in check mode; and the
// plain program in the interpreter.

#include <benchmark/benchmark.h>

#include "codegen/lower.h"
#include "examples/ladders/ladders.h"
#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"

namespace hone {
namespace {

Sizes cube(int64_t length) { return {{"M", length}, {"N", length}, {"K", length}}; }

Schedule build(const std::string& rung_name, const Sizes& sizes) {
  const Ladder ladder = matmul_ladder();
  const auto rung =
      llvm::find_if(ladder.rungs, [&](const Rung& rung) { return rung.name == rung_name; });
  assert(rung != ladder.rungs.end() && "matmul has this rung");
  return rung->build({}, sizes);
}

/// Small integers, whose sums are exact: element n is n % period.
float element(int64_t n, int64_t period) { return static_cast<float>(n % period); }

/// C[row, column] of the product of two matrices of such elements, with periods 7 and 5.
float product(int64_t length, int64_t row, int64_t column) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k)
    sum += element(row * length + k, 7) * element(k * length + column, 5);
  return sum;
}

Array<float> matrix(int64_t length, int64_t period) {
  std::vector<float> values;
  for (int64_t n = 0; n < length * length; ++n) values.push_back(element(n, period));
  return Array<float>(values, {length, length});
}

void time_simulator(benchmark::State& state, const char* rung) {
  const int64_t length = state.range(0);
  const Kernel kernel =
      compile(build(rung, cube(length)),
              {.device = Device::simulated(), .sim_threads = static_cast<int>(state.range(1))});
  const Array<float> a = matrix(length, 7), b = matrix(length, 5);
  const Array<float> c({length, length});
  for (auto _ : state) kernel(a, b, c);
  if (c.host_data()[3 * length + 200] != product(length, 3, 200))
    state.SkipWithError("the result is wrong");
}

/// matmul/shared-32, to be watched.
struct Watched {
  explicit Watched(int64_t length)
      : sizes(cube(length)),
        kernel(lower(build("shared-32", sizes)).kernels.front()),
        a(matrix(length, 7)),
        b(matrix(length, 5)),
        c({length, length}) {}

  std::array<SimArgument, 3> arguments() const {
    return {SimArgument{"A", a.data(), a.size()},
            {"B", b.data(), b.size()},
            {"C", c.data(), c.size(), /*uninitialised=*/true}};
  }

  Sizes sizes;
  KernelFunction kernel;
  Array<float> a, b, c;
};

void time_counting(benchmark::State& state) {
  const int64_t length = state.range(0);
  const Watched watched(length);
  int64_t flops = 0;
  for (auto _ : state)
    flops = count(watched.kernel, watched.sizes, watched.arguments(),
                  {.threads = static_cast<int>(state.range(1))})
                .flops;
  if (flops != 2 * length * length * length) state.SkipWithError("the count is wrong");
}

void time_checking(benchmark::State& state) {
  const Watched watched(state.range(0));
  CheckOptions options;
  options.threads = static_cast<int>(state.range(1));
  for (auto _ : state)
    if (!check(watched.kernel, watched.sizes, watched.arguments(), options).findings.empty())
      state.SkipWithError("there is nothing to find");
}

Buffer buffer(int64_t length, int64_t period) {
  Buffer buffer(f32, {length, length});
  for (int64_t n = 0; n < buffer.size(); ++n) buffer.set(n, element(n, period));
  return buffer;
}

void time_interpreter(benchmark::State& state) {
  constexpr int64_t length = 64;
  const Schedule plain = build("host-restrict", cube(length));
  Buffers buffers = {
      {"A", buffer(length, 7)}, {"B", buffer(length, 5)}, {"C", Buffer(f32, {length, length})}};
  for (auto _ : state) interpret(plain.function(), cube(length), buffers);
  if (buffers["C"].get(3 * length + 50) != product(length, 3, 50))
    state.SkipWithError("the result is wrong");
}

void lengths_and_threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"length", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int64_t length : {256, 512})
    for (const int64_t threads : {1, 2}) benchmark->Args({length, threads});
}
BENCHMARK_CAPTURE(time_simulator, register, "register-accumulate")->Apply(lengths_and_threads);
BENCHMARK_CAPTURE(time_simulator, shared, "shared-32")->Apply(lengths_and_threads);
BENCHMARK(time_counting)->Apply(lengths_and_threads);
BENCHMARK(time_checking)->Apply(lengths_and_threads);
BENCHMARK(time_interpreter)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hone
