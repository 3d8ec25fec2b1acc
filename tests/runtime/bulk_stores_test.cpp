// Stores by the copy engine on the devices: right at any size, in any order of the warps, and found
// where a fence, a barrier or a wait is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/sim/count/count.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/ir/golden.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/bulk_product.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace bulk_stores_test {

/// Rows of A, doubled: tiles of 16 x 32 go by way of shared memory.
Function doubled(const std::string& layout = "", const std::string& alignment = "128") {
  return parse_function(
      fmt::format(R"(func doubled[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {{
  for i in 0..(M + 15) / 16 @block.y {{
    for j in 0..(N + 31) / 32 @block.x {{
      alloc T: f32[16, 32]{} @shared @align({})
      for y in 0..4 @thread.y {{
        for x in 0..32 @thread.x {{
          for s in 0..4 {{
            if (i*16 + y*4 + s < M && j*32 + x < N) {{
              T[y*4 + s, x] = A[i*16 + y*4 + s, j*32 + x] * 2.0
            }}
          }}
        }}
      }}
      copy C[i*16 .. +16, j*32 .. +32] <- T[0 .. +16, 0 .. +32] @bulk
    }}
  }}
}})",
                  layout, alignment));
}

/// The tile is filled anew for each of several tiles of a block.
Function doubled_in_a_loop() {
  return parse_function(R"(func doubled[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..(M + 15) / 16 @block.x {
    alloc T: f32[16, 32] @shared @align(128)
    for j in 0..(N + 31) / 32 {
      for x in 0..64 @thread.x {
        for s in 0..8 {
          if (i*16 + x / 32 + s*2 < M && j*32 + x % 32 < N) {
            T[x / 32 + s*2, x % 32] = A[i*16 + x / 32 + s*2, j*32 + x % 32] * 2.0
          }
        }
      }
      copy C[i*16 .. +16, j*32 .. +32] <- T[0 .. +16, 0 .. +32] @bulk
    }
  }
})");
}

KernelFunction kernel_of(const Function& function) { return lower(function).kernels.front(); }

const Sizes some_sizes = {{"M", 37}, {"N", 76}};

/// The finding of check mode, or other results than those of the function.
std::string problem_of(const KernelFunction& kernel, const Function& function, const Sizes& sizes,
                       uint64_t order = 0) {
  const std::string finding = first_finding(kernel, function, sizes, order);
  if (!finding.empty()) return finding;
  Buffers results = random_buffers(function, sizes, 5), expected = results;
  interpret(function, sizes, expected);
  run_on_sim(kernel, sizes, results);
  return results.at("C").bytes == expected.at("C").bytes ? "" : "other results";
}

std::string problem_of(const KernelFunction& kernel, uint64_t order = 0) {
  return problem_of(kernel, doubled(), some_sizes, order);
}

TEST(BulkStores, AreRightAtAnySize) {
  for (const Function& function :
       {doubled(), doubled(" @swizzle(4, 8, 1)", "1024"), doubled_in_a_loop()}) {
    const KernelFunction kernel = kernel_of(function);
    for (const int64_t rows : {0, 1, 15, 16, 17, 37})
      for (const int64_t columns : {0, 4, 28, 32, 36, 76})
        EXPECT_EQ(problem_of(kernel, function, {{"M", rows}, {"N", columns}}), "")
            << rows << " x " << columns << "\n"
            << to_string(kernel);
  }
}

TEST(BulkStores, AreRightInAnyOrderOfTheWarps) {
  for (const Function& function : {doubled(), doubled_in_a_loop()}) {
    const KernelFunction kernel = kernel_of(function);
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(problem_of(kernel, order), "") << order << "\n" << to_string(kernel);
  }
}

/// Of sums whose loop has roles: the tile lies in the bytes of its rings.
TEST(BulkStores, AreRightBehindRoles) {
  const BulkProduct product;
  const Schedule s = product.scheduled({.c_in_bulk = true});
  for (const int64_t length : {0, 4, 16, 48, 84}) {
    const Sizes sizes = {{"M", 37}, {"N", 44}, {"K", length}};
    expect_as_meant(product.program, s, sizes,
                    random_buffers(product.program.function(), sizes, 3));
  }
}

