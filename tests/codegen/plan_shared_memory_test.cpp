#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/pass/passes.h"
#include "codegen/shared_memory.h"
#include "codegen/verify_kernel.h"
#include "ir/core/error.h"
#include "ir/text/parser.h"
#include "ir/traverse/tensors.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace plan_shared_memory_test {

/// "s at 0, u at 128": the addresses that the tensors of the kernel get.
std::string addresses(const std::string& statements) {
  KernelFunction kernel =
      unlowered("func f[n](A: f32[64], C: f32[64], H: f16[64], D: f64[64], B: i8[64]) {\n" +
                statements + "}");
  plan_shared_memory(kernel);
  std::string text;
  for (const TensorPtr& tensor : shared_memory(kernel).tensors)
    text += (text.empty() ? "" : ", ") + fmt::format("{} at {}", tensor->name, tensor->address);
  return text;
}

TEST(PlanSharedMemory, MovesAllocsToTheTop) {
  EXPECT_EQ(after_passes({plan_shared_memory}, R"(func f(A: f32[64], C: f32[64]) {
              for b in 0..2 @block.x {
                alloc s: f32[32] @shared
                for t in 0..32 @thread.x { s[t] = A[b*32 + t] }
                for k in 0..4 {
                  alloc u: f32[8, 4] @pad(1) @shared
                  for t2 in 0..32 @thread.x { u[t2 / 4, t2 % 4] = s[31 - t2] }
                  for t3 in 0..32 @thread.x { C[b*32 + t3] += u[t3 % 8, k] } } } })"),
            "alloc s: f32[32] @shared(0)\n"
            "alloc u: f32[8, 4] @pad(1) @shared(128)\n"
            "for b in 0..2 @block.x {\n"
            "  for t in 0..32 @thread.x {\n"
            "    s[t] = A[b*32 + t]\n"
            "  }\n"
            "  for k in 0..4 {\n"
            "    for t2 in 0..32 @thread.x {\n"
            "      u[t2 / 4, t2 % 4] = s[31 - t2]\n"
            "    }\n"
            "    for t3 in 0..32 @thread.x {\n"
            "      C[b*32 + t3] += u[t3 % 8, k]\n"
            "    }\n"
            "  }\n"
            "}");
}

TEST(PlanSharedMemory, TensorsThatAreNotInUseAtTheSameTimeShareBytes) {
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] C[0] = s[0] u[0] = A[1] C[1] = u[0]"),
            "s at 0, u at 0");
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] u[0] = A[1] C[0] = s[0] C[1] = u[0]"),
            "s at 0, u at 256");
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] u[0] = s[0] C[1] = u[0]"),
            "s at 0, u at 256");
}

TEST(PlanSharedMemory, ATensorIsInUseAllThroughALoopThatItOutlives) {
  // In the next iteration u's bytes are wanted as they were left.
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\nu[0] = A[0]\n"
                      "for k in 0..4 { C[k] = u[k] s[0] = A[k] C[k] += s[0] }"),
            "s at 0, u at 256");
  // Allocated inside, each iteration has tensors of its own.
  EXPECT_EQ(addresses("for k in 0..4 { alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[k] C[k] = s[0] u[0] = A[k] C[k] += u[0] }"),
            "s at 0, u at 0");
  // One inside, one outside.
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nfor k in 0..4 { alloc u: f32[64] @shared\n"
                      "s[k] = A[k] C[k] = s[k] u[0] = A[k] C[k] += u[0] }"),
            "s at 0, u at 256");
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nfor k in 0..4 { alloc u: f32[64] @shared\n"
                      "u[0] = A[k] C[k] = u[0] } s[0] = A[0] C[0] = s[0]"),
            "s at 0, u at 0");
}

TEST(PlanSharedMemory, ConditionsAndIndicesAreUses) {
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] u[0] = A[1] if (s[0] > 0.0) { C[0] = u[0] }"),
            "s at 0, u at 256");
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] u[0] = A[1] C[0] = select(s[0] > 0.0, 1.0, 2.0) C[1] = u[0]"),
            "s at 0, u at 256");
}

TEST(PlanSharedMemory, TakesTheLowestPlaceThatIsFree) {
  EXPECT_EQ(
      addresses("alloc a: f32[64] @shared\nalloc b: f32[64] @shared\nalloc c: f32[64] @shared\n"
                "alloc d: f32[128] @shared\n"
                "a[0] = A[0] b[0] = A[1] c[0] = a[0] C[0] = b[0] d[0] = 1.0 "
                "C[1] = c[0] C[2] = d[0]"),
      "a at 0, b at 256, c at 512, d at 0");
}

