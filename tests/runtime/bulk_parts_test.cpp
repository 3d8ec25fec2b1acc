// Stores by the copy engine of parts of a tile, by the warps or warpgroups that have set them.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace bulk_parts_test {

/// A doubled, by a tile of 32 rows that `sets` fills, from the corner [y, x] on, in parts of the
/// axis `g`.
Function in_parts(const std::string& tile, int64_t columns, const std::string& sets) {
  const Function whole = parse_function(fmt::format(
      R"(func doubled[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {{
  for i in 0..(M + 31) / 32 @block.y {{
    for j in 0..(N + {0} - 1) / {0} @block.x {{
      alloc T: {1} @shared @align(1024)
      {2}
      copy C[i*32 .. +32, j*{0} .. +{0}] <- T[0 .. +32, 0 .. +{0}]
    }}
  }}
}})",
      columns, tile, sets));
  const Function parts = write_back_at(whole, tensor(whole, "T"), axis(whole, "g")).function;
  return copy_bulk(parts, tensor(parts, "T")).function;
}

/// Sets the element of the tile, where there is one of A.
std::string set(const std::string& row, const std::string& column, int64_t columns = 32) {
  return fmt::format(
      "if (i*32 + {0} < M && j*{2} + {1} < N) {{ T[{0}, {1}] = A[i*32 + {0}, j*{2} + {1}] * 2.0 }}",
      row, column, columns);
}

Function of_warps(const std::string& layout = "") {
  return in_parts("f32[32, 32]" + layout, 32,
                  "for g in 0..4 @warp { for x in 0..32 @lane { for s in 0..8 { " +
                      set("g*8 + s", "x") + " } } }");
}

Function of_warpgroups() {
  return in_parts("f32[32, 32]", 32,
                  "for g in 0..2 @thread.x(128, 2) { for y in 0..4 @thread.x(32, 4) { "
                  "for x in 0..32 @lane { for s in 0..4 { " +
                      set("g*16 + y*4 + s", "x") + " } } } }");
}

/// Each warp has some columns, which lie together.
Function of_panels() {
  return in_parts("f32[32, 64] @order(1/32, 0, 1%32)", 64,
                  "for g in 0..2 @warp { for x in 0..32 @lane { for s in 0..32 { " +
                      set("s", "g*32 + x", 64) + " } } }");
}

/// One warp after the other in a loop of the block: all wait for each part.
Function of_steps() {
  return in_parts("f32[32, 32]", 32,
                  "for g in 0..4 { for y in 0..4 @thread.y { for x in 0..32 @thread.x { "
                  "for s in 0..2 { " +
                      set("g*8 + y*2 + s", "31 - x") + " } } } }");
}

/// Each warp fills its part anew for the next columns.
Function in_a_loop() {
  return parse_function(
      R"(func doubled[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..(M + 31) / 32 @block.x {
    alloc T: f32[32, 32] @shared @align(128)
    for j in 0..(N + 31) / 32 {
      for g in 0..4 @warp {
        for x in 0..32 @lane {
          for s in 0..8 {
            if (i*32 + g*8 + s < M && j*32 + x < N) {
              T[g*8 + s, x] = A[i*32 + g*8 + s, j*32 + x] * 2.0
            }
          }
        }
        copy C[i*32 + g*8 .. +8, j*32 .. +32] <- T[g*8 .. +8, 0 .. +32] @bulk
      }
    }
  }
})");
}

std::vector<Function> all() {
  return {of_warps(), of_warps(" @swizzle(4, 8, 1)"), of_warpgroups(), of_panels(), of_steps(),
          in_a_loop()};
}

KernelFunction kernel_of(const Function& function) { return lower(function).kernels.front(); }

