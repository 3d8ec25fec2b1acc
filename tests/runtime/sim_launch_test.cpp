// Grids, blocks, host threads, and launches that a GPU would not take.
#include <gtest/gtest.h>

#include <random>

#include "codegen/parse_kernel.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_launch_test {

TEST(SimLaunch, EveryThreadOfEveryBlockRunsOnce) {
  const std::string text =
      "kernel f[X, Y, Z, U, V, W](C: i32[X * Y * Z * U * V * W]) grid(X, Y, Z) block(U, V, W) "
      "@index32 { let b = (block.z*Y + block.y)*X + block.x "
      "let t = (thread.z*V + thread.y)*U + thread.x "
      "C[b*(U*V*W) + t] += i32(b*10000 + t) + 1 }";
  const auto run = [&](std::array<int64_t, 3> grid, std::array<int64_t, 3> block) {
    const int64_t threads = block[0] * block[1] * block[2];
    const int64_t blocks = grid[0] * grid[1] * grid[2];
    const Values values = sim_values(text,
                                     {{"X", grid[0]},
                                      {"Y", grid[1]},
                                      {"Z", grid[2]},
                                      {"U", block[0]},
                                      {"V", block[1]},
                                      {"W", block[2]}},
                                     {{"C", Buffer(i32, {threads * blocks})}});
    for (int64_t position = 0; position < threads * blocks; ++position)
      ASSERT_EQ(values[position], position / threads * 10000 + position % threads + 1);
  };
  run({1, 1, 1}, {1, 1, 1});
  run({7, 1, 1}, {31, 1, 1});
  run({3, 2, 1}, {33, 1, 1});
  run({2, 1, 1}, {1000, 1, 1});
  run({2, 1, 1}, {1024, 1, 1});
  run({3, 2, 4}, {4, 3, 2});
  run({1, 2, 3}, {2, 3, 64});
  run({2, 2, 2}, {5, 1, 7});
}

TEST(SimLaunch, AGridWithoutBlocksDoesNothing) {
  EXPECT_EQ(
      sim_values("kernel f[M](C: f32[1]) grid(M, 4, 1) block(32, 1, 1) @index32 { C[0] = 1.0 }",
                 {{"M", 0}}, {{"C", Buffer(f32, {1})}}),
      (Values{0}));
}

// ---- Matrix products ----------------------------------------------------------------------------

const char* const matmul_head =
    "kernel matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) "
    "grid((N + 31) / 32, (M + 31) / 32, 1) block(32, 32, 1) @index32 { "
    "let i = block.y*32 + thread.y let j = block.x*32 + thread.x if (i < M && j < N) { ";
const char* const in_registers =
    "alloc C.reg: f32[] @registers C.reg[] = 0.0 "
    "reduce k in 0..K { C.reg[] += A[i*K + k] * B[k*N + j] } C[i*N + j] = C.reg[] } }";
const char* const in_memory =
    "C[i*N + j] = 0.0 reduce k in 0..K { C[i*N + j] += A[i*K + k] * B[k*N + j] } } }";

Buffer random_matrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 generator(seed);
  Buffer buffer(f32, {rows, columns});
  for (int64_t position = 0; position < rows * columns; ++position)
    buffer.set(position, static_cast<double>(generator()) / 4e9 - 0.5);
  return buffer;
}

/// Rounds after every operation, in the order of the kernels.
Values product(const Buffer& a, const Buffer& b) {
  Values values;
  for (int64_t i = 0; i < a.shape[0]; ++i) {
    for (int64_t j = 0; j < b.shape[1]; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < a.shape[1]; ++k) {
        const volatile float term = static_cast<float>(a.get(i * a.shape[1] + k)) *
                                    static_cast<float>(b.get(k * b.shape[1] + j));
        sum += term;
      }
      values.push_back(sum);
    }
  }
  return values;
}

TEST(SimLaunch, AMatrixProductEqualsThePlainLoopForAnyNumberOfHostThreads) {
  for (const auto& [M, N, K] : {std::array<int64_t, 3>{64, 64, 64}, {65, 33, 40}, {1, 70, 3}}) {
    const Buffer a = random_matrix(M, K, 1), b = random_matrix(K, N, 2);
    const Values expected = product(a, b);
    for (const char* body : {in_registers, in_memory})
      for (const int threads : {1, 2, 5})
        EXPECT_EQ(
            sim_values(std::string(matmul_head) + body, {{"M", M}, {"N", N}, {"K", K}},
                       {{"A", a}, {"B", b}, {"C", random_matrix(M, N, 3)}}, {.threads = threads}),
            expected);
  }
}

TEST(SimLaunch, ATiledMatrixProductEqualsThePlainLoop) {
  const std::string text = R"(
    kernel tiled[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N])
        grid((N + 31) / 32, (M + 31) / 32, 1) block(16, 8, 1) @index32 {
      alloc r: f32[4, 2] @registers
      for a in 0..4 { for b in 0..2 { r[a, b] = 0.0 } }
      for k.0 in 0..(K + 7) / 8 {
        alloc As: f32[8, 32] @shared
        alloc Bs: f32[8, 32] @shared
        for s in 0..2 {
          let f = s*128 + thread.y*16 + thread.x
          let row = block.y*32 + f / 8
          let column = block.x*32 + f % 32
          As[f % 8, f / 8] = select(row < M && k.0*8 + f % 8 < K, A[row*K + k.0*8 + f % 8], 0.0)
          Bs[f / 32, f % 32] = select(k.0*8 + f / 32 < K && column < N,
                                      B[(k.0*8 + f / 32)*N + column], 0.0)
        }
        barrier
        for k.1 in 0..8 { for a2 in 0..4 { for b2 in 0..2 {
          r[a2, b2] += As[k.1, thread.y*4 + a2] * Bs[k.1, thread.x*2 + b2] } } }
        barrier
      }
      for a3 in 0..4 { for b3 in 0..2 {
        let i = block.y*32 + thread.y*4 + a3
        let j = block.x*32 + thread.x*2 + b3
        if (i < M && j < N) { C[i*N + j] = r[a3, b3] } } }
    })";
  for (const auto& [M, N, K] : {std::array<int64_t, 3>{64, 96, 16}, {65, 33, 41}}) {
    const Buffer a = random_matrix(M, K, 1), b = random_matrix(K, N, 2);
    EXPECT_EQ(sim_values(text, {{"M", M}, {"N", N}, {"K", K}},
                         {{"A", a}, {"B", b}, {"C", Buffer(f32, {M, N})}}),
              product(a, b));
  }
}

