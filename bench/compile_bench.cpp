// How long Hone's own work takes, from the first Param to CUDA text: each part, and all of it. The
// kernel is matmul with the sum in a register.

#include <benchmark/benchmark.h>

#include "codegen/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"

namespace hone {
namespace {

struct Matmul {
  Param M = Param("M"), N = Param("N"), K = Param("K");
  Tensor A = Tensor("A", f32, {M, K}), B = Tensor("B", f32, {K, N}), C = Tensor("C", f32, {M, N});
  Axis i = Axis("i", M), j = Axis("j", N);
  ReduceAxis k = ReduceAxis("k", K);
  Program program = Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
};

Schedule register_accumulate(const Matmul& matmul) {
  Schedule s(matmul.program);
  s.may_alias();
  auto [by, bx, ty, tx] = s.tile({matmul.i, matmul.j}, {32, 32});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(matmul.C, tx);
  return s;
}

void time_define(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Matmul());
}

void time_schedule(benchmark::State& state) {
  const Matmul matmul;
  for (auto _ : state) benchmark::DoNotOptimize(register_accumulate(matmul));
}

void time_lower(benchmark::State& state) {
  const Schedule s = register_accumulate(Matmul());
  for (auto _ : state) benchmark::DoNotOptimize(lower(s.function()));
}

void time_print(benchmark::State& state) {
  const Module module = lower(register_accumulate(Matmul()).function());
  for (auto _ : state) benchmark::DoNotOptimize(emit_cuda(module.kernels.front()));
}

void time_all(benchmark::State& state) {
  for (auto _ : state) {
    const Module module = lower(register_accumulate(Matmul()).function());
    benchmark::DoNotOptimize(emit_cuda(module.kernels.front()));
  }
}

BENCHMARK(time_define)->Unit(benchmark::kMicrosecond);
BENCHMARK(time_schedule)->Unit(benchmark::kMicrosecond);
BENCHMARK(time_lower)->Unit(benchmark::kMicrosecond);
BENCHMARK(time_print)->Unit(benchmark::kMicrosecond);
BENCHMARK(time_all)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hone
