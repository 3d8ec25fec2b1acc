// CUDA arrays, textures and surfaces as programs use them; NVRTC makes the kernels.
#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/cudart/kernels.h"

namespace hone {
namespace textures_test {

constexpr const char* kernels_text = R"(
extern "C" __global__ void rotate(cudaTextureObject_t t, float* out, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(t, (height - 1 - y) + 0.5f, x + 0.5f);
}
extern "C" __global__ void sample(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  out[i] = tex3D<float>(t, 0.5f + i % 2, 0.5f + i / 2 % 2, 1.0f + i / 4);
}
extern "C" __global__ void layers(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % 4 + 0.5f, 1.5f, threadIdx.x / 4);
}
extern "C" __global__ void invert(cudaSurfaceObject_t s) {
  int x = threadIdx.x, y = blockIdx.x;
  unsigned char value = surf2Dread<unsigned char>(s, x, y);
  surf2Dwrite((unsigned char)(255 - value), s, x, y);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, int* out) {
  out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
})";

// Programs still call these.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
constexpr auto* copy_bytes_to_array = &cudaMemcpyToArray;
constexpr auto* copy_bytes_from_array = &cudaMemcpyFromArray;
#pragma GCC diagnostic pop

/// The stand-ins of the kernels on the host.
char stand_ins[5];
constexpr const char* kernel_names[] = {"rotate", "sample", "layers", "invert", "fetch"};

void register_images() {
  CompileJob job;
  job.source = kernels_text;
  job.name = "images";
  job.arch = "compute_90";
  job.options = {"-lineinfo"};
  job.by_hand = true;
  static FatBinary binary({{.content = nvrtc_compile(job).ptx}});
  void** const handle = __cudaRegisterFatBinary(binary.wrapper());
  for (size_t n = 0; n < std::size(kernel_names); ++n)
    __cudaRegisterFunction(handle, &stand_ins[n], nullptr, kernel_names[n], -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}

const void* kernel(llvm::StringRef name) {
  for (size_t n = 0; n < std::size(kernel_names); ++n)
    if (name == kernel_names[n]) return &stand_ins[n];
  return nullptr;
}

class CudartTextures : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    static const bool is_registered = (register_images(), true);
    EXPECT_TRUE(is_registered);
  }
  ~CudartTextures() override {
    cudaDeviceReset();
    cudaGetLastError();
  }
};

template <class Call>
std::string stderr_of(const Call& call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

/// Without the numbers of arrays and objects, which depend on the tests before.
std::string unnumbered(std::string text) {
  for (size_t at = 0; (at = text.find('#', at)) != std::string::npos; ++at)
    while (at + 1 < text.size() && std::isdigit(text[at + 1])) text.erase(at + 1, 1);
  return text;
}

template <class T>
T* device_array(size_t count) {
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
  return static_cast<T*>(data);
}

template <class T>
std::vector<T> values_of(const T* data, size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost),
            cudaSuccess);
  return values;
}

const cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
const cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

cudaArray_t array_of(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, extent, flags), cudaSuccess);
  return array;
}

std::vector<float> iota(int count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

/// Copies numbers one behind the other to all of an array.
void fill(cudaArray_t array, std::vector<float> numbers, cudaExtent extent) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {numbers.data(), extent.width * sizeof(float), extent.width, extent.height};
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                               const cudaTextureDesc& texture = {}) {
  cudaTextureObject_t object = 0;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaSuccess);
  return object;
}

// ---- Programs -----------------------------------------------------------------------------------

