// Mbarriers on the simulated device: rings that producers fill and consumers use, right for any
// trip count in any order; and what arrivals order.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "runtime/sim/count/count.h"
#include "tests/support/runtime/roles.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace mbarriers_test {

constexpr uint64_t orders = 20;

/// Up to the first line that tells where.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// ---- Runs ---------------------------------------------------------------------------------------

void expect_right(Ring ring) {
  for (const int64_t stages : {1, 2, 3, 4})
    for (const int64_t trips : {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{9}})
      for (uint64_t order = 0; order <= orders; ++order) {
        ring.stages = stages;
        ring.trips = trips;
        const RolesOutcome outcome = check_roles(ring.body(), {.order = order});
        ASSERT_EQ(outcome.findings, "") << stages << " " << trips << " " << order;
        ASSERT_EQ(outcome.values, ring.expected()) << stages << " " << trips << " " << order;
      }
}

TEST(Mbarriers, ARingOfCopiesIsRightForAnyTripCount) { expect_right({}); }
TEST(Mbarriers, ARingOfStoresIsRightForAnyTripCount) { expect_right(Ring::of_stores()); }

TEST(Mbarriers, AreTheSameWithoutChecks) {
  for (const Ring& ring : {Ring(), Ring::of_stores()})
    EXPECT_EQ(
        sim_values(roles_kernel(ring.body()), {},
                   {{"A", counting(f32, {roles_length})}, {"C", Buffer(f32, {roles_length})}}),
        ring.expected());
}

TEST(Mbarriers, CountNothing) {
  const KernelFunction kernel = parse_kernel(roles_kernel(Ring().body()));
  Buffer a = counting(f32, {roles_length}), c(f32, {roles_length});
  const CountReport report = count(
      kernel, {},
      {{"A", a.bytes.data(), roles_length, false}, {"C", c.bytes.data(), roles_length, false}});
  EXPECT_EQ(report.barriers_per_block(), 1);
  for (const AccessReport& access : report.accesses)
    EXPECT_EQ(access.counts.requests, 2 * 2 * 9) << access.text;
}

/// A warp goes on when the phases of all of its lanes have ended.
std::string of_several(const std::string& last) {
  return "alloc S: f32[64] @shared alloc m: i64[2] @shared "
         "if (t < 2) { init_mbarrier m[t] of 32 } barrier "
         "if (w == 1) { S[t - 32] = A[t] arrive_mbarrier m[0] } "
         "if (w == 2) { S[t - 32] = A[t] " +
         last +
         " } if (w == 0) { wait_mbarrier m[t % 2] parity 0 barrier @warp C[b + t] = S[63 - t] "
         "C[b + t + 32] = S[31 - t] }";
}

TEST(Mbarriers, LanesMayWaitForSeveral) {
  for (uint64_t order = 0; order <= orders; ++order) {
    const RolesOutcome outcome = check_roles(of_several("arrive_mbarrier m[1]"), {.order = order});
    EXPECT_EQ(outcome.findings, "");
    EXPECT_EQ(outcome.values[0], values_of(counting(f32, {roles_length}))[95]);
  }
  EXPECT_EQ(first_line(found_in(of_several(""))),
            "deadlock: nobody in block (0, 0, 0) can go on: warp 0 waits at `wait_mbarrier m[t % "
            "2] parity 0` for parity 0 of m[1], where 0 of 32 arrivals have come to phase 0; "
            "warps 1, 2, 3 have ended");
}

TEST(Mbarriers, EndAPhaseInTheMiddleOfAWarp) {
  const auto waiting_for = [](int parity) {
    return fmt::format(
        "alloc m: i64[1] @shared if (t == 0) {{ init_mbarrier m[0] of 20 }} barrier "
        "if (w == 1) {{ arrive_mbarrier m[0] wait_mbarrier m[0] parity {} }}",
        parity);
  };
  EXPECT_EQ(found_in(waiting_for(0)), "");
  EXPECT_EQ(first_line(found_in(waiting_for(1))),
            "deadlock: nobody in block (0, 0, 0) can go on: warp 1 waits at `wait_mbarrier m[0] "
            "parity 1` for parity 1 of m[0], where 12 of 20 arrivals have come to phase 1; warps "
            "0, 2, 3 have ended");
}

// ---- What arrivals order ------------------------------------------------------------------------

/// Warp 1 does something before it arrives at m[0], and warp 2 behind a wait there.
std::string handed_over(const std::string& before, const std::string& behind) {
  return "alloc S: f32[64] @shared alloc m: i64[2] @shared "
         "if (t < 2) { init_mbarrier m[t] of 32 } barrier "
         "if (w == 1) { " +
         before + " } if (w == 2) { " + behind + " }";
}