// ---- Failures -----------------------------------------------------------------------------------

/// From block `first` on all fail: those of an even number long after the others.
std::string error_from_block(int first, int host_threads) {
  return sim_error(fmt::format("kernel f(C: f32[100]) grid(20, 10, 1) block(32, 1, 1) @index32 {{ "
                               "let b = block.y*20 + block.x for k in 0..9000 {{ "
                               "if (b >= {} && k > select(b % 2 == 0, 8000, 4000)) "
                               "{{ C[b*50 + thread.x] = 1.0 }} }} }}",
                               first),
                   {}, {{"C", Buffer(f32, {100})}}, {.threads = host_threads});
}

TEST(SimLaunch, TheFirstFailingBlockIsReportedForAnyNumberOfHostThreads) {
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(error_from_block(37, threads),
              "C[b*50 + thread.x]: element 1850 is outside 0..100, block (17, 1, 0), "
              "thread (0, 0, 0), in: C[b*50 + thread.x] = 1.0");
    EXPECT_EQ(error_from_block(36, threads),
              "C[b*50 + thread.x]: element 1800 is outside 0..100, block (16, 1, 0), "
              "thread (0, 0, 0), in: C[b*50 + thread.x] = 1.0");
  }
}

std::string launch_error(const std::string& grid, const std::string& block, const Sizes& sizes,
                         const std::string& body = "C[0] = 1.0") {
  return sim_error(
      "kernel f[M, N](C: f32[1]) grid(" + grid + ") block(" + block + ") @index32 { " + body + " }",
      sizes, {{"C", Buffer(f32, {1})}});
}

const Sizes sizes = {{"M", 2}, {"N", 100000}};

TEST(SimLaunch, RefusesABlockThatIsTooLarge) {
  EXPECT_EQ(launch_error("1, 1, 1", "32, 32, M", sizes),
            "f: a block of (32, 32, 2) has 2048 threads; at most 1024 fit");
  EXPECT_EQ(launch_error("1, 1, 1", "1, 1, 65", sizes),
            "f: a block of (1, 1, 65) is too large; at most (1024, 1024, 64) fit");
  EXPECT_EQ(launch_error("1, 1, 1", "N, 1, 1", sizes),
            "f: a block of (100000, 1, 1) is too large; at most (1024, 1024, 64) fit");
}

TEST(SimLaunch, RefusesABlockWithoutThreads) {
  EXPECT_EQ(launch_error("1, 1, 1", "32, M - 2, 1", sizes),
            "f: a block of (32, 0, 1) has no threads");
}

TEST(SimLaunch, RefusesAGridThatIsTooLarge) {
  EXPECT_EQ(launch_error("1, N, 1", "1, 1, 1", sizes),
            "f: a grid of (1, 100000, 1) is too large; at most (2147483647, 65535, 65535) fit");
  EXPECT_EQ(launch_error("1, 1, 65536", "1, 1, 1", sizes),
            "f: a grid of (1, 1, 65536) is too large; at most (2147483647, 65535, 65535) fit");
  EXPECT_EQ(launch_error("M - 3, 1, 1", "1, 1, 1", sizes),
            "f: a grid of (-1, 1, 1) has a negative extent");
}

TEST(SimLaunch, RefusesTooMuchSharedMemory) {
  EXPECT_EQ(launch_error("1, 1, 1", "1, 1, 1", sizes,
                         "alloc s: f32[58000] @shared alloc t: f64[100] @shared C[0] = s[0]"),
            "f: 232800 bytes of shared memory per block; at most 232448 fit");
}

TEST(SimLaunch, RefusesSizesThatAreMissingOrNegative) {
  EXPECT_EQ(launch_error("1, 1, 1", "1, 1, 1", {{"M", 1}}), "f: the size N is missing");
  EXPECT_EQ(launch_error("1, 1, 1", "1, 1, 1", {{"M", 1}, {"N", -4}}),
            "f: the size N is -4; sizes are not negative");
}

TEST(SimLaunch, RefusesArgumentsThatDoNotFit) {
  const SimKernel kernel(parse_kernel(
      "kernel f(A: f32[1], C: f32[1]) grid(1, 1, 1) block(1, 1, 1) @index32 { C[0] = A[0] }"));
  float data = 1;
  const auto error = [&](llvm::ArrayRef<SimArgument> arguments) {
    return message_of<RuntimeError>([&] { kernel.run({}, arguments); });
  };
  EXPECT_EQ(error({{"A", &data, 1}}), "f takes 2 arguments (A, C), not 1");
  EXPECT_EQ(error({{"C", &data, 1}, {"A", &data, 1}}), "f: argument 1 is A, not C");
  EXPECT_EQ(error({{"A", &data, 1}, {"C", nullptr, 1}}),
            "f: argument C has 1 elements and no memory");
  EXPECT_EQ(error({{"A", &data, 1}, {"C", &data, 1}}), "no error");
}

}  // namespace sim_launch_test
}  // namespace hone
