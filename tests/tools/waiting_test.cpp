// The waits of a person for large sizes: estimates, skipped rungs, lines of progress.
#include "tools/cli/judge/waiting.h"

#include "command.h"
#include "ir/text/printer.h"
#include "tools/cli/judge/reference.h"

namespace hone {
namespace waiting_test {

using testing::HasSubstr;
using testing::MatchesRegex;

/// As if each element took a million operations.
Ladder heavy_axpy() {
  Ladder ladder = small_axpy();
  ladder.flops = [](const Sizes& sizes) { return 1e6 * sizes.at("N"); };
  return ladder;
}

TEST(Waiting, SaysWhatTakesLong) {
  CapturedOutput out;
  { const Waiting waiting(out, "matmul/host", 12); }
  { const Waiting waiting(out, "matmul/naive", 1); }
  { const Waiting waiting(out, "matmul/bind", std::nullopt); }
  EXPECT_EQ(out.complained, "matmul/host: about 12 s\n");
}

TEST(Waiting, SaysHowFarItIs) {
  EXPECT_EQ(progress_text("matmul/host", 20, 45), "matmul/host: 20 s of about 45 s\n");
  EXPECT_EQ(progress_text("matmul/host", 70, 640), "matmul/host: 70 s of about 11 minutes\n");
  EXPECT_EQ(progress_text("matmul/host", 600, 0), "matmul/host: 10 minutes so far\n");
}

TEST(Waiting, DrawsABar) {
  EXPECT_EQ(bar_text("matmul/host", 0, 40),
            "matmul/host [....................]   0 %, 0 s of about 40 s");
  EXPECT_EQ(bar_text("matmul/host", 20, 50),
            "matmul/host [########............]  40 %, 20 s of about 50 s");
  EXPECT_EQ(bar_text("matmul/host", 90, 45),
            "matmul/host [###################.]  99 %, 90 s of about 45 s");
  EXPECT_EQ(bar_text("matmul/host", 20, 0), "matmul/host: 20 s so far");
}

/// As a terminal, for lines that are written over.
class DrawnOutput : public CapturedOutput {
 public:
  bool shows_progress() const override { return true; }
};

TEST(Waiting, WipesTheBarInTheEnd) {
  DrawnOutput out;
  { const Waiting waiting(out, "matmul/host", 12); }
  EXPECT_THAT(out.complained, testing::EndsWith("\r\x1b[K"));
}

TEST(Waiting, ExpectsOfLargeSizesWhatSmallOnesTake) {
  const Ladder ladder = heavy_axpy();
  const auto seconds = [](const Sizes& sizes) { return sizes.at("N") / 1e3; };
  const Device sim = Device::simulated();
  EXPECT_EQ(tried_sizes(ladder, {{"N", 8000}}, sim), Sizes({{"N", 62}}));
  EXPECT_EQ(checked_sizes(ladder, {{"N", 8000}}), Sizes({{"N", 31}}));
  EXPECT_EQ(expected_seconds(ladder, {{"N", 8000}}, sim, seconds), 8);
  EXPECT_EQ(expected_seconds(ladder, {{"N", 60}}, sim, seconds), std::nullopt);
}

TEST(Waiting, ExpectsNothingWhereSmallSizesDoNotRun) {
  const auto fails = [](const Sizes&) -> double { throw RuntimeError("too small"); };
  EXPECT_EQ(expected_seconds(heavy_axpy(), {{"N", 8000}}, Device::simulated(), fails), 0);
}

TEST(Ladder, ChecksWhatWouldTakeTooLongAtSmallSizes) {
  const CommandResult result =
      hone_on({heavy_axpy()}, {"ladder", "axpy", "-DN=1000", "--device=sim", "--limit=0"});
  EXPECT_THAT(result.printed, HasSubstr("\nblocks  sim     N=62    exact           ~ 0 s"));
  EXPECT_THAT(
      result.complained,
      HasSubstr("axpy/blocks would take about 0 s on sim, and 0 s is the limit: it is checked "
                "with N=62; --limit=SECONDS sets another one\n"));
  EXPECT_EQ(result.status, 0);
}

TEST(Ladder, RunsWhatIsWithinTheLimitAsItIs) {
  const CommandResult result =
      hone_on({heavy_axpy()}, {"ladder", "axpy", "-DN=1000", "--device=sim"});
  EXPECT_THAT(result.printed, HasSubstr("\nblocks  sim     N=1000  exact"));
  EXPECT_EQ(result.complained, "");
}

TEST(Ladder, RefusesALimitThatIsNoNumber) {
  expect_usage_error({"ladder", "axpy", "--limit=soon"},
                     "--limit takes a number of seconds, got 'soon'");
}

// ---- The reference of large sizes ---------------------------------------------------------------

TEST(Reference, KeepsCoresBusyAndRowsInCaches) {
  const SmallMatmul p({});
  EXPECT_EQ(to_string(spread_over_host(p.program.function(), {{"M", 600}, {"N", 5}, {"K", 7}})),
            R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 7) / 8 @parallel {
    for i.1.init in 0..8 {
      for j.init in 0..N {
        if (i.0*8 + i.1.init < M) {
          C[i.0*8 + i.1.init, j.init] = 0.0
        }
      }
    }
    reduce k in 0..K {
      for i.1 in 0..8 {
        for j in 0..N {
          if (i.0*8 + i.1 < M) {
            C[i.0*8 + i.1, j] += A[i.0*8 + i.1, k] * B[k, j]
          }
        }
      }
    }
  }
})");
}

TEST(Reference, SpreadsTheLongestLoopWhereNoneHasManyIterations) {
  const Param M("M"), N("N");
  const Tensor X("X", f32, {M, N}), Y("Y", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const Program copy("copy", Y(i, j) = X(i, j));
  EXPECT_EQ(to_string(spread_over_host(copy.function(), {{"M", 3}, {"N", 20}})),
            R"(func copy[M, N](X: f32[M, N], Y: f32[M, N]) {
  for i in 0..M {
    for j in 0..N @parallel {
      Y[i, j] = X[i, j]
    }
  }
})");
}

TEST(Reference, LeavesAloneWhatNoPrimitiveTakes) {
  const Param N("N");
  const Tensor X("X", f32, {N}), S("S", f32, {});
  const ReduceAxis k("k", N);
  const Program sum_of_x("sum_of_x", S() = sum(k, X(k)));
  EXPECT_EQ(to_string(spread_over_host(sum_of_x.function(), {{"N", 1000}})),
            to_string(sum_of_x.function()));
}

}  // namespace waiting_test
}  // namespace hone