TEST(MbarrierOrder, IsThatOfThePhasesThatHaveEnded) {
  const std::string store = "S[t - 32] = A[t] ", use = " C[b + t] = S[95 - t]";
  const std::string arrive = "arrive_mbarrier m[0] ", wait = "wait_mbarrier m[0] parity 0 ";
  const std::string race = "race on S[31]: no barrier between two threads of a block";
  EXPECT_EQ(found_in(handed_over(store + arrive, wait + use)), "");
  EXPECT_EQ(first_line(found_in(handed_over(store + arrive, use))), race);
  EXPECT_EQ(first_line(found_in(handed_over(arrive + store, wait + use))), race);
  EXPECT_EQ(first_line(found_in(
                handed_over(arrive + store + "if (t < 48) { " + arrive + " }", wait + use))),
            race);
}

TEST(MbarrierOrder, OfCopiesIsThatOfTheirArrivals) {
  const std::string copy = "copy_async S[t - 32] <- A[t] of 1 ", use = " C[b + t] = S[95 - t]";
  const std::string arrive = "arrive_mbarrier m[0] after_copies ",
                    wait = "wait_mbarrier m[0] parity 0 ";
  EXPECT_EQ(found_in(handed_over(copy + arrive, wait + use)), "");
  EXPECT_EQ(first_line(found_in(handed_over(arrive + copy, wait + use))),
            "unfinished copy on S[31]: the thread that has started the copy has not waited for it");
  EXPECT_EQ(first_line(found_in(handed_over(copy + arrive, use))),
            "race on S[31]: no barrier between two threads of a block");
  EXPECT_EQ(found_in(handed_over(copy + arrive + wait + "S[t - 32] = 1.0", "")), "");
  EXPECT_EQ(
      found_in(handed_over(copy + "commit_group wait_group 0 arrive_mbarrier m[0]", wait + use)),
      "");
  EXPECT_EQ(found_in(handed_over("arrive_mbarrier m[1] after_copies " + copy + arrive,
                                 "wait_mbarrier m[1] parity 0 " + wait + use)),
            "");
}

/// Only a test that has found the phase at its end, as its flag says, orders.
TEST(MbarrierOrder, OfATestIsThatOfAWait) {
  const std::string store = "S[t - 32] = A[t] arrive_mbarrier m[0]", use = " C[b + t] = S[95 - t] ";
  const auto testing = [&](const std::string& behind, uint64_t order = 0) {
    const std::string test = "alloc e: bool[] @registers test_mbarrier e[] <- m[0] parity 0 ";
    return first_line(found_in(handed_over(store, test + behind), {.order = order}));
  };
  for (uint64_t order = 0; order <= orders; ++order) {
    EXPECT_EQ(testing("if (e[]) {" + use + "}", order), "");
    EXPECT_EQ(testing("if (!e[]) { wait_mbarrier m[0] parity 0 }" + use, order), "");
  }
  const auto is_found = [&](const std::string& behind) {
    for (uint64_t order = 0; order <= orders; ++order)
      if (testing(behind, order) == "race on S[31]: no barrier between two threads of a block")
        return true;
    return false;
  };
  EXPECT_TRUE(is_found(use));
  EXPECT_TRUE(is_found("if (!e[]) {" + use + "}"));
}

/// A lane that waits alone tells the others at a barrier; before that, it tells by an arrival.
TEST(MbarrierOrder, IsThatOfTheLanesThatWait) {
  const std::string store = "S[t - 32] = A[t] arrive_mbarrier m[0]";
  const std::string wait = "if (t == 70) { wait_mbarrier m[0] parity 0 ",
                    use = "C[b + t] = S[95 - t] ";
  const std::string race = "race on S[31]: no barrier between two threads of a block";
  EXPECT_EQ(found_in(handed_over(store, wait + use + "}")), "");
  EXPECT_EQ(found_in(handed_over(store, wait + "} barrier @warp " + use)), "");
  EXPECT_EQ(first_line(found_in(handed_over(store, wait + "} " + use))), race);
  EXPECT_EQ(
      found_in(handed_over(store, wait + "} arrive_mbarrier m[1] } if (w == 3) { "
                                         "wait_mbarrier m[1] parity 0 C[b + t] = S[127 - t]")),
      "");
}

/// Two lanes of a warp have read the element before.
TEST(MbarrierOrder, KnowsOfReadsBehindAnArrival) {
  const auto read_again = [](const std::string& behind) {
    return found_in(handed_over("S[t - 32] = A[t] barrier @warp C[b + t] = S[0] " + behind,
                                "wait_mbarrier m[0] parity 0 if (t == 64) { S[0] = 1.0 }"));
  };
  EXPECT_EQ(read_again("if (t == 40) { C[b + t + 64] = S[0] } arrive_mbarrier m[0]"), "");
  EXPECT_EQ(read_again("arrive_mbarrier m[0] if (t == 40) { C[b + t + 64] = S[0] }"),
            "race on S[0]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (40, 0, 0) reads S[0]\n"
            "    in: C[b + t + 64] = S[0]\n"
            "  block (0, 0, 0), thread (64, 0, 0) writes S[0]\n"
            "    in: S[0] = 1.0\n"
            "  and 1 more like it");
}

}  // namespace mbarriers_test
}  // namespace hone
