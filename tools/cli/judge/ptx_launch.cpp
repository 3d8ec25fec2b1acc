#include "tools/cli/judge/ptx_launch.h"

#include <cstring>

#include "ir/interpret/interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/compile.h"
#include "runtime/ptx/tensor_map.h"

namespace hone {
namespace {

ptx::Type type_of_elements(int64_t bytes) {
  return bytes == 1   ? ptx::Type::u8
         : bytes == 2 ? ptx::Type::f16
         : bytes == 4 ? ptx::Type::u32
                      : ptx::Type::u64;
}

ptx::EncodedTensorMap encoded(const TensorMap& map, uint64_t address, const Sizes& sizes) {
  ptx::TensorMap result;
  result.address = address;
  result.rank = static_cast<int>(map.box.size());
  const int64_t bytes = size_of(map.type);
  result.type = type_of_elements(bytes);
  for (int dim = 0; dim < result.rank; ++dim) {
    result.extents[dim] = evaluate(map.extents[dim], sizes);
    result.strides[dim] = dim == 0 ? bytes : evaluate(map.strides[dim - 1], sizes);
    result.box[dim] = static_cast<uint32_t>(map.box[dim]);
  }
  result.swizzle = static_cast<int>(map.swizzle);
  return encode(result);
}

/// The parameters of a kernel, as they lie in memory.
class Params {
 public:
  explicit Params(const ptx::KernelInfo& info) : bytes(info.param_bytes), info_(info) {}
  template <class T>
  void add(const T& value) {
    const ptx::KernelParam& param = info_.params[next_++];
    std::memcpy(bytes.data() + param.offset, &value, std::min<size_t>(sizeof value, param.bytes));
  }

  std::vector<std::byte> bytes;

 private:
  const ptx::KernelInfo& info_;
  size_t next_ = 0;
};

const ptx::KernelInfo& kernel_in(const ptx::LoadedModule& module, const std::string& symbol) {
  const ptx::KernelInfo* const info = module.find(symbol);
  if (!info) throw RuntimeError("the PTX of {} has no kernel of that name", symbol);
  return *info;
}

ptx::LaunchShape shape_of(const KernelContract& contract, const Sizes& sizes) {
  const LaunchDims dims = launch_dims(contract, sizes);
  return {dims.grid, dims.block, {contract.cluster, 1, 1}, contract.dynamic_shared_bytes()};
}

}  // namespace

LoadedKernel::LoadedKernel(const PtxText& text, const KernelContract& contract, ptx::Memory& memory,
                           llvm::ArrayRef<uint64_t> operands, const Sizes& sizes)
    : module_(text.ptx, memory, text.cubin),
      info_(kernel_in(module_, contract.symbol)),
      shape_(shape_of(contract, sizes)) {
  if (is_empty()) return;
  Params params(info_);
  for (const uint64_t operand : operands) params.add(operand);
  for (const ParamPtr& param : contract.params) params.add(sizes.find(param->name)->second);
  for (const TensorMap& map : contract.tensor_maps)
    params.add(encoded(map, operands[map.operand], sizes));
  params_ = std::move(params.bytes);
}

bool LoadedKernel::is_empty() const {
  return llvm::is_contained(shape_.grid, 0) || llvm::is_contained(shape_.block, 0);
}

ptx::Report LoadedKernel::run(const ptx::LaunchOptions& options) const {
  return is_empty() ? ptx::Report() : ptx::launch(module_, info_, shape_, params_, options);
}

}  // namespace hone
