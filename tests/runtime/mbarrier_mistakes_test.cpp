// Mistakes with mbarriers, each of which is found in any order.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/runtime/roles.h"

namespace hone {
namespace mbarrier_mistakes_test {

constexpr uint64_t orders = 20;

// ---- In a ring ----------------------------------------------------------------------------------

/// The first finding; and in any order there are some, of which one is of that kind.
void expect_found(const Ring& ring, const std::string& kind, const std::string& text) {
  EXPECT_EQ(first_found_in(ring.body()), text);
  for (uint64_t order = 1; order <= orders; ++order) {
    const std::string findings = found_in(ring.body(), {.order = order});
    EXPECT_NE(findings, "") << order;
    EXPECT_NE(findings.find(kind), std::string::npos) << order << ": " << findings;
  }
}

/// "deadlock: nobody in block (0, 0, 0) can go on: ..."
std::string stuck(const std::string& waits) {
  return "deadlock: nobody in block (0, 0, 0) can go on: " + waits;
}

const std::string at_full =
    "warps 0, 1 wait at `wait_mbarrier k.full[k % 3] parity k / 3 % 2` for parity ";
const std::string at_empty =
    "warps 2, 3 wait at `wait_mbarrier k.empty[k % 3] parity (k / 3 + 1) % 2` for parity ";

TEST(MbarrierMistakes, NoWaitForFullStages) {
  const auto race = [](const std::string& fill) {
    return "race on S[0, 63]: no barrier between two threads of a block\n"
           "  block (0, 0, 0), thread (127, 0, 0) writes S[k % 3, t - 64]\n"
           "    in: " +
           fill +
           "\n"
           "  block (0, 0, 0), thread (0, 0, 0) reads S[k % 3, 63 - t]\n"
           "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
           "  and 1151 more like it";
  };
  Ring ring, stores = Ring::of_stores();
  ring.wait_full = stores.wait_full = "";
  expect_found(ring, " on S[", race("copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1"));
  expect_found(stores, "race on S[", race("S[k % 3, t - 64] = A[b + k*64 + t - 64]"));
}

/// The producers fill stages again before the consumers have come to them: if these do not see
/// elements change, they miss a phase.
TEST(MbarrierMistakes, NoWaitForEmptyStages) {
  for (Ring ring : {Ring(), Ring::of_stores()}) {
    ring.wait_empty = "";
    expect_found(ring, "",
                 stuck(at_full + "1 of k.full[0], where 0 of 64 arrivals have come to phase 3; "
                                 "warps 2, 3 have ended\n"
                                 "  in: wait_mbarrier k.full[k % 3] parity k / 3 % 2\n"
                                 "  and 1 more like it"));
    ring.trips = 3;
    EXPECT_EQ(found_in(ring.body()), "") << "as many stages as trips";
  }
}

/// Stage 0 is filled again while consumers may read it.
TEST(MbarrierMistakes, AWaitForSomeOfTheEmptyStages) {
  Ring ring;
  ring.wait_empty = "if (k != 3) { wait_mbarrier k.empty[k % #] parity (k / # + 1) % 2 }";
  bool has_race = false;
  for (uint64_t order = 1; order <= orders; ++order) {
    const std::string text = found_in(ring.body(), {.order = order});
    EXPECT_NE(text, "") << order;
    has_race |= text.find("race on S[0") != std::string::npos;
  }
  EXPECT_TRUE(has_race);
}

TEST(MbarrierMistakes, TheWrongParityOfFullStages) {
  Ring ring;
  ring.wait_full = "wait_mbarrier k.full[k % #] parity (k / # + 1) % 2";
  expect_found(ring, "",
               stuck("warps 0, 1 wait at `wait_mbarrier k.full[k % 3] parity (k / 3 + 1) % 2` for "
                     "parity 1 of k.full[0], where 0 of 64 arrivals have come to phase 1; " +
                     at_empty +
                     "0 of k.empty[0], where 0 of 2 arrivals have come to phase 0\n"
                     "  in: wait_mbarrier k.full[k % 3] parity (k / 3 + 1) % 2\n"
                     "  in: wait_mbarrier k.empty[k % 3] parity (k / 3 + 1) % 2\n"
                     "  and 1 more like it"));
}

TEST(MbarrierMistakes, TheWrongParityOfEmptyStages) {
  Ring ring;
  ring.wait_empty = "wait_mbarrier k.empty[k % #] parity k / # % 2";
  expect_found(ring, "deadlock: ",
               stuck(at_full +
                     "0 of k.full[0], where 0 of 64 arrivals have come to phase 0; warps 2, 3 wait "
                     "at `wait_mbarrier k.empty[k % 3] parity k / 3 % 2` for parity 0 of "
                     "k.empty[0], where 0 of 2 arrivals have come to phase 0\n"
                     "  in: wait_mbarrier k.full[k % 3] parity k / 3 % 2\n"
                     "  in: wait_mbarrier k.empty[k % 3] parity k / 3 % 2\n"
                     "  and 1 more like it"));
}

const std::string at_both =
    "\n  in: wait_mbarrier k.full[k % 3] parity k / 3 % 2\n"
    "  in: wait_mbarrier k.empty[k % 3] parity (k / 3 + 1) % 2\n"
    "  and 1 more like it";

TEST(MbarrierMistakes, OneArrivalTooMany) {
  Ring full, empty;
  full.full_count = "65";
  expect_found(
      full, "deadlock: ",
      stuck(at_full + "0 of k.full[0], where 64 of 65 arrivals have come to phase 0; " + at_empty +
            "0 of k.empty[0], where 0 of 2 arrivals have come to phase 0" + at_both));
  empty.empty_count = "3";
  expect_found(
      empty, "deadlock: ",
      stuck(at_full + "1 of k.full[0], where 0 of 64 arrivals have come to phase 1; " + at_empty +
            "0 of k.empty[0], where 2 of 3 arrivals have come to phase 0" + at_both));
}

TEST(MbarrierMistakes, OneArrivalTooFew) {
  Ring full, empty;
  full.full_count = "63";
  EXPECT_EQ(first_found_in(full.body()),
            "unfinished copy on S[0, 63]: the thread that has started the copy has not waited for "
            "it\n"
            "  block (0, 0, 0), thread (127, 0, 0) writes S[k % 3, t - 64]\n"
            "    in: copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1\n"
            "  block (0, 0, 0), thread (0, 0, 0) reads S[k % 3, 63 - t]\n"
            "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
            "  and 17 more like it");
  empty.empty_count = "1";
  EXPECT_EQ(
      first_found_in(empty.body()),
      stuck(at_full + "1 of k.full[0], where 0 of 64 arrivals have come to phase 1; " + at_empty +
            "0 of k.empty[0], where 0 of 1 arrivals have come to phase 2" + at_both));
  for (uint64_t order = 1; order <= orders; ++order) {
    EXPECT_NE(found_in(full.body(), {.order = order}), "") << order;
    EXPECT_NE(found_in(empty.body(), {.order = order}), "") << order;
  }
}

/// A producer waits for the next slot, which is emptied behind its own: in time where consumers are
/// slow. If they are fast, that slot may have been emptied twice, and the wait is for a third time.
TEST(MbarrierMistakes, AWaitThatMayComeTooLate) {
  Ring ring;
  ring.wait_empty = "wait_mbarrier k.empty[(k + 1) % #] parity (k / # + 1) % 2";
  expect_found(ring, "",
               "race on k.empty[0]: the phase behind that of a wait may end before the wait\n"
               "  block (0, 0, 0), thread (64, 0, 0) reads k.empty[(k + 1) % 3]\n"
               "    in: wait_mbarrier k.empty[(k + 1) % 3] parity (k / 3 + 1) % 2\n"
               "  block (0, 0, 0), thread (32, 0, 0) updates k.empty[k % 3]\n"
               "    in: arrive_mbarrier k.empty[k % 3]\n"
               "  and 11 more like it");
}

TEST(MbarrierMistakes, AWaitOfOneLane) {
  Ring full, empty;
  full.wait_full = "if (t % 32 == 0) { " + full.wait_full + " }";
  expect_found(full, "race on S[",
               "race on S[0, 62]: no barrier between two threads of a block\n"
               "  block (0, 0, 0), thread (126, 0, 0) writes S[k % 3, t - 64]\n"
               "    in: copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1\n"
               "  block (0, 0, 0), thread (1, 0, 0) reads S[k % 3, 63 - t]\n"
               "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
               "  and 1115 more like it");
  empty.wait_empty = "if (t % 32 == 0) { " + empty.wait_empty + " }";
  expect_found(empty, "race on S[",
               "race on S[0, 1]: no barrier between two threads of a block\n"
               "  block (0, 0, 0), thread (62, 0, 0) reads S[k % 3, 63 - t]\n"
               "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
               "  block (0, 0, 0), thread (65, 0, 0) writes S[k % 3, t - 64]\n"
               "    in: copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1\n"
               "  and 743 more like it");
}

TEST(MbarrierMistakes, NoArrival) {
  Ring full, empty;
  full.arrive_full = "";
  expect_found(
      full, "deadlock: ",
      stuck(at_full + "0 of k.full[0], where 0 of 64 arrivals have come to phase 0; " + at_empty +
            "0 of k.empty[0], where 0 of 2 arrivals have come to phase 0" + at_both));
  empty.arrive_empty = "";
  expect_found(
      empty, "deadlock: ",
      stuck(at_full + "1 of k.full[0], where 0 of 64 arrivals have come to phase 1; " + at_empty +
            "0 of k.empty[0], where 0 of 2 arrivals have come to phase 0" + at_both));
  EXPECT_EQ(error_in(empty.body()),
            "nobody in block (0, 0, 0) can go on: warps 0, 1 wait at `wait_mbarrier k.full[k % 3] "
            "parity k / 3 % 2` for parity 1 of k.full[0], where 0 of 64 arrivals have come to "
            "phase 1; warps 2, 3 wait at `wait_mbarrier k.empty[k % 3] parity (k / 3 + 1) % 2` for "
            "parity 0 of k.empty[0], where 0 of 2 arrivals have come to phase 0, in: wait_mbarrier "
            "k.full[k % 3] parity k / 3 % 2");
}

TEST(MbarrierMistakes, AnArrivalThatDoesNotWaitForCopies) {
  Ring ring;
  ring.arrive_full = "arrive_mbarrier k.full[k % #]";
  expect_found(ring, "unfinished copy on S[",
               "unfinished copy on S[0, 63]: the thread that has started the copy has not waited "
               "for it\n"
               "  block (0, 0, 0), thread (127, 0, 0) writes S[k % 3, t - 64]\n"
               "    in: copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1\n"
               "  block (0, 0, 0), thread (0, 0, 0) reads S[k % 3, 63 - t]\n"
               "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
               "  and 1151 more like it");
}

TEST(MbarrierMistakes, AnArrivalBeforeTheLastReads) {
  const std::string race =
      "race on S[0, 0]: no barrier between two threads of a block\n"
      "  block (0, 0, 0), thread (63, 0, 0) reads S[k % 3, 63 - t]\n"
      "    in: C[b + k*64 + t] = S[k % 3, 63 - t]\n"
      "  block (0, 0, 0), thread (64, 0, 0) writes S[k % 3, t - 64]\n"
      "    in: copy_async S[k % 3, t - 64] <- A[b + k*64 + t - 64] of 1\n"
      "  and 767 more like it";
  Ring behind, beside;
  std::swap(behind.use, behind.arrive_empty);
  EXPECT_EQ(first_found_in(behind.body()), race);
  beside.arrive_empty = "if (t % 32 == 0) { arrive_mbarrier k.empty[k % #] }";
  EXPECT_EQ(first_found_in(beside.body()), race) << "the other lanes of the warp may not have read";
}

TEST(MbarrierMistakes, NoBarrierBehindTheInitialisation) {
  Ring ring;
  ring.after_init = "";
  EXPECT_EQ(first_found_in(ring.body()),
            "race on k.empty[0]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (0, 0, 0) writes k.empty[s]\n"
            "    in: init_mbarrier k.empty[s] of 2\n"
            "  block (0, 0, 0), thread (64, 0, 0) reads k.empty[k % 3]\n"
            "    in: wait_mbarrier k.empty[k % 3] parity (k / 3 + 1) % 2\n"
            "  and 15 more like it");
}

TEST(MbarrierMistakes, EachBarrierOfARingIsNeeded) {
  CheckOptions options;
  options.find_unneeded_barriers = true;
  EXPECT_EQ(found_in(Ring().body(), options), "");
}

// ---- With single mbarriers ----------------------------------------------------------------------

TEST(MbarrierMistakes, NoInitialisation) {
  EXPECT_EQ(error_in("alloc m: i64[2] @shared if (t == 0) { init_mbarrier m[0] of 1 } barrier "
                     "arrive_mbarrier m[1]"),
            "m[1] is used before it is initialised, block (0, 0, 0), thread (0, 0, 0), in: "
            "arrive_mbarrier m[1]");
  EXPECT_EQ(error_in("alloc m: i64[2] @shared if (w == 1) { wait_mbarrier m[w] parity 1 }"),
            "m[1] is used before it is initialised, block (0, 0, 0), thread (32, 0, 0), in: "
            "wait_mbarrier m[w] parity 1");
}

TEST(MbarrierMistakes, TwoInitialisations) {
  const std::string again =
      "m[1] is initialised again, block (0, 0, 0), thread ({}, 0, 0), in: init_mbarrier m[1] of 1";
  EXPECT_EQ(error_in("alloc m: i64[2] @shared if (t == 40) { init_mbarrier m[1] of 1 } barrier "
                     "if (t == 1) { init_mbarrier m[1] of 1 }"),
            fmt::format(fmt::runtime(again), 1));
  EXPECT_EQ(error_in("alloc m: i64[2] @shared if (t < 2) { init_mbarrier m[1] of 1 }"),
            fmt::format(fmt::runtime(again), 0));
}

TEST(MbarrierMistakes, AnElementThatDoesNotExist) {
  EXPECT_EQ(error_in("alloc m: i64[2] @shared if (t == 0) { init_mbarrier m[w + 2] of 1 }"),
            "m[w + 2]: index [2] is outside the shape [2], block (0, 0, 0), thread (0, 0, 0), in: "
            "init_mbarrier m[w + 2] of 1");
}

TEST(MbarrierMistakes, AParityThatIsNone) {
  EXPECT_EQ(error_in("alloc m: i64[1] @shared if (t == 0) { init_mbarrier m[0] of 1 } barrier "
                     "if (w == 2) { wait_mbarrier m[0] parity w }"),
            "the parity of a phase is 0 or 1, and not 2, block (0, 0, 0), thread (64, 0, 0), in: "
            "wait_mbarrier m[0] parity w");
}

}  // namespace mbarrier_mistakes_test
}  // namespace hone
