// Sums of products of bytes that threads compute four at a time, run on the devices.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/counted.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace thread_products_test {

using testing::HasSubstr;
using testing::Not;

/// C = A B^T of bytes. A block has 8 x 16 sums, and a thread 2 x 4.
struct ByteProduct {
  explicit ByteProduct(DType type)
      : A("A", type, {M, K}),
        B("B", type, {N, K}),
        word(type == i8 ? "dp4a_s8" : "dp4a_u8"),
        program("product", C(i, j) = sum(k, cast(i32, A(i, k)) * cast(i32, B(j, k)))) {}

  Schedule scheduled() const {
    Schedule s(program);
    auto [by, bx, rows, columns] = s.tile({i, j}, {8, 16}, {.tail = Tail::pad});
    auto [row, ty] = s.split(rows, 4);
    auto [column, tx] = s.split(columns, 4);
    auto [step, of_step] = s.split(k, 8, {.tail = Tail::pad});
    auto [k_word, k_byte] = s.split(of_step, 4);
    s.reorder({by, bx, ty, tx, step, k_word, row, column, k_byte});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind(ty, thread.y);
    s.bind(tx, thread.x);
    s.tensorize(k_byte, word);
    s.cache_registers(C, tx);
    for (const Tensor& operand : {A, B})
      s.cache_registers(s.cache_shared(operand, step), k_word, {.vectorize = 4});
    return s;
  }

  Param M{"M"}, N{"N"}, K{"K"};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Tensor A, B, C{"C", i32, {M, N}};
  std::string word;
  Program program;
};

TEST(ThreadProducts, ComputeWhatTheProgramSays) {
  for (const DType type : {i8, u8}) {
    const ByteProduct product(type);
    const Schedule s = product.scheduled();
    for (const Sizes& sizes : std::initializer_list<Sizes>{{{"M", 1}, {"N", 1}, {"K", 0}},
                                                           {{"M", 8}, {"N", 16}, {"K", 16}},
                                                           {{"M", 21}, {"N", 37}, {"K", 27}}})
      expect_as_meant(product.program, s, sizes,
                      random_buffers(product.program.function(), sizes, 3));
  }
}

TEST(ThreadProducts, AreOneInstructionOfAThread) {
  const KernelFunction kernel = lower(ByteProduct(i8).scheduled().function()).kernels.front();
  const std::string text = to_string(kernel);
  EXPECT_THAT(text, HasSubstr(" block(4, 4, 1) "));
  EXPECT_THAT(text, HasSubstr("dp4a_s8 C.reg["));
  EXPECT_THAT(text, Not(HasSubstr("+= ")));
  const std::string cuda = emit_cuda(kernel);
  EXPECT_THAT(cuda, HasSubstr(R"(
// Adds four products of the bytes of both operands.
static __device__ void dp4a_s8(int* c, const void* a, const void* b) {
  *c = __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), *c);
}
)"));
  EXPECT_THAT(cuda, HasSubstr("  __align__(16) signed char A_reg[2][4];\n"));
}

TEST(ThreadProducts, AreNamedInPtx) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const DType type : {i8, u8}) {
    const KernelFunction kernel = lower(ByteProduct(type).scheduled().function()).kernels.front();
    const auto compiled = compile_cached({emit_cuda(kernel), "product", "sm_80", {}, ""});
    EXPECT_THAT(compiled->ptx, HasSubstr(type == i8 ? "dp4a.s32.s32" : "dp4a.u32.u32"));
  }
}

/// Tensor cores have no part in it.
TEST(ThreadProducts, AreNoOperationsOfTensorCores) {
  const CountReport report = count_text(R"(
kernel k[N](A: i8[N], C: i32[N]) grid(1, 1, 1) block(32, 1, 1) @index32 {
  alloc a: i8[4] @registers
  alloc c: i32[1] @registers
  for v in 0..4 @unroll {
    a[v] = A[thread.x*4 + v]
  }
  c[0] = 0i32
  dp4a_s8 c[0] <- a[0], a[0]
  C[thread.x] = c[0]
})",
                                        {{"N", 128}});
  EXPECT_EQ(report.tensor_operations, 0);
  EXPECT_EQ(report.tensor_instructions, 0);
}

TEST(ThreadProducts, AreRefusedOfBytesInSharedMemory) {
  EXPECT_EQ(lowering_error(R"(func f(A: i8[8, 4], B: i8[4, 4], C: i32[8, 4]) {
  for b in 0..1 @block.x {
    alloc S: i8[8, 4] @shared
    copy S[0 .. +8, 0 .. +4] <- A[0 .. +8, 0 .. +4]
    alloc R: i8[4, 4] @registers
    copy R[0 .. +4, 0 .. +4] <- B[0 .. +4, 0 .. +4]
    alloc T: i32[8, 4] @registers
    for i in 0..8 { for j in 0..4 { T[i, j] = 0i32
      reduce k in 0..4 @dp4a_s8 { T[i, j] += i32(S[i, k]) * i32(R[j, k]) }
      C[i, j] = T[i, j] } }
  }
})"),
            "dp4a_s8 takes S from registers, and it is in shared memory\n"
            "cache_registers(S, an axis around k)");
}

}  // namespace thread_products_test
}  // namespace hone
