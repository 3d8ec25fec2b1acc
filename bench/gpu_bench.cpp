// Hone's kernels against hand-written ones of the same idea, on one GPU, side by side.
//
//   gpu_bench                                     all rungs at all sizes, some minutes
//   gpu_bench --rung=matmul/bind --sizes=1024     one of them
//   gpu_bench --compile-only --arch=sm_90         registers and instructions, without a GPU
//   gpu_bench --handwritten                       the hand-written kernels alone, checked and timed
//   gpu_bench --cub=build/bench/libcub_sum.so     sums against CUB's, which `ninja cub_sum`
//   compiles
//   gpu_bench --cublas=libcublas.so.13 --rung=matmul/tuned --sizes=1024,8192x2048x4096
//   gpu_bench --cublaslt=libcublasLt.so.13 --rung=hgemm/wgmma --shapes=1:100
//   gpu_bench --against=persistent --rung=gemm-fp8-blocks/tuned
//   gpu_bench --tiles=examples/ladders/tuned/matmul.json     the table that matmul/tuned chooses by
//
// The instructions are those that nvdisasm shows, where it is on the PATH or in the toolkit. The
// exit status says whether all results are right. Speed is reported, not judged.

#include "bench/gpu/report.h"
#include "bench/gpu/tile_times.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/files.h"

namespace hone {
namespace {

MachineFacts describe_machine(const Target& target) {
  MachineFacts facts = {{"arch", target.arch}};
  if (const NvrtcInfo* nvrtc = nvrtc_info())
    facts["nvrtc"] = fmt::format("{}.{}", nvrtc->major, nvrtc->minor);
  if (!target.device.is_cuda()) return facts;
  const DeviceProperties& properties = target.device.properties();
  facts["device"] = properties.name;
  facts["driver"] = fmt::format("CUDA {}.{}", properties.driver_version / 1000,
                                properties.driver_version % 1000 / 10);
  return facts;
}

/// Prints the tables, and writes the JSON where it is asked for. Returns the exit status.
template <class T>
int report(const Arguments& arguments, const Settings& settings,
           const std::vector<T>& measurements) {
  MachineFacts machine = describe_machine(settings.target);
  if (settings.library) machine[settings.library->option() + 2] = settings.library->describe();
  for (const auto& [name, value] : machine) fmt::print("{}: {}\n", name, value);
  if (!settings.compile_only()) fmt::print("\n{}", timing_table(measurements));
  if (!settings.library) fmt::print("\n{}", code_table(measurements));
  if (const auto path = arguments.value("--json"))
    replace_file(*path, {to_json(machine, measurements)});
  const bool passed = llvm::all_of(measurements, [](const T& one) { return one.passed(); });
  return passed ? 0 : 1;
}

/// Makes or completes a table, or tries all tiles at the sizes that are asked for, beside what a
/// table expects.
void tune_tiles(const Settings& settings) {
  const std::optional<TileTable> table = read_tile_table(*settings.tiles);
  if (settings.lengths.empty()) {
    replace_file(*settings.tiles, {to_json(measure_tiles(settings, table))});
    return;
  }
  if (!table) throw RuntimeError("there is no file {}", *settings.tiles);
  try_tiles(settings, *table);
}

int run(const Arguments& arguments) {
  const Settings settings = read_settings(arguments);
  if (settings.tiles) {
    tune_tiles(settings);
    return 0;
  }
  if (settings.handwritten && !settings.library)
    return report(arguments, settings, try_all(settings));
  const std::vector<Comparison> comparisons = compare_all(settings);
  const int status = report(arguments, settings, comparisons);
  if (settings.random_shapes && !settings.compile_only())
    fmt::print("\n{}", ratio_lines(comparisons));
  if (settings.library) return status;
  if (const auto names = without_rung(settings); !names.empty())
    fmt::print("\nhand-written, without a rung: {}\n", fmt::join(names, ", "));
  return status;
}

void print_help() {
  fmt::print("usage: gpu_bench [OPTION]...\n\n");
  for (const Option& option : gpu_bench_options)
    fmt::print("  {:<16} {}\n", spelling(option), option.help);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const hone::Arguments arguments(words, hone::gpu_bench_options);
    if (!arguments.has("--help")) return hone::run(arguments);
    hone::print_help();
    return 0;
  } catch (const hone::UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
