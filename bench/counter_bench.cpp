// The kernels whose simulated counters are compared with a GPU's: all rungs, and small kernels of
// one access pattern each. scripts/ncu-counters runs it under Nsight Compute, and makes the table
// of docs/counters.md.
//
//   counter_bench --json                  what the simulated device counts, one kernel a line
//   counter_bench --launch                launches each kernel once on a GPU, in the same order
//   counter_bench --launch --as-written   the same with volatile accesses, which stay as they are
#include <cstdio>
#include <cstring>
#include <random>
#include <regex>

#include "bench/counters/cases.h"
#include "codegen/emit.h"
#include "fmt/format.h"
#include "llvm/Support/FormatVariadic.h"
#include "runtime/compile.h"
#include "runtime/nvrtc.h"
#include "runtime/sim/count.h"

namespace hone {
namespace {

/// Random bytes would be NaNs: small numbers.
std::vector<std::vector<std::byte>> make_data(const CounterCase& counted) {
  std::mt19937 random(17);
  std::vector<std::vector<std::byte>> data;
  for (const TensorPtr& tensor : counted.kernel.arguments) {
    const AnyArray array = array_for(*tensor, counted.sizes);
    std::vector<std::byte> bytes(array.bytes());
    for (std::byte& byte : bytes) byte = std::byte(random() % 4);
    data.push_back(std::move(bytes));
  }
  return data;
}

llvm::json::Value counted(const CounterCase& counted) {
  auto data = make_data(counted);
  llvm::SmallVector<SimArgument, 4> arguments;
  for (auto [tensor, bytes] : llvm::zip(counted.kernel.arguments, data))
    arguments.push_back(
        {tensor->name, bytes.data(), static_cast<int64_t>(bytes.size()) / size_of(tensor->type)});
  const CountReport report = count(counted.kernel, counted.sizes, arguments);
  llvm::json::Object counters;
  for (const Counter& counter : hone::counters())
    if (*counter.metric) counters[counter.metric] = counter.value(report);
  return llvm::json::Object{
      {"case", counted.name}, {"kernel", counted.kernel.name}, {"counters", std::move(counters)}};
}

/// The text with volatile tensors. Accesses of vectors stay as they are in any case.
std::string with_volatile_accesses(const std::string& text) {
  static const std::pair<std::regex, const char*> changes[] = {
      {std::regex(R"(([(,] ?)(const )?(float|double|signed char)\*)"), "$1$2volatile $3*"},
      {std::regex(R"(( __shared__ (__align__\(16\) )?)(float|double|signed char) )"),
       "$1volatile $3 "},
      {std::regex(R"(\*reinterpret_cast<(const )?(\w+)\*>\(&)"), "*($1$2*)(&"}};
  std::string result = text;
  for (const auto& [pattern, replacement] : changes)
    result = std::regex_replace(result, pattern, replacement);
  return result;
}

void launch(const CounterCase& counted, const Device& device, bool as_written) {
  CompileJob job = {
      emit_cuda(counted.kernel), counted.kernel.name, device.properties().arch, {}, ""};
  if (as_written) job.source = with_volatile_accesses(job.source);
  const CudaModule module(device, nvrtc_compile(job), counted.kernel.name);
  const CudaFunction function = module.function(counted.kernel.name);
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
  function.launch(launch_dims(counted.kernel, counted.sizes), arguments);
  device.synchronize();
}

int run(llvm::ArrayRef<std::string> words) {
  const bool launches = llvm::is_contained(words, "--launch");
  const bool as_written = llvm::is_contained(words, "--as-written");
  for (const CounterCase& one : counter_cases())
    if (launches)
      launch(one, Device::cuda(), as_written);
    else
      fmt::print("{}\n", llvm::formatv("{0}", counted(one)).str());
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "counter_bench: {}\n", error.what());
    return 1;
  }
}
