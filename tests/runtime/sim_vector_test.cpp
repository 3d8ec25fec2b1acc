// Accesses of several elements: what they move, and where they may not start or end.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_vector_test {

std::string kernel(int threads, const std::string& body, const std::string& type = "f32") {
  return "kernel vectors[N](A: " + type + "[N], C: " + type + "[N]) grid(1, 1, 1) block(" +
         std::to_string(threads) + ", 1, 1) @index32 { let t = thread.x " + body + " }";
}

Values run_kernel(int threads, const std::string& body, int64_t size, DType type = f32) {
  return sim_values(kernel(threads, body, name(type).str()), {{"N", size}},
                    {{"A", counting(type, {size})}, {"C", Buffer(type, {size})}});
}

std::string error_of(int threads, const std::string& body, int64_t size) {
  return sim_error(kernel(threads, body), {{"N", size}},
                   {{"A", counting(f32, {size})}, {"C", Buffer(f32, {size})}});
}

Values count_to(int size) {
  Values values;
  for (int value = 1; value <= size; ++value) values.push_back(value);
  return values;
}

TEST(SimVectors, MoveNeighboursOfEveryType) {
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8})
    for (const int width : {2, 4, 8, 16}) {
      if (width * size_of(type) > 16) continue;
      const std::string count = std::to_string(width), start = "t*" + count;
      EXPECT_EQ(run_kernel(4,
                           "copy C[" + start + " .. +" + count + "] <- A[" + start + " .. +" +
                               count + "] @vector(" + count + ")",
                           4 * width, type),
                count_to(4 * width))
          << name(type).str() << " by " << width;
    }
}

TEST(SimVectors, GoThroughRegisters) {
  EXPECT_EQ(run_kernel(4,
                       "alloc r: f32[4] @registers copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) "
                       "for v in 0..4 @unroll { r[v] *= 10.0 } "
                       "copy C[t*4 .. +4] <- r[0 .. +4] @vector(4)",
                       16),
            (Values{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160}));
}

TEST(SimVectors, TakeTheRowOfATileThatALoopOrAThreadChooses) {
  const char* rows =
      "alloc r: f32[2, 2] @registers for i in 0..2 { copy r[i, 0 .. +2] <- A[t*4 + i*2 .. +2] "
      "@vector(2) } ";
  EXPECT_EQ(run_kernel(4,
                       std::string(rows) + "for i in 0..2 { copy C[t*4 + i*2 .. +2] <- "
                                           "r[1 - i, 0 .. +2] @vector(2) }",
                       16),
            (Values{3, 4, 1, 2, 7, 8, 5, 6, 11, 12, 9, 10, 15, 16, 13, 14}));
  EXPECT_EQ(
      run_kernel(4, std::string(rows) + "copy C[t*4 .. +2] <- r[t % 2, 0 .. +2] @vector(2)", 16),
      (Values{1, 2, 0, 0, 7, 8, 0, 0, 9, 10, 0, 0, 15, 16, 0, 0}));
  EXPECT_EQ(run_kernel(4,
                       "alloc r: f32[2, 2] @registers copy r[t % 2, 0 .. +2] <- A[t*4 .. +2] "
                       "@vector(2) C[t*4] = r[t % 2, 1]",
                       16),
            (Values{2, 0, 0, 0, 6, 0, 0, 0, 10, 0, 0, 0, 14, 0, 0, 0}));
}

TEST(SimVectors, MoveBetweenRegisters) {
  EXPECT_EQ(run_kernel(2,
                       "alloc r: f32[4] @registers alloc q: f32[2, 4] @registers "
                       "copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) "
                       "copy q[1, 0 .. +4] <- r[0 .. +4] @vector(4) "
                       "copy C[t*4 .. +4] <- q[1, 0 .. +4] @vector(4)",
                       8),
            count_to(8));
}

TEST(SimVectors, MoveOnlyWhereTheThreadIsActive) {
  EXPECT_EQ(run_kernel(4,
                       "alloc r: f32[2] @registers for v in 0..2 @unroll { r[v] = 0.5 } "
                       "if (t % 2 == 1) { copy r[0 .. +2] <- A[t*2 .. +2] @vector(2) } "
                       "if (t > 0) { copy C[t*2 .. +2] <- r[0 .. +2] @vector(2) }",
                       8),
            (Values{0, 0, 3, 4, 0.5, 0.5, 7, 8}));
}

TEST(SimVectors, OfOneElementForAllThreadsTakeTheLast) {
  EXPECT_EQ(run_kernel(4,
                       "alloc r: f32[2] @registers copy r[0 .. +2] <- A[t*2 .. +2] @vector(2) "
                       "copy C[2 .. +2] <- r[0 .. +2] @vector(2)",
                       8),
            (Values{0, 0, 7, 8, 0, 0, 0, 0}));
}

