#include "codegen/pass/passes.h"
#include "gtest/gtest.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace clip_loops_test {

std::string clipped(const std::string& body) {
  return after_pass(clip_loops, "func f[K, n](A: f32[n], C: f32[n]) {\n" + body + " }");
}

std::string as_it_stands(const std::string& body) {
  return after_passes({}, "func f[K, n](A: f32[n], C: f32[n]) {\n" + body + " }");
}

TEST(ClipLoops, EndsThemWhereTheirGuardDoes) {
  EXPECT_EQ(clipped("for o in 0..(n + 7) / 8 { for i in 0..8 { if (o*8 + i < n) {"
                    " C[o*8 + i] = 1.0 } } }"),
            as_it_stands("for o in 0..(n + 7) / 8 { for i in 0..min(8, n - o*8) {"
                         " C[o*8 + i] = 1.0 } }"));
}

TEST(ClipLoops, LooksThroughLoopsAllocsAndAllStatements) {
  EXPECT_EQ(clipped("for i in 0..8 @parallel { alloc T: f32[1] @registers"
                    " if (i < n) { T[0] = C[i] }"
                    " for k in 0..K { if (k < n && i < n) { T[0] += A[k] } }"
                    " if (i < n) { C[i] = T[0] } }"),
            as_it_stands("for i in 0..min(8, n) @parallel { alloc T: f32[1] @registers"
                         " T[0] = C[i]"
                         " for k in 0..min(K, n) { T[0] += A[k] }"
                         " C[i] = T[0] }"));
}

TEST(ClipLoops, ByEveryGuardThatIsALimit) {
  EXPECT_EQ(clipped("for i in 0..8 { if (i < n && i < K && i % 2 == 0) { C[i] = 1.0 } }"),
            as_it_stands("for i in 0..min(min(8, n), K) { if (i % 2 == 0) { C[i] = 1.0 } }"));
}

TEST(ClipLoops, ButNotWhereTheyDoMoreOrCompilersNeedTheirCount) {
  for (const char* body : {
           "for i in 0..8 { if (i < n) { C[i] = 1.0 } A[i] = 2.0 }",
           "for i in 0..8 { if (2 < n - i) { C[i] = 1.0 } }",
           "for i in 0..8 { if (i*2 < n) { C[i] = 1.0 } }",
           "for i in 0..8 { if (i < index(A[0])) { C[i] = 1.0 } }",
           "for i in 0..8 { if (i < n || i < K) { C[i] = 1.0 } }",
           "for i in 0..8 { for k in 0..4 @unroll { if (i + k < n) { C[i] = 1.0 } } }",
       })
    EXPECT_EQ(clipped(body), as_it_stands(body)) << body;
}

}  // namespace clip_loops_test
}  // namespace hone
