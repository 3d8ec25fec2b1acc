// Surfaces, linear memory under textures, and the mistakes that are made with both.

#include "gmock/gmock.h"
#include "runtime/ptx/text/lexer.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::surfaces_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = TexelFormat::Kind;

class PtxSurfaces : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// A surface over rows of floats; rows lie 16 bytes apart at least.
struct Surface {
  float* data = nullptr;
  Image image;
  uint64_t handle = 0;

  float at(int x, int y, int z = 0) const {
    return data[(z * image.slice_bytes + y * image.row_bytes) / 4 + x];
  }
};

Surface surface_of(CudaKernel& kernel, std::array<int64_t, 3> extents, int dims, bool is_set,
                   const TexelFormat& format = {}) {
  Surface surface;
  Image& image = surface.image;
  image.format = format;
  image.shape.dims = dims;
  image.extents = extents;
  image.row_bytes = (extents[0] * format.bytes() + 15) / 16 * 16;
  image.slice_bytes = image.row_bytes * extents[1];
  const int64_t count = image.slice_bytes * extents[2] / 4;
  surface.data = is_set ? kernel.array(counting(static_cast<int>(count)), "texels")
                        : kernel.unset<float>(count, "texels");
  image.address = reinterpret_cast<uint64_t>(surface.data);
  Memory& memory = kernel.module().memory();
  if (dims > 1) memory.find(image.address)->row_bytes = image.row_bytes;
  surface.handle = memory.images().make(image, std::nullopt);
  return surface;
}

std::string kernel_text(const std::string& body) {
  return fmt::format(R"(
extern "C" __global__ void use(cudaSurfaceObject_t s, float* out) {{
  int i = threadIdx.x;
  {}
}})",
                     body);
}

constexpr LaunchShape one_warp = {.block = {32, 1, 1}};

std::string findings(CudaKernel& kernel, const std::vector<Argument>& arguments,
                     const LaunchShape& shape = one_warp) {
  return findings_of(kernel.run(shape, arguments));
}

// ---- Surfaces -----------------------------------------------------------------------------------

TEST_F(PtxSurfaces, AreWrittenAndReadBack) {
  CudaKernel kernel(kernel_text(R"(
  surf2Dwrite((float)i, s, (i % 8) * 4, i / 8);
  __syncthreads();
  out[i] = surf2Dread<float>(s, (7 - i % 8) * 4, i / 8);)"));
  const Surface surface = surface_of(kernel, {8, 4, 1}, 2, false);
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(findings(kernel, {surface.handle, out}), "");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(surface.at(i % 8, i / 8), i);
    EXPECT_EQ(out[i], i / 8 * 8 + 7 - i % 8);
  }
}

TEST_F(PtxSurfaces, HaveValuesOfAllSizes) {
  const char* const types[] = {"char",   "short",  "float2",   "float4",
                               "uchar4", "short2", "longlong2"};
  const int bytes[] = {1, 2, 8, 16, 4, 4, 16};
  for (size_t n = 0; n < std::size(types); ++n) {
    CudaKernel kernel(kernel_text(fmt::format(R"(
  auto value = surf3Dread<{0}>(s, {1} * (i % 4), i / 4 % 2, i / 8 % 2);
  if (i < 16) *(({0}*)out + i) = value;
  if (i < 16) surf3Dwrite(value, s, {1} * (i % 4), i / 4, 2);)",
                                              types[n], bytes[n])));
    const TexelFormat format = {Kind::unsigned_integer, bytes[n] < 4 ? bytes[n] * 8 : 32,
                                std::max(bytes[n] / 4, 1)};
    const Surface surface = surface_of(kernel, {4, 4, 3}, 3, true, format);
    auto* const out = kernel.unset<char>(256, "out");
    EXPECT_EQ(findings(kernel, {surface.handle, out}), "") << types[n];
    for (int i = 0; i < 16; ++i) {
      const auto* const data = reinterpret_cast<const char*>(surface.data);
      const int64_t in_row = int64_t{i % 4} * bytes[n];
      const int64_t from = i / 8 * surface.image.slice_bytes + i / 4 % 2 * surface.image.row_bytes;
      const int64_t to = 2 * surface.image.slice_bytes + i / 4 * surface.image.row_bytes;
      EXPECT_EQ(std::memcmp(out + i * bytes[n], data + from + in_row, bytes[n]), 0)
          << types[n] << i;
      EXPECT_EQ(std::memcmp(data + to + in_row, data + from + in_row, bytes[n]), 0)
          << types[n] << i;
    }
  }
}

