// Processes that measure, and those that do not behave: shell scripts in their place.
#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tools/cli/json_text.h"
#include "tools/cli/tune/measure_worker.h"

namespace hone {
namespace worker_test {

std::string text_of(llvm::json::Object answer) {
  return value_or(answer.getString("status"), "").str() + ": " +
         value_or(answer.getString("problem"), "").str();
}

/// The first answer of a shell script.
std::string first_answer(const std::string& script, double limit = 60) {
  MeasureWorker worker({{"sh", "-c", script}, limit}, R"({"program": "axpy"})");
  return text_of(worker.wait());
}

TEST(MeasureWorker, AnswersLineByLine) {
  MeasureWorker worker({{"sh", "-c",
                         "read job; echo '{\"status\": \"ready\"}'; n=0; while read ask; do "
                         "n=$((n + 1)); echo \"{\\\"milliseconds\\\": $n}\"; done"}},
                       "{}");
  EXPECT_EQ(text_of(worker.wait()), "ready: ");
  EXPECT_EQ(worker.answer(), std::nullopt);
  for (const int expected : {1, 2}) {
    worker.ask();
    EXPECT_EQ(value_or(worker.wait().getInteger("milliseconds"), 0), expected);
  }
}

TEST(MeasureWorker, ReadsTheJob) {
  EXPECT_EQ(first_answer("read job; case $job in *axpy*) echo '{\"status\": \"ready\"}';; esac"),
            "ready: ");
}

TEST(MeasureWorker, TellsOfCrashes) {
  EXPECT_EQ(first_answer("read job; kill -SEGV $$"),
            "crashed: the process ended by signal 11, Segmentation fault");
  EXPECT_EQ(first_answer("read job; echo first >&2; echo 'out of luck' >&2; exit 3"),
            "crashed: the process ended with status 3; it last wrote: out of luck");
  EXPECT_EQ(first_answer("read job; echo hello"),
            "crashed: the process printed what is no result: hello");
}

/// A process that has ended stays so.
TEST(MeasureWorker, TellsOfCrashesAgain) {
  MeasureWorker worker({{"true"}}, "{}");
  EXPECT_EQ(text_of(worker.wait()), "crashed: the process ended with status 0");
  worker.ask();
  EXPECT_EQ(text_of(worker.wait()), "crashed: the process has ended");
}

/// So do processes that it has started.
TEST(MeasureWorker, EndsWhatHangs) {
  EXPECT_EQ(first_answer("read job; sleep 1000; echo late", 0.2),
            "timed-out: no answer in 0.2 s; --limit=SECONDS sets another limit");
}

/// The end of all work comes before the limit of an answer.
TEST(MeasureWorker, EndsWhatTheTimeIsOverFor) {
  MeasureWorker worker({{"sh", "-c", "sleep 1000"}, 60, MeasureWorker::Clock::now()}, "{}");
  EXPECT_EQ(text_of(worker.wait()), "stopped: the time for it was over");
}

TEST(MeasureWorker, RefusesWhatIsNoProgram) {
  try {
    MeasureWorker worker({{"/no/such/program"}}, "{}");
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "cannot start /no/such/program: No such file or directory");
  }
}

}  // namespace worker_test
}  // namespace hone