TEST(BulkStores, AreRightBehindRolesInAnyOrderOfTheWarps) {
  const BulkProduct product;
  const KernelFunction kernel = kernel_of(product.scheduled({.c_in_bulk = true}).function());
  for (uint64_t order = 0; order <= 20; ++order)
    EXPECT_EQ(
        first_finding(kernel, product.program.function(), {{"M", 37}, {"N", 44}, {"K", 84}}, order),
        "")
        << order << "\n"
        << to_string(kernel);
}

/// The block does not end before the engine has read the tile.
TEST(BulkStores, HaveThisKernel) {
  EXPECT_EQ(to_string(kernel_of(doubled()).body), R"(alloc T: f32[16, 32] @shared(0) @align(128)
let i = block.y
let j = block.x
let y = thread.y
let x = thread.x
if (j*32 + x < N) {
  for s in 0..4 {
    if (i*16 + y*4 + s < M) {
      T[y*4 + s, x] = A[(i*16 + y*4 + s)*N + j*32 + x] * 2.0
    }
  }
}
fence_engine
barrier
let T.ty = thread.y
if (T.ty == 0) {
  let T.tx = thread.x
  if (T.tx == 0) {
    store_bulk C[i*16, j*32] <- T[0, 0] of 16 x 32
  }
}
commit_stores
wait_stores 0)");
}

/// Sums of rows, 32 at a time by the block, which has them in a tile until the engine takes them.
Function sums_in_a_loop() {
  return parse_function(R"(func sums[M, K](A: f32[M, K], C: f32[M]) where M % 4 == 0 {
  for b in 0..2 @block.x {
    for r in 0..(M + 63) / 64 {
      alloc T: f32[32] @shared @align(128)
      for x in 0..32 @thread.x {
        alloc s: f32[] @registers
        s[] = 0.0
        if (r*64 + b*32 + x < M) {
          reduce k in 0..K {
            s[] += A[r*64 + b*32 + x, k]
          }
        }
        T[x] = s[]
      }
      copy C[r*64 + b*32 .. +32] <- T[0 .. +32] @bulk
    }
  }
})");
}

/// The engine takes a tile while the threads sum up the next one. No element of C is stored twice:
/// nobody waits until it is written.
TEST(BulkStores, GoOnInTheNextIteration) {
  const KernelFunction kernel = kernel_of(sums_in_a_loop());
  EXPECT_EQ(to_string(kernel.body), R"(alloc T: f32[32] @shared(0) @align(128)
let b = block.x
for r in 0..(M + 63) / 64 {
  let x = thread.x
  alloc s: f32[] @registers
  s[] = 0.0
  if (r*64 + b*32 + x < M) {
    reduce k in 0..K {
      s[] += A[(r*64 + b*32 + x)*K + k]
    }
  }
  wait_stores 0
  barrier
  T[x] = s[]
  fence_engine
  barrier
  let T.tx = thread.x
  if (T.tx == 0) {
    store_bulk C[r*64 + b*32] <- T[0] of 32
  }
  commit_stores
}
wait_stores 0)");
  for (const int64_t rows : {0, 4, 64, 200})
    for (uint64_t order = 0; order <= 5; ++order)
      EXPECT_EQ(problem_of(kernel, sums_in_a_loop(), {{"M", rows}, {"K", 3}}, order), "");
  const KernelFunction wrong = with_mistake(kernel, 0, dropped<is<op::wait_stores>>);
  EXPECT_NE(problem_of(wrong, sums_in_a_loop(), {{"M", 200}, {"K", 3}}), "");
}

