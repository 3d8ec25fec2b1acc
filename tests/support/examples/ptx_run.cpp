#include "tests/support/examples/ptx_run.h"

#include <cstring>

#include "codegen/emit/emit.h"
#include "ir/interpret/interpreter.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/shared_limit.h"
#include "runtime/workspace.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/profile/ptx_launch.h"

namespace hone {
namespace {

/// The memory of the arrays, temporaries and counters of a run.
class RunMemory {
 public:
  RunMemory(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes)
      : contract_(kernel.contract()) {
    for (size_t n = 0; n < arrays.size(); ++n) {
      const std::string& name = contract_.arguments[n].tensor->name;
      if (arrays[n].bytes() > 0)
        memory.adopt(arrays[n].data(), static_cast<int64_t>(arrays[n].bytes()), name);
      arrays_.push_back(arrays[n].data());
    }
    for (const WorkspacePart& part : contract_.temporaries)
      temporaries_.push_back(allocate(part, sizes, true));
    for (const WorkspacePart& part : contract_.counters)
      counters_.push_back(allocate(part, sizes, false));
  }

  void* place_of(const KernelOperand& operand) const {
    switch (operand.kind) {
      case KernelOperand::Kind::argument:
        return arrays_[operand.number];
      case KernelOperand::Kind::temporary:
        return temporaries_[operand.number];
      default:
        return counters_[operand.number];
    }
  }

  ptx::Memory memory;

 private:
  void* allocate(const WorkspacePart& part, const Sizes& sizes, bool is_unset) {
    const int64_t bytes = std::max<int64_t>(evaluate(part.bytes, sizes), 1);
    auto* const data = reinterpret_cast<void*>(memory.allocate(bytes, part.tensor->name, is_unset));
    std::memset(data, 0, bytes);
    return data;
  }

  const LaunchContract& contract_;
  std::vector<void*> arrays_, temporaries_, counters_;
};

Compiled compiled_of(const KernelFunction& kernel, const TextChange& change) {
  if (!change) return compiled_for_sm_90(kernel);
  return *compile_cached(
      {change(emit_cuda(kernel)), kernel.name, target_of(kernel, "sm_90"), options_of(kernel), ""});
}

std::string launch(const KernelFunction& kernel, const KernelContract& contract, RunMemory& memory,
                   const Sizes& sizes, const TextChange& change) {
  std::vector<void*> operands;
  for (const KernelOperand& operand : contract.operands)
    operands.push_back(memory.place_of(operand));
  const ptx::Report report = launch_ptx(compiled_of(kernel, change), contract, memory.memory,
                                        operands, sizes, {.check = true, .threads = 1});
  std::string findings;
  for (const auto& finding : report.findings) findings += to_string(finding) + "\n";
  return findings;
}

}  // namespace

std::string run_as_ptx(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                       const TextChange& change) {
  RunMemory memory(kernel, arrays, sizes);
  std::string findings;
  for (size_t n = 0; n < kernel.module().kernels.size(); ++n)
    findings +=
        launch(kernel.module().kernels[n], kernel.contract().kernels[n], memory, sizes, change);
  return findings;
}

}  // namespace hone
