// An instruction of the copy engine that nobody but this file knows: cp.reduce.async.bulk, whose
// record is all there is to write. The simulated device reads its tile and updates its tensor as
// late as it may, and finds what the waits and fences around it do not order.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"
#include "tests/support/ir/run.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace own_engine_test {

llvm::SmallVector<Operand, 3> operands_of_reduction(const Instr& instr) {
  const BoxMove move = *box_move(Stmt(&instr));
  Operand memory = {move.memory.tensor, move.memory.indices, Use::updates, Timeline::engine_out};
  memory.box.assign(move.box().begin(), move.box().end());
  return {{move.tile.tensor, move.tile.indices, Use::reads, Timeline::engine_out, move.elements()},
          memory};
}

constexpr const char* helper = R"(
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Asks the copy engine to add to the box of `map` at these coordinates, the fastest first.
static __device__ void add_bulk(const TensorMap* map, int c0, int c1, const void* from) {
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
               "[%0, {%1, %2}], [%3];"
               :
               : "l"(map), "r"(c0), "r"(c1), "r"(address)
               : "memory");
}
)";

const Opcode add_bulk("add_bulk {corner} <- {element} of {box}", {Use::updates, Use::reads},
                      {.operands = operands_of_reduction,
                       .meaning = "func add(C: f32[], T: f32[]) { C[] += T[] }",
                       .spelling = [](const Instr&) -> CudaSpelling {
                         return {"add_bulk(&{map},| {coordinates}, &{1});", {{0, helper}}};
                       },
                       .least_capability = 90,
                       .work = "adds whole tiles by the copy engine"});

const bool is_known = (add_family({{&add_bulk}}), true);

/// Two blocks add 2 to all of C.
std::string sum_text() {
  return R"(kernel sum(C: f32[4, 32]) grid(2, 1, 1) block(64, 1, 1) @index32 {
  alloc T: f32[4, 32] @shared(0) @align(128)
  for r in 0..2 {
    T[r*2 + thread.x / 32, thread.x % 32] = 2.0
  }
  fence_engine
  barrier
  if (thread.x == 0) {
    add_bulk C[0, 0] <- T[0, 0] of 4 x 32
    commit_stores
    wait_stores 0
  }
  barrier
  if (thread.x < 32) {
    T[0, thread.x] = 5.0
  }
})";
}

std::string replaced(std::string text, const std::string& what, const std::string& with = "") {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

Buffers ones() {
  Buffers buffers = {{"C", Buffer(f32, {4, 32})}};
  for (int64_t n = 0; n < 128; ++n) buffers.at("C").set(n, 1);
  return buffers;
}

double result_of(const std::string& text, int64_t element) {
  Buffers buffers = ones();
  run_on_sim(parse_kernel(text), {}, buffers);
  return buffers.at("C").get(element);
}

std::string first_finding(const std::string& text) {
  Buffers buffers = ones();
  const SimArgument argument = {"C", buffers.at("C").bytes.data(), 128};
  const auto findings = hone::check(parse_kernel(text), {}, {argument}).findings;
  return findings.empty() ? ""
                          : llvm::StringRef(to_string(findings.front())).split('\n').first.str();
}

TEST(OwnEngineInstruction, PrintsAndParses) {
  const KernelFunction kernel = parse_kernel(sum_text());
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
  EXPECT_EQ(verify(kernel, KernelForm::thread).value_or(""), "");
}

TEST(OwnEngineInstruction, UpdatesItsTensor) {
  EXPECT_EQ(result_of(sum_text(), 0), 5);
  EXPECT_EQ(result_of(sum_text(), 127), 5);
}

/// The tile is read when its thread waits, and by no wait at the end of the block.
TEST(OwnEngineInstruction, ReadsAsLateAsItMay) {
  const std::string early =
      replaced(sum_text(), "    wait_stores 0\n", "    T[0, 0] = 7.0\n    wait_stores 0\n");
  EXPECT_EQ(result_of(early, 0), 15);
  EXPECT_EQ(result_of(replaced(sum_text(), "    wait_stores 0\n"), 0), 11);
}

TEST(OwnEngineInstruction, IsChecked) {
  EXPECT_EQ(first_finding(sum_text()), "");
  EXPECT_THAT(first_finding(replaced(sum_text(), "  fence_engine\n")),
              testing::HasSubstr("missing fence on T[0, 0]"));
  EXPECT_THAT(first_finding(replaced(sum_text(), "  barrier\n")), testing::HasSubstr("race on T"));
  EXPECT_THAT(first_finding(replaced(sum_text(), "    wait_stores 0\n")),
              testing::HasSubstr("unfinished store on T[0, 0]"));
}

/// Updates of two blocks are no race, and stores are.
TEST(OwnEngineInstruction, ChecksItsUse) {
  const std::string stored = replaced(sum_text(), "add_bulk", "store_bulk");
  EXPECT_THAT(first_finding(stored),
              testing::HasSubstr("race on C[0, 0]: nothing orders the blocks"));
}

TEST(OwnEngineInstruction, IsCounted) {
  Buffers buffers = ones();
  const SimArgument argument = {"C", buffers.at("C").bytes.data(), 128};
  const CountReport report = count(parse_kernel(sum_text()), {}, {argument});
  EXPECT_EQ(report.total(AccessClass::global_atomic).engine_bytes, 2 * 4 * 32 * 4);
  EXPECT_EQ(report.total(AccessClass::shared_load).engine_bytes, 2 * 4 * 32 * 4);
}

TEST(OwnEngineInstruction, IsSpelledInCuda) {
  const std::string cuda = emit_cuda(parse_kernel(sum_text()));
  EXPECT_THAT(cuda, testing::HasSubstr("add_bulk(&"));
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const auto compiled = compile_cached({cuda, "sum", "sm_90", {}, ""});
  EXPECT_THAT(compiled->ptx, testing::HasSubstr("cp.reduce.async.bulk.tensor.2d"));
}

}  // namespace own_engine_test
}  // namespace hone
