// Copies of registers that lie with several threads, run on the simulated device.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace register_copies_test {

/// Expects the kernel of the function, of A and C, to leave what the interpreter leaves.
void expect_as_interpreted(const std::string& text) {
  const Function function = parse_function(text);
  const KernelFunction kernel = lower(function).kernels.front();
  Buffers expected;
  for (const TensorPtr& tensor : function.arguments)
    expected[tensor->name] = counting(tensor->type, storage_shape(*tensor, {}).shape);
  Buffers actual = expected;
  interpret(function, {}, expected);
  run_on_sim(kernel, {}, actual);
  EXPECT_EQ(values_of(actual.at("C")), values_of(expected.at("C"))) << to_string(kernel);
}

/// Rows, each of one thread.y, which copies it; its elements lie with the threads of x.
TEST(RegisterCopies, OfOneRowAreMadeByItsThreads) {
  for (const char* threads : {"@thread.y", "@thread.z", ""})
    expect_as_interpreted(std::string(R"(func f(A: f32[5, 6], C: f32[5, 6]) {
      for b in 0..1 @block.x {
        alloc r: f32[5, 6] @registers
        for k in 0..3 @unroll { copy r[k, 0 .. +6] <- A[k, 0 .. +6] }
        copy r[3, 0 .. +6] <- A[3, 0 .. +6]
        copy r[4, 0 .. +6] <- A[4, 0 .. +6]
        for y in 0..5 )") +
                          (*threads ? threads : "@unroll") +
                          " { for l in 0..6 @thread.x { C[y, l] = r[y, l] } } } }");
}

TEST(RegisterCopies, OfOneColumnAreMadeByItsThreads) {
  expect_as_interpreted(R"(func f(A: f32[5, 6], C: f32[6, 5]) {
    for b in 0..1 @block.x {
      alloc r: f32[5, 6] @registers
      for k in 0..6 @unroll { copy r[0 .. +5, k] <- A[0 .. +5, k] }
      for y in 0..6 @thread.y { for x in 0..5 @thread.x { C[y, x] = r[x, y] } } } })");
}

/// The run of the outer digit is 4, and the tile has 2 or 6 elements: its copies go element by
/// element, each of which is of one thread of the inner digit.
TEST(RegisterCopies, OfRunsThatDoNotDivideTheTile) {
  expect_as_interpreted(R"(func f(C: f32[2]) {
    for a in 0..2 {
      alloc r: f32[2] @registers
      copy r[0 .. +2] <- C[a*2 .. +2]
      for x in 0..1 @thread.x {
        if (x*2 + a < 1) { for z in 0..2 @thread.z { r[x*4 + z] = 7.0 } } }
      copy C[a*2 .. +2] <- r[0 .. +2] } })");
  expect_as_interpreted(R"(func f(A: f32[6], C: f32[6]) {
    for b in 0..1 @block.x {
      alloc r: f32[6] @registers
      copy r[0 .. +6] <- A[0 .. +6]
      for x in 0..2 @thread.x { for z in 0..2 @thread.z { for v in 0..2 @unroll {
        if (x*4 + v*2 + z < 6) { r[x*4 + v*2 + z] += 1.0 } } } }
      copy C[0 .. +6] <- r[0 .. +6] } })");
}

/// The one thread of x adds nothing to an index: y alone says whose an element is.
TEST(RegisterCopies, BesideASingleThread) {
  expect_as_interpreted(R"(func f(A: f32[1], C: f32[2]) {
    for b in 0..1 @block.x {
      alloc r: f32[2] @registers
      for y in 0..2 @thread.y { for x in 0..1 @thread.x { r[y + x] = A[0] } }
      copy C[0 .. +2] <- r[0 .. +2] } })");
}

/// Slots of a ring that another loop is bound over later.
TEST(RegisterCopies, ToSlotsOfOneThread) {
  expect_as_interpreted(R"(func f(A: f32[1, 5], C: f32[1, 5]) {
    alloc r: f32[3, 5] @registers
    for k in 0..2 @unroll { if (k < 1) { copy r[k, 0 .. +5] <- A[0, 0 .. +5] } }
    for y in 0..1 @thread.y { for l in 0..5 @unroll { C[y, l] = r[y, l] } } })");
}

}  // namespace register_copies_test
}  // namespace hone