/// The first finding of check mode, or other results than those of the function.
std::string problem_of(const KernelFunction& kernel, const Function& function, const Sizes& sizes,
                       uint64_t order = 0) {
  const std::string finding = first_finding(kernel, function, sizes, order);
  if (!finding.empty()) return finding;
  Buffers results = random_buffers(function, sizes, 5), expected = results;
  interpret(function, sizes, expected);
  run_on_sim(kernel, sizes, results);
  return results.at("C").bytes == expected.at("C").bytes ? "" : "other results";
}

const Sizes some_sizes = {{"M", 37}, {"N", 76}};

TEST(BulkParts, AreRightAtAnySize) {
  for (const Function& function : all()) {
    const KernelFunction kernel = kernel_of(function);
    for (const int64_t rows : {0, 1, 7, 8, 9, 31, 32, 37})
      for (const int64_t columns : {0, 4, 28, 32, 36, 76})
        EXPECT_EQ(problem_of(kernel, function, {{"M", rows}, {"N", columns}}), "")
            << rows << " x " << columns << "\n"
            << to_string(kernel);
  }
}

TEST(BulkParts, AreRightInAnyOrderOfTheWarps) {
  for (const Function& function : all()) {
    const KernelFunction kernel = kernel_of(function);
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(problem_of(kernel, function, some_sizes, order), "") << order << "\n"
                                                                     << to_string(kernel);
  }
}

/// One lane of each warp asks, when the others have shown what they wrote.
TEST(BulkParts, HaveThisKernel) {
  EXPECT_EQ(to_string(kernel_of(of_warps()).body), R"(let warp = thread.x / 32
let lane = thread.x % 32
let g = warp
let x = lane
let T.tx = lane
alloc T: f32[32, 32] @shared(0) @align(1024)
let i = block.y
let j = block.x
if (j*32 + x < N) {
  for s in 0..8 {
    if (i*32 + g*8 + s < M) {
      T[g*8 + s, x] = A[(i*32 + g*8 + s)*N + j*32 + x] * 2.0
    }
  }
}
fence_engine
barrier @warp
if (T.tx == 0) {
  store_bulk C[i*32 + g*8, j*32] <- T[g*8, 0] of 8 x 32
}
commit_stores
wait_stores 0)");
}

std::string barrier_of(const Function& function) {
  std::string barriers;
  walk(kernel_of(function).body, [&](const Stmt& stmt) {
    if (is_barrier(stmt)) barriers += (barriers.empty() ? "" : ", ") + head_of(stmt);
  });
  return barriers;
}

TEST(BulkParts, WaitForThoseWhoHaveSetThem) {
  EXPECT_EQ(barrier_of(of_warps()), "barrier @warp");
  EXPECT_EQ(barrier_of(of_panels()), "barrier @warp");
  EXPECT_EQ(barrier_of(of_warpgroups()), "barrier @warpgroup");
  EXPECT_EQ(barrier_of(of_steps()), "barrier");
  EXPECT_EQ(barrier_of(in_a_loop()), "barrier @warp, barrier @warp");
}

TEST(BulkParts, NvrtcTakesThem) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const Function& function : all())
    EXPECT_FALSE(
        nvrtc_compile({emit_cuda(kernel_of(function)), "doubled", "sm_90", {}, ""}).cubin.empty());
}

/// The fence for the parts of V comes behind the barrier of the block, which orders T without one.
TEST(BulkParts, FencesOfAWarpAreNoneOfTheBlock) {
  const Function function = parse_function(
      R"(func f[M](A: f32[M, 128], C: f32[M, 128], D: f32[M, 128], E: f32[M, 128]) {
  for m in 0..M @block.x {
    alloc T: f32[128] @shared @align(128)
    alloc U: f32[128] @shared
    for w in 0..4 @warp {
      for l in 0..32 @lane {
        T[w*32 + l] = A[m, w*32 + l]
        U[w*32 + l] = A[m, w*32 + l]
      }
    }
    for x in 0..128 @thread.x {
      E[m, x] = U[127 - x]
    }
    alloc V: f32[128] @shared @align(128)
    for v in 0..4 @warp {
      for k in 0..32 @lane {
        V[v*32 + k] = A[m, v*32 + k] * 2.0
      }
      copy D[m, v*32 .. +32] <- V[v*32 .. +32] @bulk
    }
    copy C[m, 0 .. +128] <- T[0 .. +128] @bulk
  }
})");
  const KernelFunction kernel = kernel_of(function);
  for (uint64_t order = 0; order <= 3; ++order)
    EXPECT_EQ(problem_of(kernel, function, {{"M", 3}}, order), "") << to_string(kernel);
}