TEST_F(PtxSurfaces, ClampOrLeaveOutWhatIsOutside) {
  CudaKernel kernel(kernel_text(R"(
  int x = (i % 8 - 2) * 4, y = i / 8 - 1;
  float near = surf2Dread<float>(s, x, y, cudaBoundaryModeClamp);
  float zero = surf2Dread<float>(s, x, y, cudaBoundaryModeZero);
  out[i] = near; out[32 + i] = zero;
  __syncthreads();
  surf2Dwrite(100.0f, s, x, y, cudaBoundaryModeZero);)"));
  const Surface surface = surface_of(kernel, {3, 2, 1}, 2, true);
  const float before[2][3] = {{1, 2, 3}, {5, 6, 7}};
  float* const out = kernel.unset<float>(64, "out");
  EXPECT_EQ(findings(kernel, {surface.handle, out}), "");
  for (int i = 0; i < 32; ++i) {
    const int x = i % 8 - 2, y = i / 8 - 1;
    const bool is_inside = x >= 0 && x < 3 && y >= 0 && y < 2;
    EXPECT_EQ(out[i], before[std::clamp(y, 0, 1)][std::clamp(x, 0, 2)]) << i;
    EXPECT_EQ(out[32 + i], is_inside ? before[y][x] : 0) << i;
  }
  EXPECT_EQ(surface.at(2, 1), 100);
  EXPECT_EQ(surface.data[3], 4);  // behind the row
}

/// Also where the register held another value before.
TEST_F(PtxSurfaces, ReadZerosBehindTheLastWholeValue) {
  CudaKernel kernel(kernel_text(R"(
  float sum = 0;
  #pragma unroll 1
  for (int x = 0; x < 16; x += 4) sum += __float2int_rn(surf2Dread<float>(s, x, 0, cudaBoundaryModeZero));
  out[i] = sum;)"));
  const Surface surface = surface_of(kernel, {6, 1, 1}, 2, true, {Kind::unsigned_integer, 8, 1});
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(findings(kernel, {surface.handle, out}), "");
  EXPECT_EQ(out[7], 1);
}

TEST_F(PtxSurfaces, NameLayersAndFaces) {
  CudaKernel kernel(kernel_text(R"(
  if (i < 6) surfCubemapwrite((float)i, s, 0, 1, i);
  if (i < 6) out[i] = surf2DLayeredread<float>(s, 4, 0, i);)"));
  Surface surface = surface_of(kernel, {2, 2, 6}, 2, true);
  surface.image.shape.is_cube = true;
  surface.image.layers = 6;
  surface.image.extents[2] = 1;
  surface.handle = kernel.module().memory().images().make(surface.image, std::nullopt);
  float* const out = kernel.unset<float>(6, "out");
  EXPECT_EQ(findings(kernel, {surface.handle, out}), "");
  for (int face = 0; face < 6; ++face) {
    EXPECT_EQ(surface.at(0, 1, face), face);
    EXPECT_EQ(out[face], surface.at(1, 0, face));
  }
}

// ---- Mistakes -----------------------------------------------------------------------------------

TEST_F(PtxSurfaces, ReportWhatIsOutside) {
  CudaKernel kernel(kernel_text("surf2Dwrite(1.0f, s, 4 * i, 1);"));
  const Surface surface = surface_of(kernel, {8, 4, 1}, 2, true);
  EXPECT_EQ(findings(kernel, {surface.handle, nullptr}),
            "access out of bounds: byte 32 of a row of surface object #1, which has 32\n"
            "  test.cu:4: block (0, 0, 0), thread (8, 0, 0) writes 4 bytes of a surface\n");
  CudaKernel rows(kernel_text("out[i] = surf2Dread<float>(s, 0, i - 1);"));
  const Surface other = surface_of(rows, {8, 4, 1}, 2, true);
  EXPECT_EQ(findings(rows, {other.handle, rows.unset<float>(32, "out")}),
            "access out of bounds: row -1 of surface object #1, which has 4\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes of a surface\n");
}

TEST_F(PtxSurfaces, ReportBytesOfTwoTexels) {
  CudaKernel kernel(kernel_text("surf2Dwrite(1.0f, s, i, 1);"));
  const Surface surface = surface_of(kernel, {16, 4, 1}, 2, true);
  EXPECT_EQ(findings(kernel, {surface.handle, nullptr}),
            "misaligned access: byte 1 of a row of surface object #1 is no multiple of the 4 bytes "
            "of the access\n"
            "  test.cu:4: block (0, 0, 0), thread (1, 0, 0) writes 4 bytes of a surface\n");
}

TEST_F(PtxSurfaces, TakePartInRaces) {
  CudaKernel kernel(kernel_text("surf2Dwrite((float)i, s, 4 * (i / 2), 1);"));
  const Surface surface = surface_of(kernel, {16, 4, 1}, 2, true);
  EXPECT_EQ(findings(kernel, {surface.handle, nullptr}),
            "race: texels, byte 0 of row 1\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) writes 4 bytes\n"
            "  test.cu:4: block (0, 0, 0), thread (1, 0, 0) writes 4 bytes\n"
            "  Lanes of a warp need not run in step: __syncwarp() orders their accesses.\n"
            "  and 15 more like it\n");
}

TEST_F(PtxSurfaces, HoldValuesOnceTheyAreWritten) {
  CudaKernel kernel(kernel_text("out[i] = surf2Dread<float>(s, 4 * i, 1);"));
  const Surface surface = surface_of(kernel, {32, 4, 1}, 2, false);
  EXPECT_EQ(findings(kernel, {surface.handle, kernel.unset<float>(32, "out")}),
            "uninitialised read: a value that nobody wrote is written to global memory\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) uses the value\n");
}

TEST_F(PtxSurfaces, AreNoTextures) {
  CudaKernel kernel(kernel_text("out[i] = tex2D<float>(s, i, 0);"));
  const Surface surface = surface_of(kernel, {8, 4, 1}, 2, true);
  ImageObjects& images = kernel.module().memory().images();
  float* const out = kernel.unset<float>(32, "out");
  const auto text = [](const std::string& what) {
    return fmt::format(
        "invalid operation: {}\n"
        "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) fetches from a texture\n",
        what);
  };
  EXPECT_EQ(findings(kernel, {surface.handle, out}),
            text("surface object #1 is no texture object"));
  EXPECT_EQ(findings(kernel, {uint64_t{0}, out}), text("the handle 0x0 is no texture object"));
  EXPECT_EQ(findings(kernel, {uint64_t{5} << 48 | 8, out}),
            text("the handle 0x5000000000008 is no texture object"));
  const uint64_t texture = images.make(surface.image, Sampler());
  EXPECT_EQ(findings(kernel, {texture, out}), "");
  EXPECT_TRUE(images.destroy(texture));
  EXPECT_FALSE(images.destroy(texture));
  EXPECT_EQ(findings(kernel, {texture, out}), text("texture object #1 was destroyed"));
  Image volume = surface.image;
  volume.shape.dims = 3;
  EXPECT_EQ(findings(kernel, {images.make(volume, Sampler()), out}),
            text("coordinates for 2D, and texture object #2 is 3D"));
  Image linear = surface.image;
  linear.is_linear = true;
  EXPECT_EQ(findings(kernel, {images.make(linear, Sampler()), out}),
            text("texture object #3 is linear memory, which tex1Dfetch() alone reads"));
}

/// Lanes may name several objects.
TEST_F(PtxSurfaces, AreChosenByEachLane) {
  CudaKernel kernel(
      kernel_text("cudaSurfaceObject_t mine = s + 16 * (i % 2); out[i] = surf1Dread<float>(mine, 4 "
                  "* (i / 2));"));
  const Surface even = surface_of(kernel, {16, 1, 1}, 1, true);
  const Surface odd = surface_of(kernel, {16, 1, 1}, 1, true);
  for (int x = 0; x < 16; ++x) odd.data[x] = -1;
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(findings(kernel, {even.handle, out}), "");
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 1 + i / 2 : -1) << i;
}

// ---- Textures of linear memory ------------------------------------------------------------------

struct LinearTexture {
  float* data = nullptr;
  uint64_t handle = 0;
};

LinearTexture linear_texture(CudaKernel& kernel, int count, bool is_set) {
  LinearTexture texture;
  texture.data =
      is_set ? kernel.array(counting(count), "data") : kernel.unset<float>(count, "data");
  Image image;
  image.address = reinterpret_cast<uint64_t>(texture.data);
  image.extents[0] = count;
  image.is_linear = true;
  Sampler sampler;
  sampler.is_linear = true;  // which means nothing here
  texture.handle = kernel.module().memory().images().make(image, sampler);
  return texture;
}

TEST_F(PtxSurfaces, AreLinearMemoryForTextures) {
  CudaKernel kernel(kernel_text("out[i] = tex1Dfetch<float>(s, 2 * i);"));
  const LinearTexture texture = linear_texture(kernel, 63, true);
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(findings(kernel, {texture.handle, out}), "");
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1 + 2 * i);
}

TEST_F(PtxSurfaces, ReportFetchesOutsideOfLinearMemory) {
  CudaKernel kernel(kernel_text("out[i] = tex1Dfetch<float>(s, i - 1);"));
  const LinearTexture texture = linear_texture(kernel, 30, true);
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(findings(kernel, {texture.handle, out}),
            "access out of bounds: element -1 of texture object #1, which has 30\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) fetches from a texture\n"
            "  A GPU reads 0 there; the kernel goes on.\n"
            "  and 1 more like it\n");
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[31], 0);
}

