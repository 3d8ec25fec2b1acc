// Loops that count in steps, compiled for the host: they run as often as those that they stand for.

#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "runtime/compile.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace stepped_loops_test {

/// Runs `text` for sizes around multiples of what it steps by. The C text has `advance` in it.
void expect_right(const std::string& text, const std::string& advance) {
  const Function function = parse_function(text);
  const std::string source = compile(function, {.device = Device::host()}).source();
  EXPECT_NE(source.find(advance), std::string::npos) << source;
  for (const int64_t size : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100})
    expect_as_interpreted_on_host(function, {{"K", size}});
}

TEST(SteppedLoops, OfARoundedUpSize) {
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k.0 in 0..(K + 7) / 8 { for k.1 in 0..8 { if (k.0*8 + k.1 < K) {
                      C[k.0*8 + k.1] += A[k.0*8 + k.1] * 2.0 } } } })",
               "k_0 < K; k_0 += 8");
}

TEST(SteppedLoops, ThatEndWhereTheirGuardDoes) {
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k.1 in 0..8 { for k.0 in 0..(K + 7) / 8 { if (k.0*8 + k.1 < K) {
                      C[k.0*8 + k.1] += A[k.0*8 + k.1] * 2.0 } } } })",
               "long k_0 = k_1; k_0 < K; k_0 += 8");
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k.1 in 0..8 { for k.0 in 0..(K + 7) / 8 { if (k.0*8 + k.1 < K) {
                      C[k.0*8 + k.1] += A[k.0*8] * 2.0 } } } })",
               "k_0 < K - k_1; k_0 += 8");
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k in 0..K { if (k + 9 < K) { C[k + 9] += A[k] * 2.0 } } })",
               "k < K - 9; ++k");
}

TEST(SteppedLoops, OfARoundedDownSize) {
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k.0 in 0..K / 8 { for k.1 in 0..8 {
                      C[k.0*8 + k.1] += A[k.0*8 + k.1] * 2.0 } } })",
               "k_0 < K / 8 * 8; k_0 += 8");
}

TEST(SteppedLoops, OfASizeThatIsPromisedToDivide) {
  const Function function = parse_function(R"(func f[K](A: f32[K], C: f32[K]) where K % 8 == 0 {
    for k.0 in 0..K / 8 { for k.1 in 0..8 { C[k.0*8 + k.1] += A[k.0*8 + k.1] * 2.0 } } })");
  const std::string source = compile(function, {.device = Device::host()}).source();
  EXPECT_NE(source.find("k_0 < K; k_0 += 8"), std::string::npos) << source;
  for (const int64_t size : {0, 8, 16, 104}) expect_as_interpreted_on_host(function, {{"K", size}});
}

TEST(SteppedLoops, ThatCountInWhatTheirFactorsHaveInCommon) {
  expect_right(R"(func f[K](A: f32[K*12], C: f32[K*8]) {
                    for k in 0..K { for v in 0..4 { C[k*8 + v] += A[k*12 + v + 5] } } })",
               "k < K * 4; k += 4");
}

TEST(SteppedLoops, Backwards) {
  expect_right(R"(func f[K](A: f32[K*8], C: f32[K*8]) {
                    for k in 0..K { for v in 0..8 { C[K*8 - 1 - k*8 - v] = A[k*8 + v] } } })",
               "k += 8");
}

TEST(SteppedLoops, InEachOther) {
  expect_right(R"(func f[K](A: f32[K, K], C: f32[K, K]) {
                    for i.0 in 0..(K + 3) / 4 { for j.0 in 0..(K + 7) / 8 {
                      for i.1 in 0..4 { for j.1 in 0..8 {
                        if (i.0*4 + i.1 < K && j.0*8 + j.1 < K) {
                          C[i.0*4 + i.1, j.0*8 + j.1] = A[j.0*8 + j.1, i.0*4 + i.1] } } } } } })",
               "j_0 += 8");
}

TEST(SteppedLoops, WhoseInnerExtentCountsWithThem) {
  expect_right(R"(func f[K](C: f32[K*64]) {
                    for b in 0..K { for j in 0..(b*16 + 3) / 4 { if (b*16 + j*4 < K*64) {
                      C[b*16 + j*4] += f32(b*16) + 1.0 } } } })",
               "j < b * 4; j += 4");
}

TEST(SteppedLoops, OverThreadsOfTheHost) {
  expect_right(R"(func f[K](A: f32[K], C: f32[K]) {
                    for k.0 in 0..(K + 7) / 8 @parallel { for k.1 in 0..8 {
                      if (k.0*8 + k.1 < K) { C[k.0*8 + k.1] = A[k.0*8 + k.1] } } } })",
               "k_0 < K; k_0 += 8");
}

}  // namespace stepped_loops_test
}  // namespace hone