/// Producers fill the second half of each slot, and the mbarriers count its bytes.
TEST(BulkParts, OfSlotsAreFilled) {
  const Function function = parse_function(
      R"(func sums[M, N](A: f32[M, N], C: f32[32]) where N % 4 == 0 && N >= 32 && M % 8 == 0 {
  for t in 0..32 @thread.x {
    alloc s: f32[] @registers
    s[] = 0.0
    alloc T: f32[3, 16, 32] @shared @align(128)
    reduce m in 0..M / 8 @roles(1) {
      copy T[m % 3, 8 .. +8, 0 .. +32] <- A[m*8 .. +8, 0 .. +32] @bulk @by(producers)
      for r in 0..8 {
        s[] += T[m % 3, 8 + r, t]
      }
    }
    C[t] = s[]
  }
})");
  const KernelFunction kernel = kernel_of(function);
  for (const int64_t rows : {0, 8, 40})
    for (uint64_t order = 0; order <= 3; ++order)
      EXPECT_EQ(problem_of(kernel, function, {{"M", rows}, {"N", 36}}, order), "")
          << to_string(kernel);
}

// ---- Mistakes -----------------------------------------------------------------------------------

Stmt by_all_lanes(const Stmt& stmt) {
  const auto* branch = llvm::dyn_cast<If>(stmt);
  const auto is_store = is<op::store_bulk>;
  return branch && any_of(branch->body, is_store) ? branch->body : Stmt();
}

/// The box of the next part.
Stmt eight_rows_on(const Stmt& stmt) {
  const Instr* store = as(stmt, op::store_bulk);
  if (!store) return {};
  llvm::SmallVector<ElementRef, 3> places = store->places;
  places[1].indices[0] = (places[1].indices[0] + 8) % 32;
  return store->with(places, {});
}

Stmt of_fewer_threads(const Stmt& stmt) {
  return is<op::barrier_of_warpgroup>(stmt) ? make_barrier({BarrierScope::Kind::warp}) : Stmt();
}

bool is_found(const Function& function, Change* change, int n = 0) {
  const KernelFunction kernel = kernel_of(function), wrong = with_mistake(kernel, n, change);
  EXPECT_NE(to_string(wrong), to_string(kernel));
  for (uint64_t order = 0; order < 4; ++order)
    if (!problem_of(wrong, function, some_sizes, order).empty()) return true;
  return false;
}

TEST(BulkParts, MistakesAreFound) {
  for (const Function& function : {of_warps(), of_warpgroups(), of_panels(), in_a_loop()}) {
    EXPECT_TRUE(is_found(function, dropped<is<op::fence_engine>>));
    EXPECT_TRUE(is_found(function, dropped<is_barrier>));
    EXPECT_TRUE(is_found(function, dropped<is<op::wait_stores>>));
    EXPECT_TRUE(is_found(function, dropped<is<op::commit_stores>>));
    EXPECT_TRUE(is_found(function, by_all_lanes));
  }
  EXPECT_TRUE(is_found(in_a_loop(), dropped<is_barrier>, 1));
  EXPECT_TRUE(is_found(of_warps(), eight_rows_on));
  EXPECT_TRUE(is_found(of_warpgroups(), of_fewer_threads));
}

}  // namespace bulk_parts_test
}  // namespace hone