TEST_F(PtxSurfaces, ReportFetchesOfMemoryThatIsFreed) {
  CudaKernel kernel(kernel_text("out[i] = tex1Dfetch<float>(s, i);"));
  const LinearTexture texture = linear_texture(kernel, 32, true);
  kernel.module().memory().free(reinterpret_cast<uint64_t>(texture.data));
  EXPECT_EQ(findings(kernel, {texture.handle, kernel.unset<float>(32, "out")}),
            "access out of bounds: byte 0 of data, which was freed\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes of global memory\n");
}

TEST_F(PtxSurfaces, FollowFetchesOfValuesThatNobodyWrote) {
  CudaKernel kernel(kernel_text("out[i] = tex1Dfetch<float>(s, i);"));
  const LinearTexture texture = linear_texture(kernel, 32, false);
  EXPECT_EQ(findings(kernel, {texture.handle, kernel.unset<float>(32, "out")}),
            "uninitialised read: a value that nobody wrote is written to global memory\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads by a texture fetch\n"
            "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) uses the value\n");
}

TEST_F(PtxSurfaces, ReportWritesUnderATexture) {
  CudaKernel kernel(kernel_text("out[i] = tex1Dfetch<float>(s, 31 - i);"));
  const LinearTexture texture = linear_texture(kernel, 32, true);
  EXPECT_THAT(findings(kernel, {texture.handle, texture.data}),
              HasSubstr("thread (31, 0, 0) reads by a texture fetch\n"
                        "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) writes 4 bytes\n"));
}

