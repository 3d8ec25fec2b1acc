// The kernels whose simulated counters are compared with a GPU's: all rungs, and small kernels of
// one access pattern each. scripts/ncu-counters runs it under Nsight Compute, and makes the table
// of docs/counters.md.
//
//   counter_bench --json                  what the simulated device counts, one kernel a line
//   counter_bench --json --compiled       the same of machine code, by way of the kernels' PTX, and
//                                         of the hand-written kernels
//   counter_bench --launch                launches each of these once on a GPU, in the same order
//   counter_bench --launch --as-written   the same with volatile accesses, which stay as they are
//   counter_bench --compile               compiles each kernel in both forms, without a GPU
#include <cstdio>
#include <cstring>
#include <random>

#include "bench/counters/as_written.h"
#include "bench/counters/cases.h"
#include "bench/counters/handwritten_cases.h"
#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "fmt/format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "runtime/compile.h"
#include "runtime/cuda/tensor_map_cache.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/arguments.h"
#include "tools/cli/judge/ptx_launch.h"

namespace hone {
namespace {

/// The bytes of each argument. Random ones would be NaNs: small numbers. Integers are below 4, as
/// indices are.
std::vector<std::vector<std::byte>> make_data(const CounterCase& counted) {
  std::mt19937 random(17);
  std::vector<std::vector<std::byte>> data;
  for (const TensorPtr& tensor : counted.kernel.arguments) {
    const AnyArray array = array_for(*tensor, counted.sizes);
    std::vector<std::byte> bytes(array.bytes());
    const size_t step = is_float(tensor->type) ? 1 : size_of(tensor->type);
    if (!llvm::is_contained(counted.counters, tensor))
      for (size_t n = 0; n < bytes.size(); n += step) bytes[n] = std::byte(random() % 4);
    data.push_back(std::move(bytes));
  }
  return data;
}

/// The counters that Nsight Compute has a name for, by these.
llvm::json::Value record_of(const std::string& name, const CountReport& report) {
  llvm::json::Object counters;
  for (const Counter& counter : hone::counters())
    if (*counter.metric) counters[counter.metric] = counter.value(report);
  return llvm::json::Object{{"case", name}, {"counters", std::move(counters)}};
}

llvm::json::Value counted(const CounterCase& counted) {
  auto data = make_data(counted);
  llvm::SmallVector<SimArgument, 4> arguments;
  for (auto [tensor, bytes] : llvm::zip(counted.kernel.arguments, data))
    arguments.push_back(
        {tensor->name, bytes.data(), static_cast<int64_t>(bytes.size()) / size_of(tensor->type)});
  return record_of(counted.name, count(counted.kernel, counted.sizes, arguments));
}

CompileJob job_of(const CounterCase& counted, const std::string& arch, bool as_written) {
  std::string text = emit_cuda(counted.kernel);
  if (as_written) text = with_volatile_accesses(text);
  return {std::move(text), counted.kernel.name, target_of(counted.kernel, arch),
          options_of(counted.kernel), ""};
}

/// The counts of the kernel as it is compiled.
ptx::LaunchCounts count_compiled(const CounterCase& counted) {
  CompileJob job = job_of(counted, "sm_90", false);
  job.options.emplace_back("--generate-line-info");
  const Compiled compiled = nvrtc_compile(job);
  ptx::Memory memory;
  std::vector<uint64_t> operands;
  for (auto [tensor, bytes] : llvm::zip(counted.kernel.arguments, make_data(counted)))
    operands.push_back(
        memory.allocate_copy(bytes.data(), static_cast<int64_t>(bytes.size()), tensor->name));
  const LaunchContract contract = launch_contract(counted.kernel);
  return LoadedKernel({compiled.ptx, compiled.cubin}, contract.kernels.front(), memory, operands,
                      counted.sizes)
      .run({.count = true})
      .counts;
}

llvm::json::Value compiled_json(const std::string& name, const ptx::LaunchCounts& counts) {
  CountReport report;
  report.totals = counts.totals;
  return record_of(name, report);
}

void launch(const CounterCase& counted, const Device& device, bool as_written) {
  const CompileJob job = job_of(counted, device.properties().arch, as_written);
  const CudaModule module(device, nvrtc_compile(job), counted.kernel.name);
  const CudaFunction function = module.function(cuda_symbol(counted.kernel));
  const auto data = make_data(counted);
  std::vector<AnyArray> arrays;
  for (const auto& [tensor, bytes] : llvm::zip(counted.kernel.arguments, data)) {
    AnyArray array = array_for(*tensor, counted.sizes);
    if (!bytes.empty()) std::memcpy(array.data(), bytes.data(), bytes.size());
    arrays.push_back(array.to(device));
  }
  llvm::SmallVector<void*, 8> pointers, arguments;
  llvm::SmallVector<int64_t, 4> values;
  for (const AnyArray& array : arrays) pointers.push_back(array.data());
  for (const ParamPtr& param : counted.kernel.params)
    values.push_back(counted.sizes.find(param->name)->second);
  for (void*& pointer : pointers) arguments.push_back(&pointer);
  for (int64_t& value : values) arguments.push_back(&value);
  llvm::SmallVector<Storage, 8> storages;
  for (const AnyArray& array : arrays) storages.push_back({array.data(), array.size()});
  TensorMapCache cache(counted.kernel);
  auto maps = cache.maps(function.context(), storages, counted.sizes);
  for (EncodedMap& map : maps) arguments.push_back(&map);
  function.launch(launch_dims(counted.kernel, counted.sizes), arguments);
  device.synchronize();
}

/// True if NVRTC takes the text; says so if it does not.
bool compiles(const CounterCase& counted, const std::string& arch, bool as_written) {
  try {
    compile_cached(job_of(counted, arch, as_written));
    return true;
  } catch (const CompileError& error) {
    fmt::print(stderr, "{}{}: {}\n", counted.name, as_written ? ", as written" : "", error.what());
    return false;
  }
}

/// Those whose names contain the text.
std::vector<CounterCase> cases_named(const std::string& text) {
  std::vector<CounterCase> cases = counter_cases();
  llvm::erase_if(cases,
                 [&](const CounterCase& one) { return !llvm::StringRef(one.name).contains(text); });
  return cases;
}

/// Returns the exit status: 77 where there is nothing to compile with.
int compile_all(const std::string& text, const std::string& arch) {
  if (!nvrtc_info()) {
    fmt::print("{}\n", nvrtc_missing());
    return 77;
  }
  const std::vector<CounterCase> cases = cases_named(text);
  int refused = 0;
  for (const CounterCase& one : cases)
    for (const bool as_written : {false, true}) refused += !compiles(one, arch, as_written);
  fmt::print("{} kernels for {}, as they are and as written: {} of {} texts do not compile\n",
             cases.size(), arch, refused, 2 * cases.size());
  return refused == 0 ? 0 : 1;
}

constexpr Option options[] = {
    {"--json", "", "what the simulated device counts, one kernel a line"},
    {"--compiled", "", "with --json: of the kernel as it is compiled"},
    {"--launch", "", "launch each kernel once on a GPU, in the same order"},
    {"--as-written", "", "with --launch: volatile accesses, which stay as they are"},
    {"--only", "TEXT", "take only kernels whose names contain the text"},
    {"--compile", "", "compile each kernel in both forms, without a GPU"},
    {"--arch", "sm_XY", "what --compile compiles for; default sm_90"},
};

void print(const llvm::json::Value& value) {
  fmt::print("{}\n", llvm::formatv("{0}", value).str());
}

void print_compiled(const std::string& text) {
  for (const CounterCase& one : cases_named(text))
    print(compiled_json(one.name, count_compiled(one)));
  for (const HandwrittenCase& one : handwritten_cases(text)) {
    const std::vector<ptx::LaunchCounts> launches = count_launches(one);
    for (size_t n = 0; n < launches.size(); ++n)
      print(compiled_json(launches.size() == 1 ? one.name() : fmt::format("{}, {}", one.name(), n),
                          launches[n]));
  }
}

void launch_all(const std::string& text, bool as_written) {
  const Device device = Device::cuda();
  for (const CounterCase& one : cases_named(text)) launch(one, device, as_written);
  if (as_written) return;
  for (const HandwrittenCase& one : handwritten_cases(text)) launch_once(one, device);
}

int run(const Arguments& arguments) {
  const std::string text = arguments.value("--only").value_or("");
  if (arguments.has("--compile"))
    return compile_all(text, arguments.value("--arch").value_or("sm_90"));
  if (arguments.has("--launch"))
    launch_all(text, arguments.has("--as-written"));
  else if (arguments.has("--compiled"))
    print_compiled(text);
  else
    for (const CounterCase& one : cases_named(text)) print(counted(one));
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    return hone::run(hone::Arguments(words, hone::options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "counter_bench: {}\n", error.what());
    return 1;
  }
}
