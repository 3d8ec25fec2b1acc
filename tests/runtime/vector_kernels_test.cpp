// Vector loops from the schedule's text to the simulated device and to NVRTC.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "runtime/compile.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace vector_kernels_test {

/// Small integers, different in neighbours.
Buffers filled_arguments(const Function& function, const Sizes& sizes) {
  Buffers buffers;
  int64_t number = 0;
  for (const TensorPtr& tensor : function.arguments) {
    const StorageShape storage = storage_shape(*tensor, sizes);
    Buffer buffer(tensor->type, storage.shape, fastest_dim(*tensor),
                  evaluate(row_pitch(*tensor), sizes));
    for (int64_t element = 0; element < buffer.size(); ++element)
      buffer.set(element, static_cast<double>(++number * 7 % 23));
    buffers[tensor->name] = buffer;
  }
  return buffers;
}

/// Lowers `text` to a kernel with vector accesses, and expects it to leave the same values behind
/// as the interpreter.
void expect_same(const std::string& text, const Sizes& sizes = {}) {
  const Function function = parse_function(text);
  const KernelFunction kernel = lower(function).kernels.front();
  EXPECT_NE(to_string(kernel).find("@vector"), std::string::npos) << to_string(kernel);
  Buffers expected = filled_arguments(function, sizes), got = expected;
  interpret(function, sizes, expected);
  run_on_sim(kernel, sizes, got);
  for (const TensorPtr& tensor : function.arguments)
    EXPECT_EQ(values_of(got.at(tensor->name)), values_of(expected.at(tensor->name)))
        << tensor->name << " of " << to_string(kernel);
}

TEST(VectorKernels, ComputeElementByElement) {
  const char* combine = R"(func combine[n](A: f32[n], C: f32[n], D: f32[n]) where n % 4 == 0 {
    for b in 0..(n + 127) / 128 @block.x { for t in 0..32 @thread.x { for v in 0..4 @vectorize {
      if (b*128 + t*4 + v < n) {
        D[b*128 + t*4 + v] = C[b*128 + t*4 + v] / (A[b*128 + t*4 + v]*A[b*128 + t*4 + v] + 1.0)
      } } } } })";
  for (const int64_t n : {0, 4, 128, 132, 500}) expect_same(combine, {{"n", n}});
}

TEST(VectorKernels, UpdateWhatTheyRead) {
  for (const char* update : {"=", "+=", "*=", "max=", "min="})
    expect_same(std::string(R"(func f(A: f32[16, 8], x: f32[16], C: f32[16, 8]) {
      for i in 0..16 @thread.x { for j in 0..2 @unroll { for v in 0..4 @vectorize {
        C[i, j*4 + v] )") +
                update + " A[i, j*4 + v]*x[i] } } } }");
}

TEST(VectorKernels, RunSeveralStatementsAndConditions) {
  expect_same(R"(func f(A: f32[16, 8], B: f32[16, 8], C: f32[16, 8]) {
    for i in 0..16 @thread.x { for v in 0..4 @vectorize {
      C[i, v] = A[i, v] + A[i, v + 4]
      if (i % 3 == 0) { B[i, v] = select(A[i, v] > 9.0, A[i, v + 4], A[i, v]*2.0) }
      C[i, v] += f32(v)
      C[i, v + 4] = select(i < 7, B[i, v + 4], 0.5)
    } } })");
}

TEST(VectorKernels, MoveInPlace) {
  expect_same(R"(func f(C: f32[16, 8]) { for i in 0..16 @thread.x { for v in 0..4 @vectorize {
    C[i, v] = C[i, v + 4] } } })");
}

TEST(VectorKernels, MoveEachElementToItself) {
  expect_same(
      "func f(C: f32[8]) { for i in 0..2 { for v in 0..4 @vectorize { C[i*4 + v] = "
      "C[i*4 + v] } } }");
}

