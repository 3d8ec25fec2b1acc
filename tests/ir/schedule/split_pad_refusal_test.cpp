#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace split_pad_refusal_test {

/// C[0] `update` `value` over all of A and B.
std::string reduction(const std::string& update, const std::string& value,
                      const std::string& type = "f32") {
  return fmt::format(
      "func f[N](A: {0}[N], B: {0}[N], C: {0}[1]) {{ "
      "reduce k in 0..N {{ C[0] {1} {2} }} }}",
      type, update, value);
}

TEST(SplitPad, RefusesWhatNoValueIsNeutralFor) {
  expect_refusal(
      reduction("+=", "exp(A[k])"), pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves '+= exp(A[k])' without effect
  reduce k in 0..N {
    C[0] += exp(A[k])                <-- here
note: {.tail = Tail::guard} takes any program)");
  expect_refusal(
      reduction("+=", "1.0"), pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves '+= 1.0' without effect
  reduce k in 0..N {
    C[0] += 1.0                      <-- here
note: {.tail = Tail::guard} takes any program)");
  expect_refusal(
      reduction("max=", "A[k] * B[k] - 1.0"), pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves 'max= A[k] * B[k] - 1.0' without effect
  reduce k in 0..N {
    C[0] max= A[k] * B[k] - 1.0      <-- here
note: {.tail = Tail::guard} takes any program)");
  expect_refusal(
      reduction("+=", "A[k] / B[k]"), pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves '+= A[k] / B[k]' without effect
  reduce k in 0..N {
    C[0] += A[k] / B[k]              <-- here
note: {.tail = Tail::guard} takes any program)");
  expect_refusal(
      "func f[N](A: i8[N], C: i32[1]) { reduce k in 0..N { C[0] max= i32(A[k]) } }", pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves 'max= i32(A[k])' without effect
  reduce k in 0..N {
    C[0] max= i32(A[k])              <-- here
note: {.tail = Tail::guard} takes any program)");
}

TEST(SplitPad, RefusesAProductWithWhatMayBeInfinite) {
  expect_refusal(
      R"(func f[M, K](A: f32[K], B: f32[M], C: f32[M]) {
                      for i in 0..M { reduce k in 0..K { C[i] += A[k] * B[i] } }
                    })",
      pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves '+= A[k] * B[i]' without effect
  for i in 0..M {
    reduce k in 0..K {
      C[i] += A[k] * B[i]            <-- here
note: {.tail = Tail::guard} takes any program)");
}

TEST(SplitPad, RefusesATileInside) {
  expect_refusal(
      "func f[N](A: f32[N, 4], C: f32[N]) { for i in 0..N { reduce k in 0..4 { C[i] += A[i, k] } } "
      "}",
      [](const Function& f) { return parted(in_registers(f, "C", "i"), "i", 4, Tail::pad); },
      R"(error: split: iterations beyond the end would read C.reg, which nothing sets there
  for i in 0..N {
    alloc C.reg: f32[] @registers    <-- here
    C.reg[] = C[i]
    reduce k in 0..4 {
note: split before caching; {.tail = Tail::guard} takes any program)");
  expect_refusal(
      "func f[N](A: f32[N, 4], C: f32[N]) { for i in 0..N { reduce k in 0..4 { C[i] += A[i, k] } } "
      "}",
      [](const Function& f) { return parted(in_shared(f, "A", "i"), "i", 4, Tail::pad); },
      R"(error: split: iterations beyond the end would read A.shared, which nothing sets there
  for i in 0..N {
    alloc A.shared: f32[4] @shared   <-- here
    copy A.shared[0 .. +4] <- A[i, 0 .. +4]
    reduce k in 0..4 {
note: split before caching; {.tail = Tail::guard} takes any program)");
}

}  // namespace split_pad_refusal_test
}  // namespace hone