TEST(SimVectors, ReadAndWriteSharedTiles) {
  EXPECT_EQ(run_kernel(4,
                       "alloc s: f32[4, 4] @shared copy s[3 - t, 0 .. +4] <- A[t*4 .. +4] "
                       "@vector(4) barrier copy C[t*4 .. +4] <- s[t, 0 .. +4] @vector(4)",
                       16),
            (Values{13, 14, 15, 16, 9, 10, 11, 12, 5, 6, 7, 8, 1, 2, 3, 4}));
}

// ---- Errors -------------------------------------------------------------------------------------

TEST(SimVectors, EndWithinTheTensor) {
  EXPECT_EQ(error_of(4, "copy C[t*4 .. +4] <- A[t*4 .. +4] @vector(4)", 14),
            "A[t*4 .. +4]: element 14 is outside 0..14, block (0, 0, 0), thread (3, 0, 0), in: "
            "copy C[t*4 .. +4] <- A[t*4 .. +4] @vector(4)");
  EXPECT_EQ(error_of(4, "if (t < 3) { copy C[t*4 .. +4] <- A[t*4 .. +4] @vector(4) }", 14),
            "no error");
  EXPECT_EQ(error_of(2, "copy C[t*4 - 4 .. +4] <- A[t*4 .. +4] @vector(4)", 16),
            "C[t*4 - 4 .. +4]: element -4 is outside 0..16, block (0, 0, 0), thread (0, 0, 0), in: "
            "copy C[t*4 - 4 .. +4] <- A[t*4 .. +4] @vector(4)");
}

TEST(SimVectors, EndWithinTheRowOfASharedTensor) {
  EXPECT_EQ(
      error_of(2, "alloc s: f32[4, 6] @shared copy s[t, 4 .. +4] <- A[t*4 .. +4] @vector(4)", 16),
      "s[t, 4 .. +4]: index [0, 6] is outside the shape [4, 6], block (0, 0, 0), thread (0, "
      "0, 0), in: copy s[t, 4 .. +4] <- A[t*4 .. +4] @vector(4)");
}

TEST(SimVectors, StartAtAMultipleOfTheirWidth) {
  EXPECT_EQ(error_of(4, "copy C[t*4 .. +4] <- A[t .. +4] @vector(4)", 16),
            "A[t .. +4]: element 1 lies at byte 4 of A, no multiple of the 16 bytes of the access, "
            "block (0, 0, 0), thread (1, 0, 0), in: copy C[t*4 .. +4] <- A[t .. +4] @vector(4)");
  EXPECT_EQ(error_of(1, "copy C[2 .. +4] <- A[0 .. +4] @vector(4)", 16),
            "C[2 .. +4]: element 2 lies at byte 8 of C, no multiple of the 16 bytes of the access, "
            "block (0, 0, 0), thread (0, 0, 0), in: copy C[2 .. +4] <- A[0 .. +4] @vector(4)");
  EXPECT_EQ(error_of(4, "if (t == 0) { copy C[t*4 .. +4] <- A[t .. +4] @vector(4) }", 16),
            "no error");
}

TEST(SimVectors, WantRowsOfASharedTensorThatAreMultiplesApart) {
  EXPECT_EQ(
      error_of(2, "alloc s: f32[4, 5] @shared copy s[t, 0 .. +4] <- A[t*4 .. +4] @vector(4)", 16),
      "s[t, 0 .. +4]: element 5 lies at byte 20 of s, no multiple of the 16 bytes of the "
      "access, block (0, 0, 0), thread (1, 0, 0), in: copy s[t, 0 .. +4] <- A[t*4 .. +4] "
      "@vector(4)");
}

TEST(SimVectors, WantAnArrayThatIsAligned) {
  const std::string text = kernel(1, "copy C[0 .. +4] <- A[4 .. +4] @vector(4)");
  std::vector<float> a(33), c(32);
  const KernelFunction kernel = parse_kernel(text);
  const auto run = [&](int64_t shift) {
    const auto address = reinterpret_cast<uintptr_t>(a.data());
    float* aligned = a.data() + (16 - address % 16) % 16 / 4;
    SimKernel(kernel).run({{"N", 16}}, {{"A", aligned + shift, 16}, {"C", c.data(), 16}});
  };
  EXPECT_EQ(message_of<SimError>([&] { run(0); }), "no error");
  EXPECT_EQ(message_of<SimError>([&] { run(1); }),
            "A[4 .. +4]: element 4 lies at byte 16 of A, which starts 4 bytes behind a multiple of "
            "the 16 bytes of the access, block (0, 0, 0), thread (0, 0, 0), in: copy C[0 .. +4] <- "
            "A[4 .. +4] @vector(4)");
}

}  // namespace sim_vector_test
}  // namespace hone
