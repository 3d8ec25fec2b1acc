// An instruction that nobody but this file knows: mma.sync of bf16, whose record is all there is to
// write. Its text parses and prints, the simulated device runs it by its meaning, and CUDA has it.
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "codegen/cost/static_facts.h"
#include "codegen/emit/emit.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/interpret/interpreter.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "runtime/compile.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"
#include "tests/support/ir/run.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace own_instruction_test {

using Of = SpreadDigit::Of;

/// Rows in groups of four lanes, and in the upper half behind two values; pairs of columns.
const FragmentSpread rows = {{{Of::lane, 4, 8, 0, 1},
                              {Of::value, 2, 2, 0, 8},
                              {Of::lane, 1, 4, 1, 2},
                              {Of::value, 1, 2, 1, 1}}};
const FragmentSpread columns = {
    {{Of::lane, 1, 4, 0, 2}, {Of::value, 1, 2, 0, 1}, {Of::lane, 4, 8, 1, 1}}};

constexpr const char* meaning = R"(
func mma(C: f32[16, 8], A: bf16[16, 8], B: bf16[8, 8]) {
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..8 {
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
      }
    }
  }
})";

constexpr const char* helper = R"(
// C += A B, 16 by 8 of 8, of the warp's values.
static __device__ void mma_m16n8k8(float* c, const __nv_bfloat16* a, const __nv_bfloat16* b) {
  const unsigned* pairs = reinterpret_cast<const unsigned*>(a);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(pairs[0]), "r"(pairs[1]), "r"(*reinterpret_cast<const unsigned*>(b)));
}
)";

const Opcode mma("mma_m16n8k8 {element} <- {element}, {element}",
                 {Use::updates, Use::reads, Use::reads},
                 {.meaning = meaning,
                  .spreads = {rows, rows, columns},
                  .spelling = [](const Instr&) -> CudaSpelling {
                    return {"mma_m16n8k8(&{0}, &{1}, &{2});", {{0, helper}}};
                  },
                  .least_capability = 80,
                  .work = "multiplies by mma.sync"});

/// Known from here on.
const bool is_known = (add_family({{&mma}}), true);

std::string kernel_text(const std::string& condition = "") {
  const std::string close = condition.empty() ? "" : " }";
  return R"(kernel product(A: bf16[128], B: bf16[64], C: f32[128]) grid(1, 1, 1) block(64, 1, 1) @index32 {
  let lane = thread.x % 32
  alloc C.frag: f32[4] @registers
  alloc A.frag: bf16[4] @registers
  alloc B.frag: bf16[2] @registers
  for v in 0..4 @unroll {
    C.frag[v] = 0.0
    A.frag[v] = A[(lane / 4 + v / 2*8)*8 + lane % 4*2 + v % 2]
  }
  for w in 0..2 @unroll {
    B.frag[w] = B[(lane % 4*2 + w)*8 + lane / 4]
  }
  )" + condition +
         R"(mma_m16n8k8 C.frag[0] <- A.frag[0], B.frag[0]
)" + close +
         R"(  if (thread.x < 32) {
    for u in 0..4 @unroll {
      C[(lane / 4 + u / 2*8)*8 + lane % 4*2 + u % 2] = C.frag[u]
    }
  }
})";
}

Buffers small_integers() {
  std::mt19937 random(41);
  Buffers buffers = {
      {"A", Buffer(bf16, {128})}, {"B", Buffer(bf16, {64})}, {"C", Buffer(f32, {128})}};
  for (auto& [name, buffer] : buffers)
    for (int64_t n = 0; n < buffer.size(); ++n) buffer.set(n, static_cast<int>(random() % 9) - 4);
  return buffers;
}

TEST(OwnInstruction, PrintsAndParses) {
  const KernelFunction kernel = parse_kernel(kernel_text());
  EXPECT_THAT(to_string(kernel),
              testing::HasSubstr("\n  mma_m16n8k8 C.frag[0] <- A.frag[0], B.frag[0]\n"));
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
}

/// Every element of a matrix is one value of one lane.
TEST(OwnInstruction, SpreadsAreBijections) {
  for (const FragmentSpread& spread : mma.rules.spreads) {
    std::set<llvm::SmallVector<int64_t, 4>> elements;
    for (int lane = 0; lane < 32; ++lane)
      for (int value = 0; value < spread.values(); ++value)
        EXPECT_TRUE(elements.insert(spread.element(lane, value)).second);
    EXPECT_EQ(elements.size(), 32U * spread.values());
  }
}

TEST(OwnInstruction, RunsByItsMeaning) {
  Buffers buffers = small_integers();
  run_on_sim(parse_kernel(kernel_text()), {}, buffers);
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 8; ++k)
        sum += buffers.at("A").get(i * 8 + k) * buffers.at("B").get(k * 8 + j);
      EXPECT_EQ(buffers.at("C").get(i * 8 + j), sum) << i << " " << j;
    }
}

