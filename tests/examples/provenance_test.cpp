// The step of a rung's schedule that a statement of its kernel is owed to.

#include "tools/cli/provenance.h"

#include "codegen/lower.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringRef.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace provenance_test {

/// "C.reg[] = 0.0 | step 6: s.cache_registers(C, column);" for each loop, guard, store, copy and
/// barrier.
std::string origins(const Schedule& schedule, bool has_guards) {
  std::string text;
  const Provenance provenance(schedule);
  for (const KernelFunction& kernel : lower(schedule).kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      if (llvm::isa<Seq, Let>(stmt) || (llvm::isa<If>(stmt) && !has_guards)) return;
      const std::string printed = to_string(stmt);
      text += fmt::format("{} | {}\n",
                          llvm::StringRef(printed).split('\n').first.take_front(36).rtrim().str(),
                          provenance.origin_text(kernel.body, stmt.get()));
    });
  return text;
}

std::string origins(const std::string& rung_name) {
  for (const RungCase& rung_case : gpu_rungs())
    if (rung_case.name() == rung_name)
      return origins(rung_case.rung.build({}, rung_case.ladder.sizes), false);
  return "no such rung";
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
      R"(alloc A.shared: f32[32, 32] @shared( | step 11: auto A_shared = s.cache_shared(A, step);
alloc B.shared: f32[32, 32] @shared( | step 12: auto B_shared = s.cache_shared(B, step);
alloc C.reg: f32[] @registers | step 10: s.cache_registers(C, column);
C.reg[] = 0.0 | step 10: s.cache_registers(C, column);
reduce step in 0..K / 32 { | step 9: auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
A.shared[row, column] = A[(block_row | step 11: auto A_shared = s.cache_shared(A, step);
B.shared[row, column] = B[(step*32 + | step 12: auto B_shared = s.cache_shared(B, step);
barrier | step 12: auto B_shared = s.cache_shared(B, step);
reduce k in 0..32 { | step 9: auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
C.reg[] += A.shared[row, k] * B.shar | step 12: auto B_shared = s.cache_shared(B, step);
barrier | step 12: auto B_shared = s.cache_shared(B, step);
C[(block_row*32 + row)*N + block_col | step 10: s.cache_registers(C, column);
)");
}

TEST(Provenance, OfTilesInRegisters) {
  EXPECT_EQ(
      origins("matmul/thread-2d"),
      R"(alloc A.shared: f32[128, 8] @shared( | step 10: auto A_shared = s.cache_shared(A, step);
alloc B.shared: f32[8, 128] @shared( | step 11: auto B_shared = s.cache_shared(B, step);
alloc C.reg: f32[8, 8] @registers | step 9: s.cache_registers(C, thread_row_thread_column);
for row.init in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
for column.init in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
C.reg[row.init, column.init] = 0.0 | step 9: s.cache_registers(C, thread_row_thread_column);
reduce step in 0..(K + 7) / 8 { | step 3: auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
for A.shared.s in 0..4 @unroll { | step 10: auto A_shared = s.cache_shared(A, step);
A.shared[A.shared.s*32 + A.shared.i, | step 10: auto A_shared = s.cache_shared(A, step);
for B.shared.s in 0..4 @unroll { | step 11: auto B_shared = s.cache_shared(B, step);
B.shared[B.shared.s*2 + B.shared.k, | step 11: auto B_shared = s.cache_shared(B, step);
barrier | step 11: auto B_shared = s.cache_shared(B, step);
reduce k in 0..8 @unroll(4) { | step 14: s.unroll(k_2, 4);
alloc A.reg: f32[8] @registers | step 12: s.cache_registers(A_shared, k_2);
for A.reg.at in 0..8 @unroll { | step 12: s.cache_registers(A_shared, k_2);
A.reg[A.reg.at] = A.shared[thread_ro | step 12: s.cache_registers(A_shared, k_2);
alloc B.reg: f32[8] @registers | step 13: s.cache_registers(B_shared, k_2);
for B.reg.at in 0..8 @unroll { | step 13: s.cache_registers(B_shared, k_2);
B.reg[B.reg.at] = B.shared[k, thread | step 13: s.cache_registers(B_shared, k_2);
for row in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
for column in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
C.reg[row, column] += A.reg[row] * B | step 13: s.cache_registers(B_shared, k_2);
barrier | step 11: auto B_shared = s.cache_shared(B, step);
for C.at in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
for C.at_2 in 0..8 @unroll { | step 9: s.cache_registers(C, thread_row_thread_column);
C[(i + C.at)*N + j + C.at_2] = C.reg | step 9: s.cache_registers(C, thread_row_thread_column);
)");
}

TEST(Provenance, OfATileThatIsReadInAnotherOrder) {
  EXPECT_EQ(
      origins("transpose/tiled"),
      R"(alloc A.shared: f32[32, 32] @shared( | step 7: auto A_shared = s.cache_shared(A, block_row);
for A.shared.s in 0..4 @unroll { | step 7: auto A_shared = s.cache_shared(A, block_row);
A.shared[A.shared.s*8 + A.shared.ty, | step 7: auto A_shared = s.cache_shared(A, block_row);
barrier | step 7: auto A_shared = s.cache_shared(A, block_row);
for part in 0..4 { | step 2: auto [part, column] = s.split(j_1, 8, {.names = {"part", "column"}});
B[(j_base + part*8)*M + i] = A.share | step 7: auto A_shared = s.cache_shared(A, block_row);
)");
}

/// T(i, j) = A(i, j) * 2, which B(i, j) = T(i, j) + T(i, j + 1) reads.
struct Pair {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N + 1}}, T{"T", f32, {M, N + 1}}, B{"B", f32, {M, N}};
  Axis i{"i", M}, j{"j", N}, r{"r", M}, c{"c", N + 1};
  Program program{"pair", T(r, c) = A(r, c) * 2.0f, B(i, j) = T(i, j) + T(i, j + 1)};
};

TEST(Provenance, OfATemporaryThatIsComputedWhereItIsRead) {
  const Pair p;
  Schedule s(p.program);
  auto [i_0, i_1] = s.split(p.i, 8);
  s.bind(i_0, block.x);
  s.compute_at(p.T, p.j);
  s.unroll(p.j, 4);
  EXPECT_EQ(origins(s, true), R"(alloc T: f32[2] @shared(0) | step 3: s.compute_at(T, j);
for i.1 in 0..8 { | step 1: auto [i_0, i_1] = s.split(i, 8);
if (i.0*8 + i.1 < M) { | step 1: auto [i_0, i_1] = s.split(i, 8);
for j in 0..N @unroll(4) { | step 4: s.unroll(j, 4);
for c in 0..2 { | step 3: s.compute_at(T, j);
T[c] = A[(i.0*8 + i.1)*(N + 1) + j + | step 3: s.compute_at(T, j);
B[(i.0*8 + i.1)*N + j] = T[0] + T[1] | step 3: s.compute_at(T, j);
)");
}

TEST(Provenance, OfATemporaryThatIsInlined) {
  const Pair p;
  Schedule s(p.program);
  s.inline_tensor(p.T);
  s.unroll(s.split(p.j, 4, {.tail = Tail::peel})[1]);
  EXPECT_EQ(origins(s, true), R"(for i in 0..M { | the definition
for j.0 in 0..N / 4 { | step 2: auto [j_0, j_1] = s.split(j, 4, {.tail = Tail::peel});
for j.1 in 0..4 @unroll { | step 3: s.unroll(j_1);
B[i*N + j.0*4 + j.1] = A[i*(N + 1) + | step 1: s.inline_tensor(T);
for j.tail in 0..N % 4 { | step 2: auto [j_0, j_1] = s.split(j, 4, {.tail = Tail::peel});
B[i*N + (N / 4)*4 + j.tail] = A[i*(N | step 1: s.inline_tensor(T);
)");
}

struct Total {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32, {}};
  ReduceAxis k{"k", N};
  Program program{"total", S() = sum(k, A(k))};
};

TEST(Provenance, OfPartialResults) {
  const Total t;
  Schedule s(t.program);
  auto [k_0, k_1] = s.split(t.k, 32);
  auto [partial, k, total] = s.rfactor(t.S, k_1);
  s.bind(k, thread.x);
  EXPECT_EQ(origins(s, true),
            R"(S.rf[k.1] = 0.0 | step 2: auto [S_rf, k_1_2, k_1_S] = s.rfactor(S, k_1);
reduce k.0 in 0..(N + 31) / 32 { | step 1: auto [k_0, k_1] = s.split(k, 32);
if (k.0*32 + k.1 < N) { | step 1: auto [k_0, k_1] = s.split(k, 32);
S.rf[k.1] += A[k.0*32 + k.1] | step 2: auto [S_rf, k_1_2, k_1_S] = s.rfactor(S, k_1);
S[0] = 0.0 | the definition
reduce k.1.S in 0..32 { | step 2: auto [S_rf, k_1_2, k_1_S] = s.rfactor(S, k_1);
S[0] += S.rf[k.1.S] | step 2: auto [S_rf, k_1_2, k_1_S] = s.rfactor(S, k_1);
)");
}

TEST(Provenance, OfAReductionThatThreadsCombine) {
  const Total t;
  Schedule s(t.program);
  auto [k_0, k_1] = s.split(t.k, 64);
  s.reorder({k_1, k_0});
  s.bind(k_1, thread.x, Combine::sequential);
  EXPECT_EQ(
      origins(s, true),
      R"(alloc S.tree: f32[64] @shared(0) | step 3: s.bind(k_1, thread.x, Combine::sequential);
alloc S.part: f32[] @registers | step 3: s.bind(k_1, thread.x, Combine::sequential);
S.part[] = 0.0 | step 3: s.bind(k_1, thread.x, Combine::sequential);
reduce k.0 in 0..(N + 63) / 64 { | step 1: auto [k_0, k_1] = s.split(k, 64);
if (k.0*64 + k.1 < N) { | step 1: auto [k_0, k_1] = s.split(k, 64);
S.part[] += A[k.0*64 + k.1] | step 3: s.bind(k_1, thread.x, Combine::sequential);
S.tree[k.1] = S.part[] | step 3: s.bind(k_1, thread.x, Combine::sequential);
for stride in 0..6 { | step 3: s.bind(k_1, thread.x, Combine::sequential);
barrier | step 3: s.bind(k_1, thread.x, Combine::sequential);
if (t < 32 >> stride) { | step 3: s.bind(k_1, thread.x, Combine::sequential);
S.tree[t] += S.tree[t + (32 >> strid | step 3: s.bind(k_1, thread.x, Combine::sequential);
if (thread.x == 0) { | step 3: s.bind(k_1, thread.x, Combine::sequential);
S[0] = S.tree[0] | step 3: s.bind(k_1, thread.x, Combine::sequential);
)");
}

TEST(Provenance, OfNoStatementOfTheKernel) {
  const RungCase rung_case = gpu_rungs().front();
  const Schedule schedule = rung_case.rung.build({}, rung_case.ladder.sizes);
  const KernelFunction kernel = lower(schedule).kernels.front();
  EXPECT_EQ(Provenance(schedule).step_of(kernel.body, make_barrier().get()), std::nullopt);
}

}  // namespace provenance_test
}  // namespace hone
