// Which step of a rung's schedule a statement of its kernel is owed to.

#include "tools/cli/provenance.h"

#include "codegen/lower.h"
#include "ir/visit.h"
#include "llvm/ADT/StringRef.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace {

/// "C.reg[] = 0.0 | step 6: s.cache_registers(C, j_1);" for each loop, store, copy and barrier.
std::string origins(const std::string& rung_name) {
  std::string text;
  for (const RungCase& rung_case : gpu_rungs()) {
    if (rung_case.name() != rung_name) continue;
    const Schedule schedule = rung_case.rung.build({}, rung_case.ladder.sizes);
    for (const KernelFunction& kernel : lower(schedule).kernels)
      walk(kernel.body, [&](const Stmt& stmt) {
        if (llvm::isa<Seq>(stmt) || llvm::isa<Let>(stmt) || llvm::isa<If>(stmt)) return;
        const std::string printed = to_string(stmt);
        text += fmt::format("{} | {}\n",
                            llvm::StringRef(printed).split('\n').first.take_front(36).rtrim().str(),
                            origin_text(schedule, kernel, stmt.get()));
      });
  }
  return text;
}

TEST(Provenance, OfAKernelWithoutTiles) {
  EXPECT_EQ(origins("matmul/global-accumulate"), R"(C[i*N + j] = 0.0 | the definition
reduce k in 0..K { | the definition
C[i*N + j] += A[i*K + k] * B[k*N + j | the definition
)");
}

TEST(Provenance, OfTilesInSharedMemory) {
  EXPECT_EQ(
      origins("matmul/shared-32"),
      R"(alloc A.shared: f32[32, 32] @shared( | step 11: auto A_shared = s.cache_shared(A, k_0);
alloc B.shared: f32[32, 32] @shared( | step 12: auto B_shared = s.cache_shared(B, k_0);
alloc C.reg: f32[] @registers | step 10: s.cache_registers(C, j_1);
C.reg[] = 0.0 | step 10: s.cache_registers(C, j_1);
reduce k.0 in 0..K / 32 { | step 9: auto [k_0, k_1] = s.split(k, 32);
A.shared[i.1, j.1] = A[(i.0*32 + i.1 | step 11: auto A_shared = s.cache_shared(A, k_0);
B.shared[i.1, j.1] = B[(k.0*32 + i.1 | step 12: auto B_shared = s.cache_shared(B, k_0);
barrier | step 12: auto B_shared = s.cache_shared(B, k_0);
reduce k.1 in 0..32 { | step 9: auto [k_0, k_1] = s.split(k, 32);
C.reg[] += A.shared[i.1, k.1] * B.sh | step 12: auto B_shared = s.cache_shared(B, k_0);
barrier | step 12: auto B_shared = s.cache_shared(B, k_0);
C[(i.0*32 + i.1)*N + j.0*32 + j.1] = | step 10: s.cache_registers(C, j_1);
)");
}

TEST(Provenance, OfTilesInRegisters) {
  EXPECT_EQ(
      origins("matmul/thread-2d"),
      R"(alloc A.shared: f32[128, 8] @shared( | step 10: auto A_shared = s.cache_shared(A, k_0);
alloc B.shared: f32[8, 128] @shared( | step 11: auto B_shared = s.cache_shared(B, k_0);
alloc C.reg: f32[8, 8] @registers | step 9: s.cache_registers(C, i_1_0_j_1_0);
for i.1.1.init in 0..8 @unroll { | the definition
for j.1.1.init in 0..8 @unroll { | the definition
C.reg[i.1.1.init, j.1.1.init] = 0.0 | step 9: s.cache_registers(C, i_1_0_j_1_0);
reduce k.0 in 0..(K + 7) / 8 { | step 3: auto [k_0, k_1] = s.split(k, 8);
for A.shared.s in 0..4 @unroll { | step 10: auto A_shared = s.cache_shared(A, k_0);
A.shared[A.shared.s*32 + A.shared.i, | step 10: auto A_shared = s.cache_shared(A, k_0);
for B.shared.s in 0..4 @unroll { | step 11: auto B_shared = s.cache_shared(B, k_0);
B.shared[B.shared.s*2 + B.shared.k, | step 11: auto B_shared = s.cache_shared(B, k_0);
barrier | step 11: auto B_shared = s.cache_shared(B, k_0);
reduce k.1 in 0..8 @unroll(4) { | step 3: auto [k_0, k_1] = s.split(k, 8);
alloc A.reg: f32[8] @registers | step 12: s.cache_registers(A_shared, k_1);
for A.reg.at in 0..8 @unroll { | step 12: s.cache_registers(A_shared, k_1);
A.reg[A.reg.at] = A.shared[i.1.0*8 + | step 12: s.cache_registers(A_shared, k_1);
alloc B.reg: f32[8] @registers | step 13: s.cache_registers(B_shared, k_1);
for B.reg.at in 0..8 @unroll { | step 13: s.cache_registers(B_shared, k_1);
B.reg[B.reg.at] = B.shared[k.1, j.1. | step 13: s.cache_registers(B_shared, k_1);
for i.1.1 in 0..8 @unroll { | step 2: auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {8, 8});
for j.1.1 in 0..8 @unroll { | step 2: auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {8, 8});
C.reg[i.1.1, j.1.1] += A.reg[i.1.1] | step 13: s.cache_registers(B_shared, k_1);
barrier | step 11: auto B_shared = s.cache_shared(B, k_0);
for C.at in 0..8 @unroll { | step 9: s.cache_registers(C, i_1_0_j_1_0);
for C.at_2 in 0..8 @unroll { | step 9: s.cache_registers(C, i_1_0_j_1_0);
C[(i + C.at)*N + j + C.at_2] = C.reg | step 9: s.cache_registers(C, i_1_0_j_1_0);
)");
}

TEST(Provenance, OfATileThatIsReadInAnotherOrder) {
  EXPECT_EQ(
      origins("transpose/tiled"),
      R"(alloc A.shared: f32[32, 32] @shared( | step 7: auto A_shared = s.cache_shared(A, i_0);
for A.shared.s in 0..4 @unroll { | step 7: auto A_shared = s.cache_shared(A, i_0);
A.shared[A.shared.s*8 + A.shared.ty, | step 7: auto A_shared = s.cache_shared(A, i_0);
barrier | step 7: auto A_shared = s.cache_shared(A, i_0);
for j.1.0 in 0..4 { | step 2: auto [j_1_0, j_1_1] = s.split(j_1, 8);
B[(j_base + j.1.0*8)*M + i] = A.shar | step 7: auto A_shared = s.cache_shared(A, i_0);
)");
}

TEST(Provenance, OfNoStatementOfTheKernel) {
  const RungCase rung_case = gpu_rungs().front();
  const Schedule schedule = rung_case.rung.build({}, rung_case.ladder.sizes);
  const KernelFunction kernel = lower(schedule).kernels.front();
  EXPECT_EQ(step_of(schedule, kernel, Barrier::make().get()), std::nullopt);
}

}  // namespace
}  // namespace hone
