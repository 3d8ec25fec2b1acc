#include "runtime/cuda/tensor_map_cache.h"

#include <bit>

#include "codegen/contract/launch_contract.h"
#include "fmt/format.h"
#include "runtime/cuda/cuda_api.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

static_assert(sizeof(EncodedMap) == sizeof(CUtensorMap));

/// Elements move as they are, whatever they mean.
CUtensorMapDataType type_of(int64_t bytes) {
  switch (bytes) {
    case 1:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 4:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

CUtensorMapSwizzle swizzle_of(int64_t bytes) {
  switch (bytes) {
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

/// The numbers of a map, as the driver takes them.
struct MapNumbers {
  llvm::SmallVector<cuuint64_t, 5> extents, strides;
  llvm::SmallVector<cuuint32_t, 5> box, steps;

  MapNumbers(const TensorMap& map, const Sizes& sizes) : steps(map.box.size(), 1) {
    for (const Expr& extent : map.extents) extents.push_back(value_of(extent, sizes));
    for (const Expr& stride : map.strides) strides.push_back(value_of(stride, sizes));
    for (const int64_t extent : map.box) box.push_back(static_cast<cuuint32_t>(extent));
  }

  bool is_empty() const { return llvm::is_contained(extents, 0); }

  /// One element for a tensor of none, which the driver has no map for.
  void become_single() {
    for (cuuint64_t& extent : extents) extent = 1;
    for (cuuint64_t& stride : strides) stride = 16;
  }
};

}  // namespace

std::vector<EncodedMap> TensorMapCache::maps(const CudaContext& context,
                                             llvm::ArrayRef<Storage> arguments,
                                             const Sizes& sizes) {
  if (maps_.empty()) return {};
  const std::lock_guard lock(mutex_);
  std::vector<void*> addresses;
  for (const TensorMap& map : maps_) addresses.push_back(arguments[map.operand].data);
  if (addresses == addresses_ && sizes == sizes_) return known_;
  std::vector<EncodedMap> encoded;
  for (size_t n = 0; n < maps_.size(); ++n)
    encoded.push_back(encode(context, maps_[n], addresses[n], sizes));
  sizes_ = sizes;
  addresses_ = std::move(addresses);
  return known_ = std::move(encoded);
}

EncodedMap TensorMapCache::encode(const CudaContext& context, const TensorMap& map, void* address,
                                  const Sizes& sizes) {
  const std::string& name = kernel_.arguments[map.operand]->name;
  if (!context.api().encode_tensor_map)
    throw RuntimeError(
        "{}: {} is copied in bulk by a tensor map, which drivers before CUDA 12 do "
        "not make",
        kernel_.name, name);
  MapNumbers numbers(map, sizes);
  if (numbers.is_empty()) {
    numbers.become_single();
    address = zeros(context);
  }
  CUtensorMap encoded;
  context.check(
      context.api().encode_tensor_map(
          &encoded, type_of(size_of(map.type)), static_cast<cuuint32_t>(numbers.extents.size()),
          address, numbers.extents.data(), numbers.strides.data(), numbers.box.data(),
          numbers.steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map.swizzle),
          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled", fmt::format("{} of {}", name, kernel_.name));
  return std::bit_cast<EncodedMap>(encoded);
}

/// Memory of a single zero, which stands for all that a tensor without elements has.
void* TensorMapCache::zeros(const CudaContext& context) {
  constexpr size_t bytes = 256;
  if (!zeros_) {
    zeros_ = {context.allocate(bytes), [&context](void* memory) { context.release(memory); }};
    context.fill(zeros_.get(), 0, bytes);
  }
  return zeros_.get();
}

}  // namespace hone