/// The wait for the last iteration is for all of this one.
TEST(BulkStores, AreWaitedForOnce) {
  const Function function =
      parse_function(R"(func halves[M](A: f32[M], C: f32[M]) where M % 4 == 0 {
  for b in 0..2 @block.x {
    for r in 0..(M + 127) / 128 {
      alloc T: f32[2, 32] @shared @align(128)
      for x in 0..32 @thread.x {
        if (r*128 + b*64 + x < M) {
          T[0, x] = A[r*128 + b*64 + x] * 2.0
        }
      }
      for y in 0..32 @thread.x {
        if (r*128 + b*64 + 32 + y < M) {
          T[1, y] = A[r*128 + b*64 + 32 + y] * 3.0
        }
      }
      copy C[r*128 + b*64 .. +32] <- T[0, 0 .. +32] @bulk
      copy C[r*128 + b*64 + 32 .. +32] <- T[1, 0 .. +32] @bulk
    }
  }
})");
  const KernelFunction kernel = kernel_of(function);
  EXPECT_EQ(llvm::StringRef(to_string(kernel)).count("barrier"), 2u) << to_string(kernel);
  for (const int64_t elements : {4, 128, 260, 500})
    EXPECT_EQ(problem_of(kernel, function, {{"M", elements}}, 3), "");
}

/// All threads fence, also those that a guard keeps out of what follows.
TEST(BulkStores, AllThreadsFence) {
  const Function function = parse_function(R"(func f[M](A: f32[M, 32], C: f32[M, 32]) {
  for m in 0..M @block.x {
    for j in 0..24 @thread.x {
      alloc T: f32[1, 32] @shared @align(128)
      for n in 0..32 @thread.x {
        T[0, n] = A[m, n] + 1.0
      }
      copy C[m .. +1, 0 .. +32] <- T[0 .. +1, 0 .. +32] @bulk
    }
  }
})");
  EXPECT_EQ(problem_of(kernel_of(function), function, {{"M", 3}}), "");
}

/// Two fills of a tile that a store is of, and the same box again and again.
Function repeated() {
  return parse_function(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..M / 16 @block.x {
    alloc T: f32[16, 32] @shared @align(128)
    for r in 0..3 {
      for x in 0..32 @thread.x {
        for s in 0..16 {
          T[s, x] = A[i*16 + s, x + r]
        }
      }
      copy C[i*16 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32] @bulk
    }
  }
})");
}

/// The map of an empty tensor is of one element, which nobody is to write.
TEST(BulkStores, GoToNoEmptyTensor) {
  EXPECT_THAT(to_string(kernel_of(repeated())),
              testing::HasSubstr("if (N >= 1) {\n        store_bulk"));
}

TEST(BulkStores, OfOneBoxComeInOrder) {
  const KernelFunction kernel = kernel_of(repeated());
  EXPECT_EQ(problem_of(kernel, repeated(), some_sizes), "");
  const auto reading = [](const Stmt& stmt) {
    return is<op::wait_stores_written>(stmt) ? Instr::make(op::wait_stores, {}, {}, 0) : Stmt();
  };
  EXPECT_THAT(problem_of(with_mistake(kernel, 0, reading), repeated(), some_sizes),
              testing::StartsWith("unfinished store on C[0, 0]: the thread that has asked for the "
                                  "store has not waited until it is written\n"));
}

// ---- Mistakes -----------------------------------------------------------------------------------

/// Of the first two statements for which there is an order.
template <bool (*is_first)(const Stmt&), bool (*is_second)(const Stmt&)>
Stmt swapped(const Stmt& stmt) {
  const auto* seq = llvm::dyn_cast<Seq>(stmt);
  if (!seq) return {};
  auto stmts = seq->stmts;
  for (size_t n = 0; n + 1 < stmts.size(); ++n)
    if (is_first(stmts[n]) && is_second(stmts[n + 1])) {
      std::swap(stmts[n], stmts[n + 1]);
      return Seq::make(stmts);
    }
  return {};
}

Stmt four_columns_on(const Stmt& stmt, size_t place) {
  const Instr* store = as(stmt, op::store_bulk);
  if (!store) return {};
  llvm::SmallVector<ElementRef, 3> places = store->places;
  places[place].indices[1] = places[place].indices[1] + 4;
  return store->with(places, {});
}

Stmt to_next_columns(const Stmt& stmt) { return four_columns_on(stmt, 0); }
Stmt from_next_elements(const Stmt& stmt) { return four_columns_on(stmt, 1); }

