// Kernels that overlap: which of them waits, and where.

#include <gmock/gmock.h>

#include "codegen/contract/launch_contract.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace launch_early_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Module three_kernels() {
  return lower(
      parse_function(R"(func f[M](A: f32[M], B: f32[M], C: f32[M], D: f32[M]) @launch_early {
    for i in 0..M @block.x { B[i] = A[i] }
    for j in 0..M @block.x { C[j] = B[j] }
    for k in 0..M @block.x {
      for t in 0..32 @thread.x {
        alloc T: f32[32] @shared
        copy T[0 .. +32] <- B[0 .. +32]
        D[k] = T[0] + C[k] } } })"));
}

/// The text from "@index32" back to the block: "block(1, 1, 1) @launch_next".
std::string attributes_of(const KernelFunction& kernel) {
  const llvm::StringRef head = llvm::StringRef(to_string(kernel)).split('\n').first;
  return head.substr(head.find("block(")).str();
}

TEST(EarlyLaunches, WaitForTheKernelBefore) {
  const Module module = three_kernels();
  std::vector<std::string> heads;
  for (const KernelFunction& kernel : module.kernels) heads.push_back(attributes_of(kernel));
  EXPECT_THAT(heads, ElementsAre("block(1, 1, 1) @launch_next @wait_first @index32 {",
                                 "block(1, 1, 1) @launch_next @wait_first @index32 {",
                                 "block(32, 1, 1) @launch_next @wait_first @index32 {"));
}

TEST(EarlyLaunches, AreReadBackInTheTextOfAKernel) {
  for (const KernelFunction& kernel : three_kernels().kernels) {
    const KernelFunction again = parse_kernel(to_string(kernel));
    EXPECT_EQ(to_string(again), to_string(kernel));
    EXPECT_EQ(again.waits_first, kernel.waits_first);
    EXPECT_EQ(again.launches_next, kernel.launches_next);
  }
}

/// A kernel writes and reads nothing before it waits.
TEST(EarlyLaunches, WaitBeforeAnyAccess) {
  for (const KernelFunction& kernel : three_kernels().kernels) {
    const std::string text = emit_cuda(kernel);
    const std::string body = text.substr(text.find(") {\n") + 4);
    const std::string next = "  asm volatile(\"griddepcontrol.launch_dependents;\");\n";
    const std::string wait = "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n";
    const std::string start = (kernel.launches_next ? next : "") + (kernel.waits_first ? wait : "");
    EXPECT_EQ(body.substr(0, start.size()), start);
    EXPECT_THAT(body.substr(start.size()), Not(HasSubstr("griddepcontrol")));
  }
}

TEST(EarlyLaunches, AreFactsOfTheContract) {
  const LaunchContract contract = launch_contract(three_kernels());
  for (const KernelContract& kernel : contract.kernels) EXPECT_TRUE(kernel.starts_early);
  EXPECT_THAT(to_string(contract), HasSubstr("f_0: grid (M, 1, 1), block (1, 1, 1), no shared "
                                             "memory, 32-bit indices, starts before the kernel "
                                             "before it ends"));
  EXPECT_THAT(to_string(contract), HasSubstr("f_1: grid (M, 1, 1), block (1, 1, 1), no shared "
                                             "memory, 32-bit indices, starts before f_0 ends"));
}

/// The nest that sets up the results of the last block is a part of its kernel, which overlaps with
/// that of the launch before.
TEST(EarlyLaunches, AreOfOneKernel) {
  const Module module = lower(parse_function(R"(func f[M](A: f32[M, 32], S: f32[]) @launch_early {
      S[] = 0.0
      reduce i in 0..M @block.x combine(last_block) {
        reduce t in 0..32 @thread.x combine(shuffle) { S[] += A[i, t] } } })"));
  ASSERT_EQ(module.kernels.size(), 1u);
  EXPECT_THAT(emit_cuda(module.kernels.front()), HasSubstr("griddepcontrol.wait"));
}

TEST(EarlyLaunches, AreSaidOfAFunctionOnlyOnce) {
  EXPECT_THROW(parse_kernel("kernel f() @launch_early grid(1, 1, 1) block(1, 1, 1) @index32 { }"),
               ParseError);
}

}  // namespace launch_early_test
}  // namespace hone
