// HONE_DUMP=ir shows what each pass makes of a kernel.
#include <gmock/gmock.h>

#include <cstdlib>

#include "codegen/lower.h"
#include "ir/text/parser.h"

namespace hone {
namespace {

std::string dump_of(llvm::StringRef text) {
  ::setenv("HONE_DUMP", "ir", 1);
  testing::internal::CaptureStderr();
  lower(parse_function(text));
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

}  // namespace
}  // namespace hone