TEST_F(CudartTextures, RotateAnImage) {
  constexpr int width = 6, height = 4;
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMallocArray(&array, &floats, width, height, 0), cudaSuccess);
  const std::vector<float> image = iota(width * height);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height,
                                cudaMemcpyHostToDevice),
            cudaSuccess);
  const cudaTextureObject_t texture = texture_of(resource_of(array));
  auto* const out = device_array<float>(width * height);
  EXPECT_EQ(
      stderr_of([&] { launch(kernel("rotate"), width, height, texture, out, height, width); }), "");
  const std::vector<float> rotated = values_of(out, width * height);
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < height; ++x)
      EXPECT_EQ(rotated[y * height + x], image[x * width + width - 1 - y]) << x << " " << y;
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(CudartTextures, SampleAVolumeBetweenSlices) {
  const cudaExtent extent = {2, 2, 3};
  const cudaArray_t array = array_of(floats, extent);
  fill(array, iota(12), extent);
  cudaTextureDesc texture = {};
  texture.filterMode = cudaFilterModeLinear;
  for (auto& mode : texture.addressMode) mode = cudaAddressModeClamp;
  auto* const out = device_array<float>(8);
  launch(kernel("sample"), 1, 8, texture_of(resource_of(array), texture), out);
  EXPECT_THAT(values_of(out, 8), testing::ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(CudartTextures, ReadLayers) {
  const cudaExtent extent = {4, 3, 2};
  const cudaArray_t array = array_of(floats, extent, cudaArrayLayered);
  fill(array, iota(24), extent);
  auto* const out = device_array<float>(8);
  launch(kernel("layers"), 1, 8, texture_of(resource_of(array)), out);
  EXPECT_THAT(values_of(out, 8), testing::ElementsAre(4, 5, 6, 7, 16, 17, 18, 19));
}

TEST_F(CudartTextures, WriteSurfacesAndReadThemBack) {
  constexpr int width = 5, height = 3;
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMallocArray(&array, &bytes, width, height, cudaArraySurfaceLoadStore), cudaSuccess);
  std::vector<uint8_t> image(width * height), result(width * height);
  std::iota(image.begin(), image.end(), uint8_t{0});
  EXPECT_EQ(copy_bytes_to_array(array, 0, 0, image.data(), image.size(), cudaMemcpyHostToDevice),
            cudaSuccess);
  cudaSurfaceObject_t surface = 0;
  const cudaResourceDesc resource = resource_of(array);
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  EXPECT_EQ(stderr_of([&] { launch(kernel("invert"), height, width, surface); }), "");
  EXPECT_EQ(cudaMemcpy2DFromArray(result.data(), width, array, 0, 0, width, height,
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (int n = 0; n < width * height; ++n) EXPECT_EQ(result[n], 255 - n);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
}

TEST_F(CudartTextures, FetchLinearAndPitchedMemory) {
  auto* const data = device_array<int>(32);
  std::vector<int> numbers(32);
  std::iota(numbers.begin(), numbers.end(), 5);
  EXPECT_EQ(cudaMemcpy(data, numbers.data(), 128, cudaMemcpyHostToDevice), cudaSuccess);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {data, {32, 0, 0, 0, cudaChannelFormatKindSigned}, 120};
  auto* const out = device_array<int>(32);
  const cudaTextureObject_t texture = texture_of(resource);
  const std::string text = stderr_of([&] { launch(kernel("fetch"), 1, 32, texture, out); });
  EXPECT_EQ(unnumbered(text),
            "hone: in fetch:\n"
            "access out of bounds: element 30 of texture object #, which has 30\n"
            "  images.cu:19: block (0, 0, 0), thread (30, 0, 0) fetches from a texture\n"
            "  A GPU reads 0 there; the kernel goes on.\n"
            "  and 1 more like it\n");
  numbers[30] = numbers[31] = 0;
  EXPECT_EQ(values_of(out, 32), numbers);

  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {data, floats, 4, 4, 32};
  auto* const turned = device_array<float>(16);
  launch(kernel("rotate"), 4, 4, texture_of(resource), turned, 4, 4);
  EXPECT_EQ(std::bit_cast<int>(values_of(turned, 16)[1]), 5 + 8 + 3);
}

// ---- Calls --------------------------------------------------------------------------------------

TEST_F(CudartTextures, TellWhatTheyWereMadeOf) {
  const cudaArray_t array = array_of(floats, {8, 6, 0}, cudaArrayTextureGather);
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};
  unsigned flags = 0;
  EXPECT_EQ(cudaArrayGetInfo(&format, &extent, &flags, array), cudaSuccess);
  EXPECT_EQ(format.x, 32);
  EXPECT_EQ(extent.height, 6u);
  EXPECT_EQ(flags, unsigned{cudaArrayTextureGather});
  EXPECT_EQ(cudaGetChannelDesc(&format, array), cudaSuccess);
  EXPECT_EQ(format.f, cudaChannelFormatKindFloat);
  cudaTextureDesc described = {}, given = {};
  given.normalizedCoords = 1;
  const cudaTextureObject_t texture = texture_of(resource_of(array), given);
  cudaResourceDesc resource = {};
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&resource, texture), cudaSuccess);
  EXPECT_EQ(resource.res.array.array, array);
  EXPECT_EQ(cudaGetTextureObjectTextureDesc(&described, texture), cudaSuccess);
  EXPECT_EQ(described.normalizedCoords, 1);
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&resource, texture), cudaErrorInvalidValue);
}

