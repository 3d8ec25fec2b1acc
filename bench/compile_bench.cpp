// The time of Hone's own work, from the first Param to CUDA text: each part, and all of it; and the
// time that NVRTC then takes for the text. The kernels are three rungs of matmul: one thread per
// element, the tiles of `vectorized`, and `tuned`; and the longest schedule, that of hgemm/tuned.

#include <benchmark/benchmark.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "examples/ladders/ladders.h"
#include "fmt/format.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

/// A rung, at a size of its matrices.
struct Case {
  const Ladder& (*ladder)();
  const char* name;
  int64_t size;

  Schedule schedule() const {
    const auto& rungs = ladder().rungs;
    const auto rung = llvm::find_if(rungs, [&](const Rung& rung) { return rung.name == name; });
    return rung->build({}, {{"M", size}, {"N", size}, {"K", size}});
  }
};

const Ladder& matmul() {
  static const Ladder ladder = matmul_ladder();
  return ladder;
}

const Ladder& hgemm() {
  static const Ladder ladder = hgemm_ladder();
  return ladder;
}

std::string cuda_text(const Schedule& schedule) {
  return emit_cuda(lower(schedule.function()).kernels.front());
}

void time_define(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(matmul().program({}));
}

/// Defines the program, and schedules it.
void time_schedule(benchmark::State& state, const Case& rung) {
  for (auto _ : state) benchmark::DoNotOptimize(rung.schedule());
}

void time_lower(benchmark::State& state, const Case& rung) {
  const Schedule schedule = rung.schedule();
  for (auto _ : state) benchmark::DoNotOptimize(lower(schedule.function()));
}

void time_print(benchmark::State& state, const Case& rung) {
  const Module module = lower(rung.schedule().function());
  for (auto _ : state) benchmark::DoNotOptimize(emit_cuda(module.kernels.front()));
}

void time_all(benchmark::State& state, const Case& rung) {
  for (auto _ : state) benchmark::DoNotOptimize(cuda_text(rung.schedule()));
}

void time_nvrtc(benchmark::State& state, const Case& rung) {
  if (!nvrtc_info()) return state.SkipWithError(nvrtc_missing().c_str());
  const Module module = lower(rung.schedule().function());
  const CompileJob job = {emit_cuda(module.kernels.front()), "matmul", target_of(module, "sm_90"),
                          options_of(module), ""};
  for (auto _ : state) benchmark::DoNotOptimize(nvrtc_compile(job));
}

constexpr Case rungs[] = {{matmul, "register-accumulate", 1024},
                          {matmul, "vectorized", 1024},
                          {matmul, "tuned", 1024},
                          {hgemm, "tuned", 4096}};

BENCHMARK(time_define)->Unit(benchmark::kMicrosecond);

using Timer = void (*)(benchmark::State&, const Case&);
constexpr std::pair<const char*, Timer> parts[] = {{"schedule", time_schedule},
                                                   {"lower", time_lower},
                                                   {"print", time_print},
                                                   {"all", time_all},
                                                   {"nvrtc", time_nvrtc}};

const bool registered = [] {
  for (const Case& rung : rungs)
    for (const auto& [part, timer] : parts)
      benchmark::RegisterBenchmark(
          fmt::format("{}/{}/{}", rung.ladder().name, rung.name, part).c_str(), timer, rung)
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace hone
