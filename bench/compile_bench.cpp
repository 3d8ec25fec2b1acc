// The time of Hone's own work, from the first Param to CUDA text: each part, and all of it; and the
// time that NVRTC then takes for the text. The kernels are three rungs of matmul: one thread per
// element, the tiles of `vectorized`, and `tuned`.

#include <benchmark/benchmark.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "examples/ladders/ladders.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

const Sizes expected = {{"M", 1024}, {"N", 1024}, {"K", 1024}};

const Rung& rung(llvm::StringRef name) {
  static const Ladder matmul = matmul_ladder();
  return *llvm::find_if(matmul.rungs, [&](const Rung& rung) { return rung.name == name; });
}

std::string cuda_text(const Schedule& schedule) {
  return emit_cuda(lower(schedule.function()).kernels.front());
}

void time_define(benchmark::State& state) {
  const Ladder matmul = matmul_ladder();
  for (auto _ : state) benchmark::DoNotOptimize(matmul.program({}));
}

/// Defines the program, and schedules it.
void time_schedule(benchmark::State& state, const char* name) {
  for (auto _ : state) benchmark::DoNotOptimize(rung(name).build({}, expected));
}

void time_lower(benchmark::State& state, const char* name) {
  const Schedule schedule = rung(name).build({}, expected);
  for (auto _ : state) benchmark::DoNotOptimize(lower(schedule.function()));
}

void time_print(benchmark::State& state, const char* name) {
  const Module module = lower(rung(name).build({}, expected).function());
  for (auto _ : state) benchmark::DoNotOptimize(emit_cuda(module.kernels.front()));
}

void time_all(benchmark::State& state, const char* name) {
  for (auto _ : state) benchmark::DoNotOptimize(cuda_text(rung(name).build({}, expected)));
}

void time_nvrtc(benchmark::State& state, const char* name) {
  if (!nvrtc_info()) return state.SkipWithError(nvrtc_missing().c_str());
  const Module module = lower(rung(name).build({}, expected).function());
  const CompileJob job = {emit_cuda(module.kernels.front()), "matmul", target_of(module, "sm_90"),
                          options_of(module), ""};
  for (auto _ : state) benchmark::DoNotOptimize(nvrtc_compile(job));
}

constexpr const char* rungs[] = {"register-accumulate", "vectorized", "tuned"};

BENCHMARK(time_define)->Unit(benchmark::kMicrosecond);

using Timer = void (*)(benchmark::State&, const char*);
constexpr std::pair<const char*, Timer> parts[] = {{"schedule", time_schedule},
                                                   {"lower", time_lower},
                                                   {"print", time_print},
                                                   {"all", time_all},
                                                   {"nvrtc", time_nvrtc}};

const bool registered = [] {
  for (const char* name : rungs)
    for (const auto& [part, timer] : parts)
      benchmark::RegisterBenchmark((std::string(name) + "/" + part).c_str(), timer, name)
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace hone