TEST_F(CudartTextures, CopyBetweenArraysAndInPieces) {
  const cudaArray_t from = array_of(floats, {5, 3, 0}), to = array_of(floats, {4, 4, 0});
  const std::vector<float> numbers = iota(15);
  EXPECT_EQ(copy_bytes_to_array(from, 8, 0, numbers.data(), 11 * 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<float> back(11);
  EXPECT_EQ(copy_bytes_from_array(back.data(), from, 8, 0, 11 * 4, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(back, iota(11));
  EXPECT_EQ(cudaMemcpy2DArrayToArray(to, 4, 2, from, 0, 1, 12, 2, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  back.resize(6);
  EXPECT_EQ(cudaMemcpy2DFromArray(back.data(), 12, to, 4, 2, 12, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(back, testing::ElementsAre(3, 4, 5, 8, 9, 10));
}

/// Places in arrays count elements, those in memory bytes.
TEST_F(CudartTextures, CopyPartsOfVolumes) {
  const cudaExtent extent = {4, 3, 2};
  const cudaArray_t array = array_of(floats, extent);
  fill(array, iota(24), extent);
  std::vector<float> part(9, -1);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.srcPos = {1, 1, 1};
  copy.dstPtr = {part.data(), 12, 12, 3};
  copy.dstPos = {4, 1, 0};
  copy.extent = {2, 2, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_THAT(part, testing::ElementsAre(-1, -1, -1, -1, 17, 18, -1, 21, 22));
}

TEST_F(CudartTextures, ReportCopiesThatLeaveTheirArray) {
  const cudaArray_t array = array_of(floats, {5, 3, 0});
  const std::vector<float> numbers(100);
  EXPECT_EQ(unnumbered(stderr_of([&] {
              EXPECT_EQ(cudaMemcpy2DToArray(array, 8, 0, numbers.data(), 16, 16, 3,
                                            cudaMemcpyHostToDevice),
                        cudaErrorInvalidValue);
            })),
            "hone: cudaMemcpy2DToArray of 16 x 3 x 1 bytes from (8, 0, 0) on of cudaMalloc3DArray "
            "#, which has 20 x 3 x 1\n");
}

TEST_F(CudartTextures, RefuseWhatIsNotThere) {
  const auto refused = [](const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                          cudaError_t error, const std::string& why) {
    cudaTextureObject_t object = 0;
    EXPECT_EQ(stderr_of([&] {
                EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), error);
              }),
              "hone: cudaCreateTextureObject: " + why + "\n");
  };
  const cudaResourceDesc resource = resource_of(array_of(bytes, {5, 3, 0}));
  cudaTextureDesc texture = {};
  texture.sRGB = 1;
  refused(resource, texture, cudaErrorNotSupported,
          "conversions from sRGB are not supported on the simulated device");
  texture = {};
  texture.maxAnisotropy = 4;
  refused(resource, texture, cudaErrorNotSupported,
          "anisotropic filters are not supported on the simulated device");
  texture = {};
  texture.filterMode = cudaFilterModeLinear;
  refused(resource, texture, cudaErrorInvalidFilterSetting,
          "a linear filter of integers, which cudaReadModeNormalizedFloat alone makes floats");
  texture = {};
  texture.addressMode[0] = cudaAddressModeBorder;
  texture.borderColor[0] = 1;
  refused(resource, texture, cudaErrorNotSupported,
          "borders of integers other than 0 are not supported on the simulated device");
  cudaResourceDesc levels = {};
  levels.resType = cudaResourceTypeMipmappedArray;
  refused(levels, {}, cudaErrorNotSupported,
          "mipmapped arrays are not supported on the simulated device");
}

TEST_F(CudartTextures, ReportObjectsThatAreNone) {
  const cudaResourceDesc resource = resource_of(array_of(bytes, {5, 3, 0}));
  cudaSurfaceObject_t surface = 0;
  EXPECT_EQ(unnumbered(stderr_of(
                [&] { EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess); })),
            "hone: cudaCreateSurfaceObject of cudaMalloc3DArray #, which was made without "
            "cudaArraySurfaceLoadStore\n");
  EXPECT_EQ(stderr_of([] { EXPECT_EQ(cudaDestroyTextureObject(0), cudaSuccess); }), "");
  EXPECT_EQ(stderr_of([] { EXPECT_EQ(cudaDestroyTextureObject(12), cudaErrorInvalidValue); }),
            "hone: cudaDestroyTextureObject of 0xc, which is no such object\n");
  const cudaTextureObject_t texture = texture_of(resource);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(unnumbered(stderr_of(
                [&] { EXPECT_EQ(cudaDestroyTextureObject(texture), cudaErrorInvalidValue); })),
            "hone: cudaDestroyTextureObject of texture object #, which was destroyed\n");
}

TEST_F(CudartTextures, RefuseArraysThatAreNone) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  EXPECT_EQ(cudaMallocArray(&array, &three, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMallocArray(&array, &floats, 0, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &floats, {4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &floats, {4, 0, 6}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(stderr_of([&] {
              EXPECT_EQ(cudaMallocArray(&array, &floats, 4, 4, cudaArraySparse),
                        cudaErrorNotSupported);
            }),
            "hone: cudaMallocArray: sparse arrays and those that are mapped later are not "
            "supported on the simulated device\n");
}

}  // namespace textures_test
}  // namespace hone
