// Sums of four products of bytes, which a thread computes by an instruction of its own.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace tensorize_dot_test {

Rewriting dot(const std::string& word = "dp4a_s8") {
  return [=](const Function& f) { return tensorize(f, axis(f, "k.1"), word).function; };
}

/// Threads have a row each. `loop` is that of the instruction, or `body` is another one.
std::string rows(const std::string& binding = "", const std::string& body = "",
                 const std::string& type = "i8") {
  return fmt::format(R"(func f(A: {0}[8, 16], B: {0}[4, 16], C: i32[8, 4]) {{
  for i in 0..8 @thread.x {{
    alloc A.reg: {0}[16] @registers
    alloc B.reg: {0}[4, 16] @registers
    copy A.reg[0 .. +16] <- A[i, 0 .. +16]
    copy B.reg[0 .. +4, 0 .. +16] <- B[0 .. +4, 0 .. +16]
    for j in 0..4 @unroll {{
      reduce k.0 in 0..4 @unroll {{
        {1}
      }}
    }}
  }}
}})",
                     type,
                     !body.empty() ? body
                                   : fmt::format("reduce k.1 in 0..4{} {{ C[i, j] += "
                                                 "i32(A.reg[k.0*4 + k.1]) * i32(B.reg[j, k.0*4 + "
                                                 "k.1]) }}",
                                                 binding));
}

TEST(TensorizeDot, BindsTheLoopToTheInstruction) {
  expect_rewrite(rows(), dot(), rows(" @dp4a_s8"));
  expect_rewrite(rows("", "", "u8"), dot("dp4a_u8"), rows(" @dp4a_u8", "", "u8"));
}

/// Threads run it each by itself: a loop over lanes may be around it, of any number.
TEST(TensorizeDot, StandsInLoopsOverAnyThreads) {
  for (const char* binding : {"@lane", "@thread.y", "@warp", "@thread.x"}) {
    std::string text = rows();
    text.replace(text.find("@thread.x"), 9, binding);
    std::string bound = rows(" @dp4a_s8");
    bound.replace(bound.find("@thread.x"), 9, binding);
    expect_rewrite(text, dot(), bound);
  }
}

void expect_refusal_of(const std::string& text, const std::string& problem,
                       const std::string& note = "", const std::string& word = "dp4a_s8",
                       Location location = Location::current()) {
  const testing::ScopedTrace trace(location.file, location.line, "expect_refusal_of");
  try {
    dot(word)(parse_function(text));
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const ScheduleError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, message.find('\n')), "error: tensorize: " + problem);
    const size_t at = message.find("\nnote: ");
    EXPECT_EQ(at == std::string::npos ? "" : message.substr(at + 7), note);
  }
}

TEST(TensorizeDotRefusals, OfOtherExtents) {
  expect_refusal_of(
      rows("",
           "reduce k.1 in 0..2 { C[i, j] += i32(A.reg[k.0*2 + k.1]) * i32(B.reg[j, k.0*2 + "
           "k.1]) }"),
      "k.1 has 2 iterations, where dp4a_s8 has 4", "split(k.1, 4), and reorder");
}

TEST(TensorizeDotRefusals, OfOtherTypes) {
  expect_refusal_of(rows("", "", "u8"), "A.reg is u8, where dp4a_s8 takes i8");
  expect_refusal_of(rows(), "A.reg is i8, where dp4a_u8 takes u8", "", "dp4a_u8");
}

TEST(TensorizeDotRefusals, OfOtherOrders) {
  expect_refusal_of(
      rows("", "reduce k.1 in 0..4 { C[i, j] += i32(A.reg[k.0*4 + k.1]) * i32(B.reg[k.1, k.0]) }"),
      "B.reg has 16 elements in dimension 1, behind one that dp4a_s8 takes",
      "a tile that holds these elements alone");
}

/// Registers of a thread are in words as its tensors are.
TEST(TensorizeDotRefusals, OfBytesOfSeveralWords) {
  expect_refusal_of(
      rows("",
           "reduce k.1 in 0..4 { C[i, j] += i32(A.reg[k.0*3 + k.1]) * i32(B.reg[j, k.0*4 + "
           "k.1]) }"),
      "dp4a_s8 takes 4 neighbours of A.reg at a multiple of 4 bytes, and A.reg[k.0*3 + .value] "
      "starts at k.0*3, which is not proved to be a multiple of 4");
}

TEST(TensorizeDotRefusals, OfOtherSums) {
  expect_refusal_of(rows("",
                         "reduce k.1 in 0..4 { C[i, j] max= i32(A.reg[k.0*4 + k.1]) * "
                         "i32(B.reg[j, k.0*4 + k.1]) }"),
                    "dp4a_s8 computes C[] += i32(A[k]) * i32(B[k]), and the nest computes C[i, j] "
                    "max= i32(A.reg[k.0*4 + k.1]) * i32(B.reg[j, k.0*4 + k.1])");
}

/// The step that puts the bytes into registers is refused, where it comes behind tensorize.
TEST(TensorizeDotRefusals, OfRegistersThatLaterStepsMake) {
  constexpr const char* text = R"(func f(A: i8[8, 8], B: i8[4, 6], C: i32[8, 4]) {
  for i in 0..8 @thread.x {
    for j in 0..4 {
      reduce q in 0..2 {
        reduce k in 0..4 @dp4a_s8 {
          C[i, j] += i32(A[i, q*4 + k]) * i32(B[j, q*2 + k])
        }
      }
    }
  }
})";
  try {
    in_registers(parse_function(text), "B", "i");
    ADD_FAILURE() << "accepted";
  } catch (const ScheduleError& error) {
    const std::string message = error.what();
    EXPECT_EQ(
        message.substr(0, message.find('\n')),
        "error: cache_registers: dp4a_s8 takes 4 neighbours of B.reg at a multiple of 4 bytes, "
        "and B.reg[j, q*2 + .value] starts at q*2, which is not proved to be a multiple of 4");
  }
  in_registers(parse_function(text), "A", "i");
}

}  // namespace tensorize_dot_test
}  // namespace hone