TEST(PlanSharedMemory, TensorsThatAreFilledAnewShareBytes) {
  // Read in one iteration, and filled for the next one.
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "copy s[0 .. +64] <- A[0 .. +64] for k in 0..4 { C[k] = s[k] "
                      "copy u[0 .. +64] <- A[0 .. +64] C[k] += u[k] "
                      "copy s[0 .. +64] <- A[0 .. +64] }"),
            "s at 0, u at 0");
  EXPECT_EQ(addresses("alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                      "copy s[0 .. +64] <- A[0 .. +64] for k in 0..4 { "
                      "copy u[0 .. +64] <- A[0 .. +64] C[k] = s[k] "
                      "copy s[0 .. +64] <- A[0 .. +64] C[k] += u[k] }"),
            "s at 0, u at 256");
}

TEST(PlanSharedMemory, KeepsAlignments) {
  EXPECT_EQ(addresses("alloc s: f32[65] @shared\nalloc u: f32[64] @shared @align(1024)\n"
                      "alloc v: f32[32] @shared\n"
                      "s[0] = A[0] u[0] = A[1] v[0] = A[2] C[0] = s[0] + u[0] + v[0]"),
            "s at 0, u at 1024, v at 272");
}

TEST(PlanSharedMemory, WhatAWarpHoldsAtOnceHasBytesOfItsOwn) {
  EXPECT_EQ(addresses("alloc s: f32[32] @shared\nalloc u: f32[64] @shared\n"
                      "s[0] = A[0] C[0] = s[0] u[0] = A[1] C[1] = u[0]"),
            "s at 0, u at 128");
}

TEST(PlanSharedMemory, StartsEveryTensorAtWholeVectors) {
  const std::string use =
      "a[0] = H[0] b[0] = D[0] c[0] = B[0] d[0] = A[0] "
      "H[1] = a[0] D[1] = b[0] B[1] = c[0] C[0] = d[0]";
  EXPECT_EQ(addresses("alloc a: f16[3] @shared\nalloc b: f64[1] @shared\nalloc c: i8[17] @shared\n"
                      "alloc d: f32[1] @shared\n" +
                      use),
            "a at 0, b at 16, c at 32, d at 64");
}

TEST(PlanSharedMemory, CountsWhatLiesBetweenRows) {
  const std::string use = "a[0, 0] = A[0] b[0] = A[0] C[0] = a[0, 0] C[1] = b[0]";
  const std::string next = "\nalloc b: f32[4] @shared\n" + use;
  EXPECT_EQ(addresses("alloc a: f32[4, 8] @shared" + next), "a at 0, b at 128");
  EXPECT_EQ(addresses("alloc a: f32[4, 8] @pad(1) @shared" + next), "a at 0, b at 144");
  EXPECT_EQ(addresses("alloc a: f32[4, 8] @order(1, 0) @pad(1) @shared" + next),
            "a at 0, b at 160");
  EXPECT_EQ(addresses("alloc a: f32[4, 8] @pitch(16) @shared" + next), "a at 0, b at 256");
}

TEST(PlanSharedMemory, ATensorThatNothingUsesHasNoPlace) {
  EXPECT_EQ(
      addresses("alloc s: f32[32] @shared\nalloc u: f32[32] @shared\nu[0] = A[0] C[0] = u[0]"),
      "u at 0");
}

/// The refusal of a kernel with `alloc`: "message\nnote".
std::string planning_error(const std::string& alloc) {
  return lowering_error("func f[n](A: f32[64], C: f32[64]) { for b in 0..4 @block.x {\n" + alloc +
                        "\ns[0] = A[b] C[b] = s[0] } }");
}

TEST(PlanSharedMemory, RefusesSizesThatAreNotConstant) {
  const char* note =
      "\nshared memory has the same size in every launch; split the axis by a constant and cache "
      "under the outer part";
  EXPECT_EQ(planning_error("alloc s: f32[n] @shared"),
            std::string("s: f32[n] is in shared memory, and its size depends on n") + note);
  EXPECT_EQ(
      planning_error("alloc s: f32[n*2 + 1] @pad(1) @shared"),
      std::string("s: f32[n*2 + 1] @pad(1) is in shared memory, and its size depends on n*2 + 2") +
          note);
}