TEST(VectorKernels, HoldTilesInRegisters) {
  expect_same(R"(func f(A: f32[16, 8], C: f32[16, 8]) { for i in 0..8 @thread.x {
    alloc r: f32[2, 8] @registers
    for a in 0..2 @unroll { for j in 0..2 @unroll { for v in 0..4 @vectorize {
      r[a, j*4 + v] = A[i*2 + a, j*4 + v] } } }
    for b in 0..2 @unroll { for w in 0..4 @vectorize {
      C[i*2 + b, 4 + w] = r[1 - b, w*2]*3.0
    } for u in 0..4 @vectorize { C[i*2 + b, u] = r[b, 4 + u] } } } })");
}

/// A tile that is transposed on its way to shared memory, with the layout `layout`.
std::string transposed(const std::string& layout) {
  return "func f[M, N](A: f32[M, N], C: f32[N, M]) where M % 4 == 0, N % 4 == 0 {\n"
         "for b in 0..1 @block.x { alloc s: f32[32, 32] " +
         layout + R"( @shared
      for t in 0..64 @thread.x { for r in 0..4 @unroll { for v in 0..4 @vectorize {
        s[(t % 8)*4 + v, t / 8 + r*8] =
          select(t / 8 + r*8 < M && (t % 8)*4 + v < N, A[t / 8 + r*8, (t % 8)*4 + v], 0.0) } } }
      for u in 0..64 @thread.x { for q in 0..4 @unroll { for w in 0..4 @vectorize {
        if (u / 8 + q*8 < N && (u % 8)*4 + w < M) {
          C[u / 8 + q*8, (u % 8)*4 + w] = s[u / 8 + q*8, (u % 8)*4 + w] } } } } } })";
}

TEST(VectorKernels, TransposeOnTheWayToSharedMemory) {
  for (const char* layout : {"", "@pad(4)", "@swizzle(4, 8, 1)", "@order(1, 0)"})
    for (const int64_t size : {32, 20, 4})
      expect_same(transposed(layout), {{"M", size}, {"N", 32}});
}

TEST(VectorKernels, FollowTheLayoutsOfArguments) {
  expect_same(R"(func f[n, p](A: f32[8, n] @order(1, 0), C: f32[n, 8] @pitch(p)) where p % 2 == 0 {
    for i in 0..n @thread.x { for j in 0..4 @unroll { for v in 0..2 @vectorize {
      C[i, j*2 + v] = A[j*2 + v, i] } } } })",
              {{"n", 9}, {"p", 10}});
}

TEST(VectorKernels, TakeTheQuotientsOfADealtRow) {
  expect_same(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
    for t in 0..M*(N / 4) @thread.x { for v in 0..4 @vectorize {
      C[(t*4 + v) / N, (t*4 + v) % N] = A[(t*4 + v) / N, (t*4 + v) % N] } } })",
              {{"M", 3}, {"N", 12}});
}

TEST(VectorKernels, KeepToTheOrderOfArgumentsThatOverlap) {
  expect_same(R"(func f(A: f32[64], C: f32[64]) @may_alias {
    for t in 0..16 @thread.x { for v in 0..4 @vectorize { C[t*4 + v] = A[t*4 + v] + 1.0 } } })");
}

// ---- Types --------------------------------------------------------------------------------------

struct Width {
  DType type;
  int count;
};

std::vector<Width> widths() {
  std::vector<Width> result;
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8, boolean})
    for (const int count : {2, 4, 8, 16})
      if (count * size_of(type) <= 16) result.push_back({type, count});
  return result;
}

std::string per_element(const Width& width, const std::string& statement) {
  std::string text =
      "func f(A: T[64], C: T[64]) { for t in 0..64 / W @thread.x { for v in 0..W "
      "@vectorize { " +
      statement + " } } }";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("W", std::to_string(width.count));
  replace("T", name(width.type).str());
  return text;
}

