#include "tools/cli/judge/ptx_run.h"

#include <bit>
#include <cstring>

#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "tools/cli/judge/ptx_launch.h"

namespace hone {
namespace {

/// The memory of the arrays, temporaries and counters of a run.
class RunMemory {
 public:
  RunMemory(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
            llvm::function_ref<bool(llvm::StringRef)> is_unset) {
    for (const auto& [argument, array] : llvm::zip(contract.arguments, arrays)) {
      const std::string& name = argument.tensor->name;
      places_[KernelOperand::Kind::argument].push_back(memory.allocate_copy(
          array.data(), static_cast<int64_t>(array.bytes()), name, is_unset(name)));
    }
    for (const WorkspacePart& part : contract.temporaries)
      places_[KernelOperand::Kind::temporary].push_back(
          allocate(part.tensor->name, evaluate(part.bytes, sizes), true));
    for (const WorkspacePart& part : contract.counters)
      places_[KernelOperand::Kind::counter].push_back(
          allocate(part.tensor->name, evaluate(part.bytes, sizes), false));
  }

  uint64_t place_of(const KernelOperand& operand) const {
    return places_.find(operand.kind)->second[operand.number];
  }

  void fetch(llvm::ArrayRef<AnyArray> arrays) const {
    const auto places = places_.find(KernelOperand::Kind::argument);
    for (size_t n = 0; n < arrays.size(); ++n)
      if (arrays[n].bytes() > 0)
        std::memcpy(arrays[n].data(), std::bit_cast<void*>(places->second[n]), arrays[n].bytes());
  }

  ptx::Memory memory;

 private:
  /// All bytes are 0.
  uint64_t allocate(const std::string& name, int64_t bytes, bool is_unset) {
    const std::vector<std::byte> zeros(bytes);
    return memory.allocate_copy(zeros.data(), bytes, name, is_unset);
  }

  std::map<KernelOperand::Kind, std::vector<uint64_t>> places_;
};

}  // namespace

std::vector<PtxLaunch> run_as_ptx(const LaunchContract& contract, llvm::ArrayRef<PtxText> texts,
                                  llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                                  llvm::function_ref<bool(llvm::StringRef)> is_unset,
                                  const ptx::LaunchOptions& options) {
  RunMemory memory(contract, arrays, sizes, is_unset);
  std::vector<PtxLaunch> launches;
  for (const auto& [kernel, text] : llvm::zip(contract.kernels, texts)) {
    const LaunchDims dims = launch_dims(kernel, sizes);
    if (llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0)) continue;
    std::vector<uint64_t> operands;
    for (const KernelOperand& operand : kernel.operands)
      operands.push_back(memory.place_of(operand));
    launches.push_back({dims.block[0] * dims.block[1] * dims.block[2],
                        LoadedKernel(text, kernel, memory.memory, operands, sizes).run(options)});
    const bool is_clean = llvm::all_of(launches.back().report.findings,
                                       [](const auto& finding) { return is_hint(finding.kind); });
    if (!is_clean) break;
  }
  memory.fetch(arrays);
  return launches;
}

}  // namespace hone