// ---- Text ---------------------------------------------------------------------------------------

/// A block that fills `floats` elements of shared memory and uses them.
std::string cuda_with(int64_t floats) {
  return emit_cuda(lower(parse_function(fmt::format(
                             "func f(A: f32[{0}], C: f32[{0}]) {{ for b in 0..1 @block.x {{\n"
                             "alloc s: f32[{0}] @shared\ncopy s[0 .. +{0}] <- A[0 .. +{0}]\n"
                             "for t in 0..32 @thread.x {{ C[t] = s[31 - t] }} }} }}",
                             floats)))
                       .kernels.front());
}

std::string declarations(const std::string& cuda) {
  std::string text;
  for (llvm::StringRef rest = cuda; !rest.empty();) {
    const auto [line, next] = rest.split('\n');
    if (line.contains("shared") && !line.contains("=") && line.back() == ';')
      text += line.trim().str() + "\n";
    rest = next;
  }
  return text;
}

TEST(SharedMemoryText, IsDynamicBeyond48Kilobytes) {
  EXPECT_EQ(declarations(cuda_with(12288)), "__shared__ __align__(16) float s[12288];\n");
  EXPECT_EQ(declarations(cuda_with(12292)),
            "extern __shared__ __align__(16) unsigned char shared[];\n");
}

/// The same with an alignment.
KernelFunction aligned_kernel(int64_t floats, int64_t bytes) {
  return lower(parse_function(fmt::format(
                   "func f(A: f32[{0}], C: f32[{0}]) {{ for b in 0..1 @block.x {{\n"
                   "alloc s: f32[{0}] @shared @align({1})\ncopy s[0 .. +{0}] <- A[0 .. +{0}]\n"
                   "for t in 0..32 @thread.x {{ C[t] = s[31 - t] }} }} }}",
                   floats, bytes)))
      .kernels.front();
}

TEST(SharedMemoryText, StartsWhereTheAlignmentsAllow) {
  EXPECT_EQ(declarations(emit_cuda(aligned_kernel(64, 128))),
            "__shared__ __align__(128) float s[64];\n");
  EXPECT_EQ(declarations(emit_cuda(aligned_kernel(12292, 1024))),
            "extern __shared__ __align__(1024) unsigned char shared[];\n");
}

/// "the address 64 of s is no multiple of 128, its alignment", or "well formed".
std::string problem_at(int64_t address) {
  KernelFunction kernel = aligned_kernel(64, 128);
  kernel.body = replace_tensors(kernel.body, [&](const TensorPtr& tensor) -> TensorPtr {
    if (tensor->scope != Scope::shared) return nullptr;
    return make_form(*tensor, tensor->shape, tensor->scope, {}, address);
  });
  return verify(kernel, KernelForm::thread).value_or("well formed");
}

TEST(SharedMemoryText, AWrongAddressIsFound) {
  EXPECT_EQ(problem_at(0), "well formed");
  EXPECT_EQ(problem_at(1280), "well formed");
  EXPECT_EQ(problem_at(64), "the address 64 of s is no multiple of 128, its alignment");
}

TEST(SharedMemoryText, OneArrayHoldsTensorsThatShareBytes) {
  const std::string text =
      emit_cuda(lower(parse_function(R"(func f(A: f32[64], B: f64[64], C: f32[64]) {
                  for b in 0..1 @block.x {
                    for w in 0..2 {
                      alloc s: f32[8, 8] @pad(1) @shared
                      copy s[w, 0 .. +8] <- A[w*8 .. +8]
                      for t in 0..8 @thread.x { C[t] += s[w, 7 - t] } }
                    for v in 0..2 {
                      alloc u: i8[160] @shared
                      for t2 in 0..8 @thread.x { u[t2] = 1i8 }
                      for t3 in 0..8 @thread.x { if (u[7 - t3] > 0i8) { C[t3] += 1.0 } } } } })"))
                    .kernels.front());
  EXPECT_NE(
      text.find("  __shared__ __align__(16) unsigned char shared[288];\n"
                "  float (&s)[8][9] = *reinterpret_cast<float (*)[8][9]>(shared + 0);\n"
                "  signed char (&u)[160] = *reinterpret_cast<signed char (*)[160]>(shared + 0);\n"),
      std::string::npos)
      << text;
}

}  // namespace plan_shared_memory_test
}  // namespace hone
