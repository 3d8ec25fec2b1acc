// Lowering shows its passes, and finds those that make malformed kernel IR.
#include <gmock/gmock.h>

#include <cstdlib>

#include "codegen/lower.h"
#include "codegen/run_passes.h"
#include "ir/text/parser.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace dump_test {

std::string dump_of(
    llvm::StringRef text, const char* what = "ir",
    Module (*lower_it)(const Function&) = [](const Function& function) {
      return lower(function);
    }) {
  ::setenv("HONE_DUMP", what, 1);
  testing::internal::CaptureStderr();
  lower_it(parse_function(text));
  ::unsetenv("HONE_DUMP");
  return testing::internal::GetCapturedStderr();
}

TEST(Dump, ShowsKernelsWhoseLaunchIsNotDecidedYet) {
  EXPECT_EQ(dump_of("func f(C: f32[32]) { for i in 0..32 @thread.x { C[i] = 1.0 } }"),
            R"(// after 'map threads'
kernel f(C: f32[32]) grid(1, 1, 1) block(32, 1, 1) {
  let i = thread.x
  C[i] = 1.0
}
// after 'choose index width'
kernel f(C: f32[32]) grid(1, 1, 1) block(32, 1, 1) @index32 {
  let i = thread.x
  C[i] = 1.0
}
)");
  EXPECT_THAT(dump_of(R"(func f(A: f32[32], C: f32[32]) {
    for i in 0..32 @thread.x { alloc R: f32[1] @registers copy R[0 .. +1] <- A[i .. +1] C[i] = R[0] }
  })"),
              testing::StartsWith("// after 'expand copies'\n"
                                  "kernel f(A: f32[32], C: f32[32]) {\n"
                                  "  for i in 0..32 @thread.x {\n"));
}

constexpr const char* one_store = "func f(C: f32[32]) { for i in 0..32 @thread.x { C[i] = 1.0 } }";

TEST(Dump, ShowsPassesOfTheHost) {
  EXPECT_EQ(dump_of("func f(C: f32[4, 8]) { for i in 0..4 { C[i, i] = 1.0 } }", "ir", lower_host),
            R"(// after 'flatten accesses'
kernel f(C: f32[4, 8]) grid(1, 1, 1) block(1, 1, 1) @index64 {
  for i in 0..4 {
    C[i*8 + i] = 1.0
  }
}
// after 'simplify'
kernel f(C: f32[4, 8]) grid(1, 1, 1) block(1, 1, 1) @index64 {
  for i in 0..4 {
    C[i*9] = 1.0
  }
}
)");
}

TEST(Dump, ShowsTheTimesOfAllPassesInTheirOrder) {
  const std::string times = dump_of(one_store, "time");
  EXPECT_THAT(times, testing::MatchesRegex("// microseconds of lowering f\n"
                                           "//  +[0-9]+\\.[0-9]  combine reductions\n"
                                           "(//  +[0-9]+\\.[0-9]  [a-z ]+\n)+"
                                           "//  +[0-9]+\\.[0-9]  widen indices\n"
                                           "//  +[0-9]+\\.[0-9]  all passes\n"));
  EXPECT_THAT(dump_of(one_store, "ir,time"),
              testing::AllOf(testing::StartsWith("// after 'map threads'\n"),
                             testing::HasSubstr("// microseconds of lowering f\n")));
}

TEST(Dump, ShowsNothingWhereNothingIsAskedFor) { EXPECT_EQ(dump_of(one_store, ""), ""); }

// ---- Verified passes ----------------------------------------------------------------------------

void use_unknown_axis(KernelFunction& kernel) {
  const Expr unknown = AxisRef::make(make_axis("other", AxisKind::spatial));
  kernel.body = Store::make(kernel.arguments[0], {unknown}, Update::set, 1.0F);
}

void run_malformed_pass(const char* wanted) {
  ::setenv("HONE_VERIFY", wanted, 1);
  KernelFunction kernel = unlowered(one_store);
  run_passes({{"use another axis", use_unknown_axis}}, kernel);
}

TEST(VerifiedPasses, EndTheProgramWithTheNameOfThePass) {
#ifndef NDEBUG
  EXPECT_DEATH(run_malformed_pass("1"),
               "the pass 'use another axis' made malformed kernel IR: other is used outside its "
               "loop\nkernel f\\(C: f32\\[32\\]\\) @index32 \\{\n  C\\[other\\] = 1.0");
#endif
}

TEST(VerifiedPasses, AreThoseThatSomebodyAsksFor) {
  const std::string former = std::getenv("HONE_VERIFY") ? std::getenv("HONE_VERIFY") : "";
  run_malformed_pass("0");
  ::setenv("HONE_VERIFY", former.c_str(), 1);
}

}  // namespace dump_test
}  // namespace hone
