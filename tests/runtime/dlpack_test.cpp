// Arrays shared with other libraries.
#include "runtime/io/dlpack.h"

#include "gmock/gmock.h"
#include "runtime/array.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace dlpack_test {

using testing::ElementsAre;

/// A tensor of another library, which counts how often it is given back.
struct Foreign {
  std::vector<float> elements = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::vector<int64_t> shape, strides;
  int returned = 0;
  DLManagedTensor managed = {};

  Foreign(std::vector<int64_t> extents, std::vector<int64_t> steps)
      : shape(std::move(extents)), strides(std::move(steps)) {
    DLTensor& tensor = managed.dl_tensor;
    tensor.data = elements.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->returned;
    };
  }

  std::vector<float> taken() { return Array<float>::from_dlpack(&managed).to_vector(); }
  std::string refusal() {
    return thrown_message<RuntimeError>([&] { AnyArray::from_dlpack(&managed); });
  }
};

TEST(DlPack, SharesTheMemoryOfATensorUntilTheLastCopyIsGone) {
  Foreign foreign({2, 3}, {});
  {
    const auto array = Array<float>::from_dlpack(&foreign.managed);
    const Array<float> copy = array;
    EXPECT_EQ(array.data(), foreign.elements.data());
    EXPECT_EQ(array.shape(), foreign.shape);
    foreign.elements[5] = 50;
    EXPECT_THAT(copy.to_vector(), ElementsAre(0, 1, 2, 3, 4, 50));
    EXPECT_EQ(foreign.returned, 0);
  }
  EXPECT_EQ(foreign.returned, 1);
}

TEST(DlPack, TakesOrdersAndPitches) {
  EXPECT_THAT(Foreign({2, 3}, {1, 2}).taken(), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(Foreign({2, 3}, {8, 1}).taken(), ElementsAre(0, 1, 2, 8, 9, 10));
  EXPECT_THAT(Foreign({2, 3}, {1, 5}).taken(), ElementsAre(0, 5, 10, 1, 6, 11));
  EXPECT_THAT(Foreign({2, 1, 2}, {4, 99, 1}).taken(), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(Foreign({2, 2, 2}, {8, 4, 1}).taken(), ElementsAre(0, 1, 4, 5, 8, 9, 12, 13));
  EXPECT_THAT(Foreign({3, 1}, {2, 7}).taken(), ElementsAre(0, 2, 4));
  EXPECT_THAT(Foreign({1, 3}, {77, 1}).taken(), ElementsAre(0, 1, 2));
  EXPECT_THAT(Foreign({0, 3}, {3, 1}).taken(), ElementsAre());
  EXPECT_THAT(Foreign({}, {}).taken(), ElementsAre(0));
}

TEST(DlPack, StartsAtTheOffset) {
  Foreign foreign({2}, {1});
  foreign.managed.dl_tensor.byte_offset = 12;
  EXPECT_THAT(foreign.taken(), ElementsAre(3, 4));
}

TEST(DlPack, RefusesWhatHasNoLayoutAndLeavesItToItsOwner) {
  Foreign gaps({3}, {2}), overlapping({2, 3}, {2, 1}), planes({2, 2, 2}, {7, 2, 1});
  EXPECT_EQ(
      gaps.refusal(),
      "a DLPack tensor f32[3] with the strides (2) has no layout of Hone; make it contiguous");
  EXPECT_EQ(overlapping.refusal(),
            "a DLPack tensor f32[2, 3] with the strides (2, 1) has no layout of Hone; make it "
            "contiguous");
  EXPECT_EQ(
      planes.refusal(),
      "a DLPack tensor f32[2, 2, 2] with the strides (7, 2, 1) has no layout of Hone; make it "
      "contiguous");
  EXPECT_EQ(gaps.returned, 0);
}

TEST(DlPack, RefusesOtherTypesAndDevices) {
  Foreign foreign({2}, {1});
  foreign.managed.dl_tensor.dtype = {kDLFloat, 32, 4};
  EXPECT_EQ(foreign.refusal(),
            "a DLPack tensor of type code 2, 32 bits and 4 lanes has no type of Hone");
  foreign.managed.dl_tensor.dtype = {kDLInt, 64, 1};
  EXPECT_EQ(thrown_message<RuntimeError>([&] { foreign.taken(); }),
            "i64[2] on host is not an array of f32");
  foreign.managed.dl_tensor.device.device_type = static_cast<DLDeviceType>(7);
  EXPECT_EQ(foreign.refusal(),
            "a DLPack tensor is on a device of type 7; the CPU and CUDA are taken");
  const Array<std::pair<float, int32_t>> pairs({2});
  EXPECT_EQ(thrown_message<RuntimeError>([&] { pairs.to_dlpack(); }),
            "(f32, i32)[2] on host has no DLPack type; take its components apart");
}

TEST(DlPack, GivesArraysWithTheirLayout) {
  DLManagedTensor* given = nullptr;
  {
    const Array<float> array({1, 2, 3, 4, 5, 6}, {2, 3}, Device::host(),
                             Layout::column_major().pitch(4));
    given = array.to_dlpack();
    EXPECT_EQ(given->dl_tensor.data, array.data());
  }
  const DLTensor& tensor = given->dl_tensor;
  EXPECT_EQ(tensor.dtype.code, kDLFloat);
  EXPECT_EQ(tensor.dtype.bits, 32);
  EXPECT_EQ(tensor.device.device_type, kDLCPU);
  EXPECT_THAT(std::vector<int64_t>(tensor.shape, tensor.shape + tensor.ndim), ElementsAre(2, 3));
  EXPECT_THAT(std::vector<int64_t>(tensor.strides, tensor.strides + 2), ElementsAre(1, 4));
  EXPECT_THAT(Array<float>::from_dlpack(given).to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(DlPack, KeepsEveryType) {
  for (const DType type :
       {f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8, boolean, f32_f32}) {
    const AnyArray array(type, {3, 5});
    const AnyArray back = AnyArray::from_dlpack(array.to_dlpack());
    EXPECT_EQ(back.dtype(), type);
    EXPECT_EQ(back.data(), array.data());
  }
}

TEST(DlPack, GivesTf32AsTheFloatsOfItsMemory) {
  const AnyArray array(tf32, {3, 5});
  const AnyArray back = AnyArray::from_dlpack(array.to_dlpack());
  EXPECT_EQ(back.dtype(), f32);
  EXPECT_EQ(back.data(), array.data());
}

TEST(DlPack, NamesTheGpu) {
  const FakeCuda cuda;
  const AnyArray array(f32, {3}, cuda.device(1));
  DLManagedTensor* given = array.to_dlpack();
  EXPECT_EQ(given->dl_tensor.device.device_type, kDLCUDA);
  EXPECT_EQ(given->dl_tensor.device.device_id, 1);
  given->deleter(given);
}

}  // namespace dlpack_test
}  // namespace hone
