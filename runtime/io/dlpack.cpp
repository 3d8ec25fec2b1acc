#include "runtime/io/dlpack.h"

#include <array>
#include <optional>

#include "fmt/ranges.h"
#include "runtime/array.h"

namespace hone {
namespace {

struct TypeCode {
  DType type;
  DLDataTypeCode code;
  uint8_t bits;
};

/// A pair of floats is what others take for a complex number, and a tf32 for the float that it is
/// in memory.
constexpr std::array<TypeCode, 13> type_codes = {{{DType::f64, kDLFloat, 64},
                                                  {DType::f32, kDLFloat, 32},
                                                  {DType::tf32, kDLFloat, 32},
                                                  {DType::f8e4m3, kDLFloat8_e4m3fn, 8},
                                                  {DType::f8e5m2, kDLFloat8_e5m2, 8},
                                                  {DType::f16, kDLFloat, 16},
                                                  {DType::bf16, kDLBfloat, 16},
                                                  {DType::i64, kDLInt, 64},
                                                  {DType::i32, kDLInt, 32},
                                                  {DType::i8, kDLInt, 8},
                                                  {DType::u8, kDLUInt, 8},
                                                  {DType::boolean, kDLBool, 8},
                                                  {f32_f32, kDLComplex, 64}}};

DType type_of(const DLDataType& type) {
  for (const TypeCode& entry : type_codes)
    if (entry.code == type.code && entry.bits == type.bits && type.lanes == 1) return entry.type;
  throw RuntimeError("a DLPack tensor of type code {}, {} bits and {} lanes has no type of Hone",
                     type.code, type.bits, type.lanes);
}

DLDataType type_for(const AnyArray& array) {
  for (const TypeCode& entry : type_codes)
    if (entry.type == array.dtype()) return {static_cast<uint8_t>(entry.code), entry.bits, 1};
  throw RuntimeError("{} has no DLPack type; take its components apart", array.describe());
}

Device device_of(const DLDevice& device) {
  if (device.device_type == kDLCPU || device.device_type == kDLCUDAHost) return Device::host();
  if (device.device_type == kDLCUDA) return Device::cuda(device.device_id);
  throw RuntimeError("a DLPack tensor is on a device of type {}; the CPU and CUDA are taken",
                     static_cast<int>(device.device_type));
}

/// Dimensions from the slowest to the fastest. Those of extent 1 lie anywhere: where they stand.
llvm::SmallVector<int, 4> order_of(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<int, 4> order, single;
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
    (shape[dim] == 1 ? single : order).push_back(dim);
  const auto is_slower = [&](int lhs, int rhs) { return strides[lhs] > strides[rhs]; };
  llvm::stable_sort(order, is_slower);
  if (llvm::is_sorted(order)) {
    order.append(single.begin(), single.end());
    llvm::sort(order);
  } else {
    order.insert(order.begin(), single.begin(), single.end());
  }
  return order;
}

/// The layout that may have these strides.
Layout layout_of(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) {
  Layout layout;
  if (shape.empty() || llvm::is_contained(shape, 0)) return layout;
  const auto order = order_of(shape, strides);
  layout.digits.assign(order.begin(), order.end());
  const auto outer = llvm::ArrayRef<int>(order).drop_back();
  for (const int dim : llvm::reverse(outer)) {
    if (shape[dim] == 1) continue;
    if (strides[dim] > shape[order.back()]) layout.row_pitch = strides[dim];
    break;
  }
  return layout;
}

std::vector<int64_t> strides_of(const DLTensor& tensor, llvm::ArrayRef<int64_t> shape) {
  if (tensor.strides) return {tensor.strides, tensor.strides + tensor.ndim};
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

bool have_same_elements(const AnyArray& array, llvm::ArrayRef<int64_t> strides) {
  if (array.size() == 0) return true;
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (array.shape()[dim] != 1 && array.strides()[dim] != strides[dim]) return false;
  return true;
}

/// The memory that a tensor that was given away keeps alive.
struct Given {
  AnyArray array;
  std::vector<int64_t> shape, strides;
  DLManagedTensor tensor = {};
};

}  // namespace

AnyArray AnyArray::from_dlpack(DLManagedTensor* managed, Location location) {
  return located<RuntimeError>(location, [&] { return sharing(managed); });
}

AnyArray AnyArray::sharing(DLManagedTensor* managed) {
  const DLTensor& tensor = managed->dl_tensor;
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  const std::vector<int64_t> strides = strides_of(tensor, shape);
  const DType type = type_of(tensor.dtype);
  const Device device = device_of(tensor.device);
  const auto refuse = [&] {
    throw RuntimeError(
        "a DLPack tensor {} with the strides ({}) has no layout of Hone; make it "
        "contiguous",
        to_string(type, shape), fmt::join(strides, ", "));
  };
  std::optional<AnyArray> array;
  try {
    array.emplace(AnyArray(type, shape, device, layout_of(shape, strides), WithoutMemory()));
  } catch (const RuntimeError&) {
    refuse();
  }
  if (!have_same_elements(*array, strides)) refuse();
  const std::shared_ptr<void> owner(managed, [](DLManagedTensor* given) {
    if (given->deleter) given->deleter(given);
  });
  if (array->bytes() > 0)
    array->memory_ = {owner, static_cast<char*>(tensor.data) + tensor.byte_offset};
  return *array;
}

DLManagedTensor* AnyArray::to_dlpack(Location location) const {
  const DLDataType type = located<RuntimeError>(location, [&] { return type_for(*this); });
  auto given = std::make_unique<Given>(Given{*this, shape(), strides()});
  DLTensor& tensor = given->tensor.dl_tensor;
  tensor.data = data();
  tensor.device = {device().is_cuda() ? kDLCUDA : kDLCPU, device().ordinal()};
  tensor.ndim = static_cast<int32_t>(given->shape.size());
  tensor.dtype = type;
  tensor.shape = given->shape.data();
  tensor.strides = given->strides.data();
  given->tensor.manager_ctx = given.get();
  given->tensor.deleter = [](DLManagedTensor* self) {
    delete static_cast<Given*>(self->manager_ctx);
  };
  return &given.release()->tensor;
}

}  // namespace hone
