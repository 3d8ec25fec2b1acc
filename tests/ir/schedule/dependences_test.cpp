#include "ir/schedule/legality/dependences.h"

#include <gmock/gmock.h>

#include "ir/text/parser.h"
#include "tests/support/ir/run.h"
#include "tests/support/ir/traced_run.h"

namespace hone {
namespace dependences_test {

/// Counting values, for any sizes.
Buffers counting_buffers(const Function& function, const Sizes& sizes) {
  Buffers buffers;
  for (const TensorPtr& tensor : function.arguments)
    buffers.emplace(tensor->name, counting(tensor->type, storage_shape(*tensor, sizes).shape));
  return buffers;
}

/// Expects that a run at each of these sizes shows what is said, and nothing else.
void expect_seen(const std::string& text, const std::vector<Sizes>& all_sizes) {
  const Function function = parse_function(text);
  for (const Sizes& sizes : all_sizes)
    EXPECT_EQ(disagreements(function, sizes, counting_buffers(function, sizes)), "") << text;
}

/// The lines about the function, which a run at these sizes bears out.
std::string view(const std::string& text, const std::vector<Sizes>& all_sizes) {
  expect_seen(text, all_sizes);
  return to_string(dependences_of(parse_function(text)));
}

const std::vector<Sizes> lengths = {{{"N", 0}}, {{"N", 1}}, {{"N", 2}}, {{"N", 5}}, {{"N", 7}}};

TEST(Dependences, OfAProductOfMatrices) {
  EXPECT_EQ(view(R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K {
        C[i, j] += A[i, k]*B[k, j]
      }
    }
  }
})",
                 {{{"M", 3}, {"N", 5}, {"K", 2}}, {{"M", 1}, {"N", 1}, {"K", 7}}}),
            R"(C[i, j] = 0.0
C[i, j] += A[i, k] * B[k, j]
  i  parallel: no iteration touches what another one writes
  j  parallel: no iteration touches what another one writes
  k  carries a dependence (reduction of C): iterations update C[i, j] together
     the values of C may be regrouped: sums of f32 may be grouped in any way here, and round differently then
  A and B are only read, which may be done at the same time.
  Iterations of i and j may run at the same time, in any order: bind takes blocks and threads for them.
  Iterations of k combine values: one after the other, or at the same time by a method of Combine.
)");
}

TEST(Dependences, OfAPrefixSum) {
  EXPECT_EQ(view("func scan[N](A: i32[N + 1], C: i32[N + 1]) {\n  for i in 0..N {\n"
                 "    C[i + 1] = C[i] + A[i]\n  }\n}",
                 lengths),
            R"(C[i + 1] = C[i] + A[i]
  i  carries a dependence (flow of C, distance 1): C[i + 1] is written, and read 1 iteration later as C[i]
  A is only read, which may be done at the same time.
  Iterations of i keep their order.
)");
}

TEST(Dependences, OfAShiftInPlace) {
  EXPECT_EQ(view("func shift[N](C: i32[N + 3]) {\n  for i in 0..N {\n    C[i] = C[i + 3]\n  }\n}",
                 lengths),
            R"(C[i] = C[i + 3]
  i  carries a dependence (anti of C, distance 3): C[i + 3] is read, and overwritten 3 iterations later as C[i]
  Iterations of i keep their order.
)");
}

TEST(Dependences, OfIterationsThatWriteOneElement) {
  EXPECT_EQ(view("func last[N](A: i32[N], C: i32[1]) {\n  for i in 0..N {\n    C[0] = A[i]\n  }\n}",
                 lengths),
            R"(C[0] = A[i]
  i  carries a dependence (output of C): C[0] is written, and written again later
  A is only read, which may be done at the same time.
  Iterations of i keep their order.
)");
}

TEST(Dependences, OfAHistogramAreNotCertain) {
  EXPECT_EQ(view("func histogram[N](A: i32[N], H: i32[256]) {\n  reduce i in 0..N {\n"
                 "    H[index(A[i])] += 1i32\n  }\n}",
                 lengths),
            R"(H[index(A[i])] += 1i32
  i  may carry a dependence (reduction of H): iterations update H[index(A[i])] together
     the values of H may be regrouped: sums of i32 wrap around, and come out the same in any order
  A is only read, which may be done at the same time.
  Iterations of i combine values: one after the other, or at the same time by a method of Combine.
)");
}

