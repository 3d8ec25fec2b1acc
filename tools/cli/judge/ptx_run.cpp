#include "tools/cli/judge/ptx_run.h"

#include <cstring>

#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "runtime/ptx/tensor_map.h"

namespace hone {
namespace {

/// The memory of the arrays, temporaries and counters of a run.
class RunMemory {
 public:
  RunMemory(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
            llvm::function_ref<bool(llvm::StringRef)> is_unset) {
    for (const auto& [argument, array] : llvm::zip(contract.arguments, arrays)) {
      const std::string& name = argument.tensor->name;
      places_[KernelOperand::Kind::argument].push_back(
          allocate(name, static_cast<int64_t>(array.bytes()), array.data(), is_unset(name)));
    }
    for (const WorkspacePart& part : contract.temporaries)
      places_[KernelOperand::Kind::temporary].push_back(
          allocate(part.tensor->name, evaluate(part.bytes, sizes), nullptr, true));
    for (const WorkspacePart& part : contract.counters)
      places_[KernelOperand::Kind::counter].push_back(
          allocate(part.tensor->name, evaluate(part.bytes, sizes), nullptr, false));
  }

  uint64_t place_of(const KernelOperand& operand) const {
    return places_.find(operand.kind)->second[operand.number];
  }

  void fetch(llvm::ArrayRef<AnyArray> arrays) const {
    const auto places = places_.find(KernelOperand::Kind::argument);
    for (size_t n = 0; n < arrays.size(); ++n)
      if (arrays[n].bytes() > 0)
        std::memcpy(arrays[n].data(), reinterpret_cast<void*>(places->second[n]),
                    arrays[n].bytes());
  }

  ptx::Memory memory;

 private:
  /// `data` null: the bytes are 0.
  uint64_t allocate(const std::string& name, int64_t bytes, const void* data, bool is_unset) {
    const uint64_t address = memory.allocate(bytes, name, is_unset);
    auto* const place = reinterpret_cast<void*>(address);
    if (bytes > 0 && data)
      std::memcpy(place, data, bytes);
    else
      std::memset(place, 0, bytes);
    return address;
  }

  std::map<KernelOperand::Kind, std::vector<uint64_t>> places_;
};

ptx::EncodedTensorMap encoded(const TensorMap& map, uint64_t address, const Sizes& sizes) {
  ptx::TensorMap result;
  result.address = address;
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

/// The parameters of a kernel, one after the other.
class Params {
 public:
  explicit Params(const ptx::KernelInfo& info) : info_(info), bytes_(info.param_bytes) {}

  template <class T>
  void add(const T& value) {
    const ptx::KernelParam& param = info_.params[next_++];
    std::memcpy(bytes_.data() + param.offset, &value, std::min<size_t>(sizeof value, param.bytes));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  const ptx::KernelInfo& info_;
  size_t next_ = 0;
  std::vector<std::byte> bytes_;
};

ptx::Report launch_kernel(const KernelContract& contract, const LaunchDims& dims,
                          const std::string& ptx, RunMemory& memory, const Sizes& sizes,
                          const ptx::LaunchOptions& options) {
  const ptx::LoadedModule module(ptx, memory.memory);
  const ptx::KernelInfo* const info = module.find(contract.symbol);
  if (!info) throw RuntimeError("the PTX of {} has no kernel of that name", contract.symbol);
  Params params(*info);
  for (const KernelOperand& operand : contract.operands) params.add(memory.place_of(operand));
  for (const ParamPtr& param : contract.params) params.add(sizes.find(param->name)->second);
  for (const TensorMap& map : contract.tensor_maps)
    params.add(encoded(map, memory.place_of(contract.operands[map.operand]), sizes));
  const ptx::LaunchShape shape = {
      dims.grid, dims.block, {contract.cluster, 1, 1}, contract.dynamic_shared_bytes()};
  return ptx::launch(module, *info, shape, params.bytes(), options);
}

}  // namespace

std::vector<PtxLaunch> run_as_ptx(const LaunchContract& contract, llvm::ArrayRef<std::string> ptx,
                                  llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                                  llvm::function_ref<bool(llvm::StringRef)> is_unset,
                                  const ptx::LaunchOptions& options) {
  RunMemory memory(contract, arrays, sizes, is_unset);
  std::vector<PtxLaunch> launches;
  for (const auto& [kernel, text] : llvm::zip(contract.kernels, ptx)) {
    const LaunchDims dims = launch_dims(kernel, sizes);
    if (llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0)) continue;
    launches.push_back({dims.block[0] * dims.block[1] * dims.block[2],
                        launch_kernel(kernel, dims, text, memory, sizes, options)});
    const bool is_clean = llvm::all_of(launches.back().report.findings,
                                       [](const auto& finding) { return finding.is_hint; });
    if (!is_clean) break;
  }
  memory.fetch(arrays);
  return launches;
}

}  // namespace hone
