// Nests of an instruction whose rows are pixels: digits of one loop, along several dimensions.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace tensorize_pixels_test {

Rewriting computes_rows() {
  return [](const Function& f) { return tensorize(f, axis(f, "i"), "mma_m16n8k16_bf16").function; };
}

/// A product of 16 rows, whose elements of A, B and C these are.
std::string product(const std::string& arguments, const std::string& a, const std::string& b,
                    const std::string& c, const std::string& binding = "") {
  return fmt::format(R"(func f({}) {{
  for i in 0..16{} {{
    for j in 0..8 {{
      reduce k in 0..16 {{
        C[{}] += f32(A[{}]) * f32(B[{}])
      }}
    }}
  }}
}})",
                     arguments, binding, c, a, b);
}

void expect_accepted(const std::string& arguments, const std::string& a, const std::string& b,
                     const std::string& c, Location location = Location::current()) {
  expect_rewrite(product(arguments, a, b, c), computes_rows(),
                 product(arguments, a, b, c, " @mma_m16n8k16_bf16"), location);
}

TEST(TensorizePixels, TakesRowsAlongTwoDimensions) {
  expect_accepted("A: bf16[4, 4, 16], B: bf16[16, 8], C: f32[4, 4, 8]", "i / 4, i % 4, k", "k, j",
                  "i / 4, i % 4, j");
}

TEST(TensorizePixels, TakesRowsAlongThreeDimensions) {
  expect_accepted("A: bf16[2, 4, 2, 16], B: bf16[16, 8], C: f32[2, 4, 2, 8]",
                  "i / 8, i % 8 / 2, i % 2, k", "k, j", "i / 8, i % 8 / 2, i % 2, j");
}

/// Tiles of a larger image.
TEST(TensorizePixels, TakesRowsFromAnyPixelOn) {
  expect_accepted("A: bf16[3, 7, 9, 20], B: bf16[16, 8], C: f32[4, 4, 8]",
                  "2, i / 4 + 3, i % 4 + 1, k + 2", "k, j", "i / 4, i % 4, j");
}

/// The tap of a weight, between its channels.
TEST(TensorizePixels, LeavesDimensionsAloneBetweenThoseOfTheInstruction) {
  expect_accepted("A: bf16[4, 4, 16], B: bf16[16, 3, 8], C: f32[4, 4, 8]", "i / 4, i % 4, k",
                  "k, 1, j", "i / 4, i % 4, j");
}

// ---- Refusals -----------------------------------------------------------------------------------

void expect_refused(const std::string& arguments, const std::string& a, const std::string& b,
                    const std::string& c, const std::string& message,
                    Location location = Location::current()) {
  const std::string text = product(arguments, a, b, c);
  expect_refusal(text, computes_rows(), "error: tensorize: " + message, location);
}

constexpr const char* loops = R"(
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: )";

TEST(TensorizePixelRefusals, OfDigitsInAnotherOrder) {
  expect_refused("A: bf16[4, 4, 16], B: bf16[16, 8], C: f32[4, 4, 8]", "i % 4, i / 4, k", "k, j",
                 "i / 4, i % 4, j",
                 std::string("the index i / 4 of A is no digit of i plus an offset, as "
                             "mma_m16n8k16_bf16 takes it") +
                     loops + "fuse the loops over its parts to one");
}

/// Pixels would be left out between two rows of them.
TEST(TensorizePixelRefusals, OfDigitsThatDoNotFollowEachOther) {
  expect_refused("A: bf16[4, 2, 16], B: bf16[16, 8], C: f32[4, 4, 8]", "i / 4, i % 2, k", "k, j",
                 "i / 4, i % 4, j",
                 std::string("the index i / 4 of A is no digit of i plus an offset, as "
                             "mma_m16n8k16_bf16 takes it") +
                     loops + "fuse the loops over its parts to one");
}

TEST(TensorizePixelRefusals, OfDigitsThatLieApart) {
  expect_refused("A: bf16[4, 8, 16], B: bf16[16, 8], C: f32[4, 4, 8]", "i / 4, (i % 4)*2, k",
                 "k, j", "i / 4, i % 4, j",
                 std::string("the index (i % 4)*2 of A is no digit of i plus an offset, as "
                             "mma_m16n8k16_bf16 takes it") +
                     loops + "fuse the loops over its parts to one");
}

/// The pixels of a tile with a margin are no rows one behind the other.
TEST(TensorizePixelRefusals, OfATileThatHasMorePixels) {
  const std::string text = R"(func f(B: bf16[16, 8], C: f32[4, 4, 8]) {
  alloc A: bf16[4, 6, 16] @registers
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..16 {
        C[i / 4, i % 4, j] += f32(A[i / 4, i % 4 + 1, k]) * f32(B[k, j])
      }
    }
  }
})";
  expect_refusal(
      text, computes_rows(),
      R"(error: tensorize: A has 6 elements in dimension 1, of which mma_m16n8k16_bf16 takes 4 before the next of i
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: a tile that holds these elements alone)");
}

/// A dimension of a tile that stands between those of the instruction.
TEST(TensorizePixelRefusals, OfATileWithOtherElementsBetween) {
  const std::string text = R"(func f(A: bf16[4, 4, 16], C: f32[4, 4, 8]) {
  alloc B: bf16[16, 3, 8] @registers
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..16 {
        C[i / 4, i % 4, j] += f32(A[i / 4, i % 4, k]) * f32(B[k, 1, j])
      }
    }
  }
})";
  expect_refusal(
      text, computes_rows(),
      R"(error: tensorize: B has 3 elements in dimension 1, behind one that mma_m16n8k16_bf16 takes
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..16 {
note: a tile that holds these elements alone)");
}

}  // namespace tensorize_pixels_test
}  // namespace hone