TEST(Dependences, BetweenNestsAreNamed) {
  const std::string text = view(R"(func pair[N](A: f32[N], C: f32[N]) {
  alloc T: f32[N] @global
  for i in 0..N {
    T[i] = A[i]*2.0
  }
  for j in 0..N {
    C[j] = T[j] + A[j]
  }
})",
                                lengths);
  EXPECT_THAT(text, testing::HasSubstr("  T and A are only read, which may be done at the same "
                                       "time.\n  A nest before writes T: it has to be done by "
                                       "then.\n"));
}

TEST(Dependences, OfATileAreOfOneIteration) {
  const std::string text = view(R"(func tiles[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    alloc T: f32[4] @shared
    copy T[0 .. +4] <- A[i.0*4 .. +4]
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        C[i.0*4 + i.1] = T[i.1]
      }
    }
  }
})",
                                lengths);
  EXPECT_THAT(text, testing::HasSubstr("\n  i.0  parallel: "));
  EXPECT_THAT(text, testing::HasSubstr("\n  i.1  parallel: "));
}

/// The regrouping of C by the loop k around such an update.
Regrouping regrouping(const std::string& type, const std::string& update) {
  const Function function = parse_function(
      "operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0\n"
      "func f[N](A: " +
      type + "[N], C: " + type + "[2]) {\n  reduce k in 0..N {\n    " + update + "\n  }\n}");
  const auto nests = dependences_of(function);
  const auto& regroupings = nests.at(0).loops.at(0).regroupings;
  return regroupings.empty() ? Regrouping{} : regroupings[0].second;
}

TEST(Dependences, SayWhatMayBeRegrouped) {
  const auto expect = [](const Regrouping& found, bool is_allowed, bool is_exact,
                         const std::string& reason) {
    EXPECT_EQ(found.is_allowed, is_allowed) << reason;
    EXPECT_EQ(found.is_exact, is_exact) << reason;
    EXPECT_EQ(found.reason, reason);
  };
  expect(regrouping("f32", "C[0] += A[k]"), true, false,
         "sums of f32 may be grouped in any way here, and round differently then");
  expect(regrouping("i32", "C[0] += A[k]"), true, true,
         "sums of i32 wrap around, and come out the same in any order");
  expect(regrouping("i32", "C[0] *= A[k]"), true, true,
         "products of i32 wrap around, and come out the same in any order");
  expect(regrouping("f32", "C[0] max= A[k]"), true, true,
         "the largest of values is one of them, and the same in any order");
  expect(regrouping("f32", "C[0] min= A[k]"), true, true,
         "the least of values is one of them, and the same in any order");
  expect(regrouping("bool", "C[0] or= A[k]"), true, true,
         "and and or of conditions come out the same in any order");
  expect(regrouping("f32", "C[0] absmax= A[k]"), true, false,
         "absmax is declared to be associative and commutative");
  expect(regrouping("f32", "C[0] = C[0]*0.5 + A[k]"), false, false,
         "an iteration needs C[0] as one before leaves it");
  expect(regrouping("f32", "C[0] += A[k]*C[0]"), false, false,
         "an iteration needs C[0] as one before leaves it");
}

// ---- What is claimed is looked at ---------------------------------------------------------------

TEST(Dependences, ARunShowsWhatIsNotMentioned) {
  const Function scan =
      parse_function("func scan(C: i32[6]) {\n  for i in 0..5 {\n    C[i + 1] = C[i]\n  }\n}");
  const auto seen = observed_dependences(scan, {}, counting_buffers(scan, {}));
  EXPECT_THAT(seen, testing::ElementsAre(ObservedDependence{"i", "C", DependenceKind::flow, 1}));
}

TEST(Dependences, ARunTellsDistancesAndKindsApart) {
  const Function function = parse_function(
      "func f(C: i32[9], S: i32[1]) {\n  for i in 0..3 {\n    C[i] = C[i + 2]\n    S[0] += C[8]\n"
      "    S[0] = 1i32\n  }\n}");
  std::string text;
  for (const ObservedDependence& one :
       observed_dependences(function, {}, counting_buffers(function, {})))
    text += one.text() + "\n";
  EXPECT_EQ(text,
            "i carries a dependence (anti of C, distance 2)\n"
            "i carries a dependence (output of S, distance 1)\n"
            "i carries a dependence (output of S, distance 2)\n"
            "i carries a dependence (reduction of S, distance 1)\n"
            "i carries a dependence (reduction of S, distance 2)\n");
  EXPECT_EQ(disagreements(function, {}, counting_buffers(function, {})), "");
}

}  // namespace dependences_test
}  // namespace hone