TEST(VectorKernels, MoveAndComputeWithEveryType) {
  for (const Width& width : widths()) {
    expect_same(per_element(width, "C[t*W + v] = A[t*W + v]"));
    expect_same(per_element(
        width, width.type == boolean ? "C[t*W + v] or= A[t*W + v]" : "C[t*W + v] += A[t*W + v]"));
  }
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

Compiled compiled(const std::string& text) {
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  const Compiled result = nvrtc_compile({emit_cuda(kernel), kernel.name, "sm_90", {}, ""});
  EXPECT_EQ(result.kernels.at(0).stack_bytes, 0) << emit_cuda(kernel);
  EXPECT_FALSE(result.kernels.at(0).spills());
  return result;
}

/// "v4.b32" and such: how PTX spells the widest form of an access, whatever the type.
size_t accesses(const Compiled& kernel, const std::string& what) {
  return count(kernel.ptx, "\t" + what + ".");
}

TEST(VectorKernels, AreOneInstructionPerVector) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const Width& width : widths()) {
    SCOPED_TRACE(name(width.type).str() + " by " + std::to_string(width.count));
    const Compiled move = compiled(per_element(width, "C[t*W + v] = A[t*W + v]"));
    EXPECT_EQ(accesses(move, "ld.global"), 1u);
    EXPECT_EQ(accesses(move, "st.global"), 1u);
    const Compiled sum = compiled(per_element(
        width, width.type == boolean ? "C[t*W + v] or= A[t*W + v]" : "C[t*W + v] += A[t*W + v]"));
    EXPECT_EQ(accesses(sum, "ld.global"), 2u);
    EXPECT_EQ(accesses(sum, "st.global"), 1u);
    EXPECT_EQ(accesses(sum, "ld.local") + accesses(sum, "st.local"), 0u);
  }
}

TEST(VectorKernels, AreOneInstructionPerVectorOfASharedTile) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const Compiled kernel = compiled(transposed("@pad(4)"));
  EXPECT_EQ(count(kernel.ptx, "\tld.global.nc.v4."), 4u);
  EXPECT_EQ(count(kernel.ptx, "\tst.shared."), 16u);
  EXPECT_EQ(count(kernel.ptx, "\tld.shared.v4."), 4u);
  EXPECT_EQ(count(kernel.ptx, "\tst.global.v4."), 4u);
}

// ---- Launch -------------------------------------------------------------------------------------

constexpr const char* copy_rows = R"(func rows[M, n](A: f32[M, n], C: f32[M, n]) where n % 4 == 0 {
  for i in 0..M @block.x { for j in 0..n / 4 @thread.x { for v in 0..4 @vectorize {
    C[i, j*4 + v] = A[i, j*4 + v] } } } })";

TEST(VectorKernels, AreLaunchedForTheSizesThatTheyAssume) {
  const Function function = parse_function(copy_rows);
  for (const Device& device : {Device::simulated(), Device::host()}) {
    const Kernel kernel = compile(function, {.device = device});
    const Array<float> a({2, 8}), b({2, 7});
    kernel(a, a.clone());
    EXPECT_EQ(thrown_message<RuntimeError>([&] { kernel(b, b.clone()); }),
              "rows was compiled for n % 4 == 0, and n is 7");
  }
}

TEST(VectorKernels, WantAlignedArguments) {
  const LaunchContract contract = launch_contract(lower(parse_function(copy_rows)));
  ASSERT_EQ(contract.alignments.size(), 2);
  EXPECT_EQ(contract.alignments[1].argument, 1);
  const auto check = [&](uintptr_t address) {
    return thrown_message<RuntimeError>(
        [&] { check_alignment(contract.alignments[1], reinterpret_cast<const void*>(address)); });
  };
  EXPECT_EQ(check(0x7000), "nothing was thrown");
  EXPECT_EQ(check(0x7008),
            "rows: C is accessed in vectors of 16 bytes, and its memory at 0x7008 does not start "
            "at a multiple of 16");
}

}  // namespace vector_kernels_test
}  // namespace hone