Stmt by_all_threads(const Stmt& stmt) {
  const auto* branch = llvm::dyn_cast<If>(stmt);
  const auto is_store = is<op::store_bulk>;
  return branch && any_of(branch->body, is_store) ? branch->body : Stmt();
}

constexpr Mistake mistakes[] = {
    {"a fence is missing", dropped<is<op::fence_engine>>, 1},
    {"a barrier is missing", dropped<is_barrier>, 1},
    {"a wait is missing", dropped<is<op::wait_stores>>, 1},
    {"the store is missing", dropped<is<op::store_bulk>>, 1},
    {"the fence comes behind the barrier", swapped<is<op::fence_engine>, is_barrier>, 1},
    {"a group is not committed", dropped<is<op::commit_stores>>, 1},
    {"the store goes to the next columns", to_next_columns, 1},
    {"the store takes the next elements", from_next_elements, 1},
    {"all threads ask for the store", by_all_threads, 1},
};

/// Some are right by chance where the warps run in the order of order 0.
constexpr uint64_t orders[] = {0, 1, 2, 3};

TEST(BulkStores, MistakesAreFound) {
  for (const Function& function : {doubled(), doubled_in_a_loop()}) {
    const KernelFunction kernel = kernel_of(function);
    for (const Mistake& mistake : mistakes) {
      const KernelFunction wrong = with_mistake(kernel, 0, mistake.change);
      ASSERT_NE(to_string(wrong), to_string(kernel)) << mistake.what;
      const auto is_found = [&](uint64_t order) { return !problem_of(wrong, order).empty(); };
      EXPECT_TRUE(llvm::any_of(orders, is_found)) << mistake.what << "\n" << to_string(wrong);
    }
  }
}

/// In a loop, threads wait before they fill the tile again.
TEST(BulkStores, BarriersOfALoopAreNeeded) {
  const KernelFunction kernel = kernel_of(doubled_in_a_loop());
  for (int n = 0; n < 2; ++n) {
    const KernelFunction wrong = with_mistake(kernel, n, dropped<is_barrier>);
    const auto is_found = [&](uint64_t order) { return !problem_of(wrong, order).empty(); };
    EXPECT_TRUE(llvm::any_of(orders, is_found)) << to_string(wrong);
  }
}

std::string first_line(const std::string& finding) {
  return llvm::StringRef(finding).split('\n').first.str();
}

TEST(BulkStores, FindingsTellOfTheTile) {
  const auto found = [](const Function& function, Change* change) {
    return first_line(problem_of(with_mistake(kernel_of(function), 0, change)));
  };
  EXPECT_EQ(found(doubled(), dropped<is<op::fence_engine>>),
            "missing fence on T[0, 0]: no fence between the write of a thread and the copy engine");
  EXPECT_EQ(found(doubled(), dropped<is<op::wait_stores>>),
            "unfinished store on T[0, 0]: the block ends before the thread that has asked for the "
            "store has waited");
  EXPECT_EQ(found(doubled_in_a_loop(), dropped<is<op::wait_stores>>),
            "unfinished store on T[0, 0]: the thread that has asked for the store has not waited "
            "for it");
  EXPECT_EQ(found(doubled(), from_next_elements),
            "access out of bounds on T: T[0, 0 + 4 .. +512]: index [0, 4] is outside the shape "
            "[16, 32]");
}

/// An atomic update is a write.
TEST(BulkStores, UpdatesNeedAFence) {
  const KernelFunction kernel = parse_kernel(R"(
kernel f[N](C: f32[N, 32]) where N % 4 == 0 grid(1, 1, 1) block(32, 1, 1) @index32 {
  alloc T: f32[1, 32] @shared(0) @align(128)
  let x = thread.x
  T[0, x] = 0.0
  fence_engine
  barrier
  atomic T[0, x] += 1.0
  barrier
  if (x == 0) {
    store_bulk C[0, 0] <- T[0, 0] of 1 x 32
    commit_stores
    wait_stores 0
  }
})");
  const Function function = parse_function("func f[N](C: f32[N, 32]) {\n  C[0, 0] = 1.0\n}");
  EXPECT_EQ(first_line(first_finding(kernel, function, {{"N", 4}})),
            "missing fence on T[0, 0]: no fence between the write of a thread and the copy engine");
}

