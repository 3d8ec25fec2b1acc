// How fast kernels run without a GPU: matmul with the sum in a register on the simulated device,
// bounds checked, and the plain program in the interpreter.

#include <benchmark/benchmark.h>

#include "examples/ladders/ladders.h"
#include "ir/interpreter.h"
#include "runtime/compile.h"

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

void time_simulator(benchmark::State& state) {
  constexpr int64_t length = 256;
  const Kernel kernel =
      compile(build("register-accumulate", cube(length)),
              {.device = Device::simulated(), .sim_threads = static_cast<int>(state.range(0))});
  const Array<float> a = matrix(length, 7), b = matrix(length, 5);
  const Array<float> c({length, length});
  for (auto _ : state) kernel(a, b, c);
  if (c.host_data()[3 * length + 200] != product(length, 3, 200))
    state.SkipWithError("the result is wrong");
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

// 0 threads are one per core.
BENCHMARK(time_simulator)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(time_interpreter)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hone