TEST_F(PtxSurfaces, AreNotAmongTheCounts) {
  CudaKernel kernel(
      kernel_text("out[i] = tex2D<float>(s, i % 8, 0) + surf2Dread<float>(s + 16, i % 8 * 4, 0);"));
  const Surface surface = surface_of(kernel, {8, 4, 1}, 2, true);
  ImageObjects& images = kernel.module().memory().images();
  const uint64_t texture = images.make(surface.image, Sampler());
  images.make(surface.image, std::nullopt);
  const Report report =
      kernel.run(one_warp, {texture, kernel.unset<float>(32, "out")}, {.count = true});
  ASSERT_EQ(report.counts.accesses.size(), 1u);
  EXPECT_EQ(report.counts.accesses[0].access_class, AccessClass::global_store);
}

// ---- Forms that are not known -------------------------------------------------------------------

std::string refusal_of(const std::string& instruction) {
  Memory memory;
  const LoadedModule module(fmt::format(R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 t)
{{
  .reg .b64 %rd<2>;
  .reg .b32 %r<20>;
  .reg .f32 %f<9>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [t];
  {}
  ret;
}})",
                                        instruction),
                            memory);
  return module.kernels().front().unsupported;
}

TEST(PtxImages, RefuseFormsByName) {
  const std::string to = "{%f1, %f2, %f3, %f4}", words = "{%r1, %r2, %r3, %r4}";
  const std::pair<std::string, std::string> cases[] = {
      {"tex.2d.v2.f16x2.f32 {%r1, %r2}, [%rd1, {%f5, %f6}];",
       "tex.2d.v2.f16x2.f32: .v2 is not known"},
      {"tex.2d.v4.f32.s32 " + to + ", [%rd1, {%r5, %r6}];",
       "tex.2d.v4.f32.s32: whole coordinates are known of tex.1d alone"},
      {"tex.2d.v4.f32.f32 " + to + "|%p1, [%rd1, {%f5, %f6}];",
       "tex.2d.v4.f32.f32: the predicate for sparse textures is not known"},
      {"tex.2d.v4.f32.f32 " + to + ", [%rd1, {%f5, %f6}], {%r5, %r6};",
       "tex.2d.v4.f32.f32: a form with 3 operands is not known"},
      {"tex.base.2d.v4.f32.f32 " + to + ", [%rd1, {%f5, %f6}];",
       "tex.base.2d.v4.f32.f32: .base is not known"},
      {"tex.2d.v4.f32.f32 " + to + ", [%rd1, {%f5}];",
       "tex.2d.v4.f32.f32: coordinates are missing"},
      {"tex.2d.v4.f32.f32 " + to + ", [%r1, {%f5, %f6}];",
       "tex.2d.v4.f32.f32: a texture or surface that is no handle in a register is not known"},
      {"suld.p.2d.v4.b32.trap " + words + ", [%rd1, {%r5, %r6}];",
       "suld.p.2d.v4.b32.trap: .p is not known"},
      {"sust.b.2d.b32.trap [%rd1, {%r5, %r6}], {%r1}, %r2;",
       "sust.b.2d.b32.trap: a form with 3 operands is not known"},
      {"txq.level.width.b32 %r1, [%rd1], %r2;", "txq.level.width.b32: .level is not known"},
      {"txq.channel_order.b32 %r1, [%rd1];", "txq.channel_order.b32: .channel_order is not known"},
      {"istypep.texref %p1, %rd1;", "istypep.texref: the instruction is not known"}};
  for (const auto& [instruction, why] : cases)
    EXPECT_EQ(refusal_of(instruction), fmt::format("line 12: {}\n", why)) << instruction;
  EXPECT_EQ(refusal_of("tex.2d.v4.f32.f32 " + to + ", [%rd1, {%f5, %f6}];"), "");
}

}  // namespace
}  // namespace hone::ptx::surfaces_test