/// The first line of the finding about a store of 4 x 32 floats to C.
std::string finding_of_store(const std::string& type, const std::string& column) {
  const KernelFunction kernel = parse_kernel(fmt::format(R"(
kernel f(C: {}) grid(1, 1, 1) block(32, 1, 1) @index32 {{
  alloc S: f32[4, 32] @shared(0) @align(128)
  for r in 0..4 {{
    S[r, thread.x] = 1.0
  }}
  fence_engine
  barrier
  if (thread.x == 0) {{
    store_bulk C[0, {}] <- S[0, 0] of 4 x 32
    commit_stores
    wait_stores 0
  }}
}})",
                                                         type, column));
  const Function function = parse_function(fmt::format("func f(C: {}) {{ C[0, 0] = 1.0 }}", type));
  return first_line(first_finding(kernel, function, {}));
}

TEST(BulkStores, BoxesStartAtWholePiecesOfRows) {
  EXPECT_EQ(finding_of_store("f32[4, 64]", "28"), "");
  EXPECT_EQ(finding_of_store("f32[4, 64]", "30"),
            "misaligned access on C: C[0, 30]: the box starts at byte 120 of its rows, and the "
            "engine takes those at multiples of 16");
}

TEST(BulkStores, StartInTheirTensor) {
  EXPECT_EQ(finding_of_store("f32[4, 64]", "0 - 16"),
            "access out of bounds on C: C[0, 0 - 16]: the box starts at -16 along a dimension, and "
            "the engine writes those that start at 0 or behind");
}

TEST(BulkStores, WriteWholePiecesOfRows) {
  EXPECT_EQ(finding_of_store("f32[4, 30] @pitch(64)", "0"),
            "access out of bounds on C: C[0, 0]: rows end at byte 120, and the engine writes 8 "
            "bytes more, as it writes pieces of 16");
  EXPECT_EQ(finding_of_store("f32[4, 50] @pitch(64)", "0"), "");
}

// ---- Counters -----------------------------------------------------------------------------------

/// One block whose box sticks out: 5 rows of 28 elements are written.
TEST(BulkStores, AreCountedByTheBytesOfTheirBoxes) {
  std::vector<float> values(5 * 28);
  std::vector<SimArgument> arguments;
  for (const char* name : {"A", "C"}) arguments.push_back({name, values.data(), 5 * 28});
  const CountReport report = count(kernel_of(doubled()), {{"M", 5}, {"N", 28}}, arguments);
  const MemoryCounts stores = report.total(AccessClass::global_store);
  EXPECT_EQ(stores.requests, 0);
  EXPECT_EQ(stores.bytes, 5 * 28 * 4);
  EXPECT_EQ(stores.l2_bytes(), 5 * 28 * 4);
  EXPECT_EQ(report.total(AccessClass::shared_load).bytes, 5 * 28 * 4);
}

// ---- Texts --------------------------------------------------------------------------------------

TEST(BulkStores, KernelsAreTextsThatParse) {
  for (const Function& function : {doubled(), doubled_in_a_loop()}) {
    const KernelFunction kernel = kernel_of(function);
    EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
    EXPECT_EQ(verify(kernel, KernelForm::thread), std::nullopt);
  }
}

/// The CUDA text of what the tests above run.
TEST(BulkStores, HaveThisText) {
  expect_golden("tests/runtime/golden/bulk_stores.cu", emit_cuda(kernel_of(doubled_in_a_loop())));
}

TEST(BulkStores, NvrtcTakesThem) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const Function& function : {doubled(), doubled_in_a_loop()})
    EXPECT_FALSE(
        nvrtc_compile({emit_cuda(kernel_of(function)), "doubled", "sm_90", {}, ""}).cubin.empty());
}

}  // namespace bulk_stores_test
}  // namespace hone