/// The program that the kernel computes.
Function product() {
  return parse_function(R"(func product(A: bf16[128], B: bf16[64], C: f32[128]) {
    for i in 0..16 { for j in 0..8 {
      C[i*8 + j] = 0.0
      reduce k in 0..8 { C[i*8 + j] += f32(A[i*8 + k]) * f32(B[k*8 + j]) } } } })");
}

Buffer result_on(const Device& device) {
  Function function = product();
  Module module;
  module.name = "product";
  module.kernels = {parse_kernel(kernel_text())};
  module.arguments = function.arguments = module.kernels[0].arguments;
  std::vector<AnyArray> arrays;
  const Buffers buffers = small_integers();
  for (const TensorPtr& tensor : function.arguments) {
    arrays.push_back(array_for(*tensor, {}, device));
    arrays.back().copy_from_host(buffers.at(tensor->name).bytes.data());
  }
  compile(module, function, {.device = device}).run(arrays, {});
  return to_buffer(arrays.back());
}

/// The lanes of a GPU have the elements that the spreads say.
TEST(OwnInstruction, GivesTheSameOnAGpu) {
  Buffers buffers = small_integers();
  interpret(product(), {}, buffers);
  EXPECT_EQ(values_of(result_on(Device::simulated())), values_of(buffers.at("C")));
  if (const std::string why = why_no_cuda(); !why.empty())
    GTEST_SKIP() << "no CUDA device: " << why;
  EXPECT_EQ(values_of(result_on(Device::cuda())), values_of(buffers.at("C")));
}

std::string first_finding(const std::string& text) {
  Buffers buffers = small_integers();
  llvm::SmallVector<SimArgument, 3> arguments;
  for (const char* name : {"A", "B", "C"})
    arguments.push_back({name, buffers.at(name).bytes.data(), buffers.at(name).size()});
  const auto findings = hone::check(parse_kernel(text), {}, arguments).findings;
  return findings.empty() ? "" : to_string(findings.front());
}

TEST(OwnInstruction, IsChecked) {
  EXPECT_EQ(first_finding(kernel_text()), "");
  EXPECT_THAT(first_finding(kernel_text("if (lane < 16) { ")),
              testing::HasSubstr("a warp issues it together, and 16 of its 32 lanes do"));
}

TEST(OwnInstruction, ReadsValuesThatAreThere) {
  std::string text = kernel_text();
  text.replace(text.find("    C.frag[v] = 0.0\n"), 20, "");
  EXPECT_THAT(first_finding(text), testing::HasSubstr("uninitialised read"));
}

TEST(OwnInstruction, HasTheTypesOfItsMeaning) {
  std::string text = kernel_text();
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos;) text.replace(at, 3, "f64");
  EXPECT_EQ(verify(parse_kernel(text), KernelForm::thread).value_or(""),
            "C.frag of mma_m16n8k8 is f64, and not f32");
}

/// By what it means: nobody knows its name.
TEST(OwnInstruction, CountsOperationsOfTensorCores) {
  Buffers buffers = small_integers();
  llvm::SmallVector<SimArgument, 3> arguments;
  for (const char* name : {"A", "B", "C"})
    arguments.push_back({name, buffers.at(name).bytes.data(), buffers.at(name).size()});
  const CountReport report = count(parse_kernel(kernel_text()), {}, arguments);
  EXPECT_EQ(report.tensor_instructions, 2);  // one a warp
  EXPECT_EQ(report.tensor_operations, 2 * 2 * 16 * 8 * 8);
  EXPECT_EQ(to_string(static_facts(parse_kernel(kernel_text())).tensor_operations_per_thread),
            "64");
}

/// The values lie in registers of the lanes.
TEST(OwnInstruction, TakesRegistersAlone) {
  std::string text = kernel_text();
  const size_t at = text.find("bf16[4] @registers");
  text.replace(at, 18, "bf16[4] @shared");
  EXPECT_EQ(verify(parse_kernel(text), KernelForm::thread).value_or(""),
            "A.frag of mma_m16n8k8 is not in registers");
}

TEST(OwnInstruction, IsSpelledInCuda) {
  const std::string cuda = emit_cuda(parse_kernel(kernel_text()));
  EXPECT_THAT(cuda, testing::HasSubstr("\n  mma_m16n8k8(&C_frag[0], &A_frag[0], &B_frag[0]);\n"));
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const auto compiled = compile_cached({cuda, "product", "sm_90", {}, ""});
  EXPECT_THAT(compiled->ptx, testing::HasSubstr("mma.sync.aligned.m16n8k8"));
}

}  // namespace own_instruction_test
}  // namespace hone
