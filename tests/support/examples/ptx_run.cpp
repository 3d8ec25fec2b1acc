#include "tests/support/examples/ptx_run.h"

#include <cstring>

#include "ir/interpret/interpreter.h"
#include "runtime/ptx/device.h"
#include "runtime/ptx/tensor_map.h"
#include "runtime/workspace.h"
#include "tests/support/examples/rungs.h"

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
    auto* const data =
        reinterpret_cast<void*>(memory.allocate(bytes, part.tensor->name, is_unset));
    std::memset(data, 0, bytes);
    return data;
  }

  const LaunchContract& contract_;
  std::vector<void*> arrays_, temporaries_, counters_;
};

ptx::EncodedTensorMap encoded(const TensorMap& map, void* data, const Sizes& sizes) {
  ptx::TensorMap result;
  result.address = reinterpret_cast<uint64_t>(data);
  result.rank = static_cast<int>(map.box.size());
  const int64_t bytes = size_of(map.type);
  result.type = bytes == 1   ? ptx::Type::u8
                : bytes == 2 ? ptx::Type::f16
                : bytes == 4 ? ptx::Type::u32
                             : ptx::Type::u64;
  for (int dim = 0; dim < result.rank; ++dim) {
    result.extents[dim] = evaluate(map.extents[dim], sizes);
    result.strides[dim] = dim == 0 ? bytes : evaluate(map.strides[dim - 1], sizes);
    result.box[dim] = static_cast<uint32_t>(map.box[dim]);
  }
  result.swizzle = static_cast<int>(map.swizzle);
  return encode(result);
}

class Params {
 public:
  explicit Params(const ptx::KernelInfo& info) : info_(info), bytes(info.param_bytes) {}
  template <class T>
  void add(const T& value) {
    const ptx::KernelParam& param = info_.params[next_++];
    std::memcpy(bytes.data() + param.offset, &value, std::min<size_t>(sizeof value, param.bytes));
  }

 private:
  const ptx::KernelInfo& info_;
  size_t next_ = 0;

 public:
  std::vector<std::byte> bytes;
};

std::string launch(const KernelFunction& kernel, const KernelContract& contract, RunMemory& memory,
                   const Sizes& sizes) {
  const LaunchDims dims = launch_dims(contract, sizes);
  if (llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0)) return "";
  const ptx::LoadedModule module(compiled_for_sm_90(kernel).ptx, memory.memory);
  const ptx::KernelInfo& info = module.kernels().front();
  Params params(info);
  for (const KernelOperand& operand : contract.operands) params.add(memory.place_of(operand));
  for (const ParamPtr& param : contract.params) params.add(sizes.find(param->name)->second);
  for (const TensorMap& map : contract.tensor_maps)
    params.add(encoded(map, memory.place_of(contract.operands[map.operand]), sizes));
  const ptx::LaunchShape shape = {dims.grid, dims.block, {contract.cluster, 1, 1},
                                  contract.dynamic_shared_bytes()};
  const ptx::Report report =
      ptx::launch(module, info, shape, params.bytes, {.check = true, .threads = 1});
  std::string findings;
  for (const auto& finding : report.findings) findings += to_string(finding) + "\n";
  return findings;
}

}  // namespace

std::string run_as_ptx(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays,
                       const Sizes& sizes) {
  RunMemory memory(kernel, arrays, sizes);
  std::string findings;
  for (size_t n = 0; n < kernel.module().kernels.size(); ++n)
    findings +=
        launch(kernel.module().kernels[n], kernel.contract().kernels[n], memory, sizes);
  return findings;
}

}  // namespace hone
