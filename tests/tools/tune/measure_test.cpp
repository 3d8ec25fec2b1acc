// `hone measure`: jobs in, results out, whatever the jobs do.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "examples/ladders/ladders.h"
#include "fake_worker.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace measure_test {

using testing::HasSubstr;

std::string job(const std::string& id, const std::string& more = "") {
  return R"({"id": ")" + id + R"(", "program": "axpy/blocks")" + more + "}\n";
}

class Measure : public testing::Test {
 protected:
  CommandResult measure(const std::string& jobs, std::vector<std::string> more = {}) {
    replace_file(worker_.file("jobs.jsonl"), {jobs});
    std::vector<std::string> words = {"measure", worker_.file("jobs.jsonl"), worker_.option()};
    words.insert(words.end(), more.begin(), more.end());
    return hone(words);
  }
  /// "a measured", of each result in order.
  std::vector<std::string> outcomes(const CommandResult& result) {
    std::vector<std::string> texts;
    for (const llvm::json::Object& one : objects_in(result.printed))
      texts.push_back(text_in(one, "id") + " " + text_in(one, "status"));
    return texts;
  }

  FakeWorker worker_{"sim"};
};

TEST_F(Measure, PrintsAResultForEachJob) {
  const CommandResult result = measure(job("a") + "\n" + job("b", R"(, "sizes": {"N": 5})"));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(outcomes(result), testing::UnorderedElementsAre("a measured", "b measured"));
  const auto objects = objects_in(result.printed);
  const llvm::json::Object& a = text_in(objects[0], "id") == "a" ? objects[0] : objects[1];
  EXPECT_EQ(value_or(a.getNumber("milliseconds"), 0), 2.5);
  EXPECT_EQ(value_or(a.getObject("sizes")->getInteger("N"), 0), 1000);
  EXPECT_EQ(text_in(a, "device_name"), "a fake GPU");
  EXPECT_THAT(text_in(a, "steps"), HasSubstr("s.split(i, 128)"));
  EXPECT_EQ(text_in(a, "hash").size(), 32u);
}

/// A job that crashes, hangs or is refused has that as its result, and the next job goes on.
TEST_F(Measure, GoesOnBehindAnyFailure) {
  const CommandResult result =
      measure(job("crash", R"(, "seed": 2)") + job("hang", R"(, "seed": 3)") +
                  job("refuse", R"(, "seed": 4)") + job("good"),
              {"--limit=2"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(outcomes(result), testing::UnorderedElementsAre("crash crashed", "hang timed-out",
                                                              "refuse refused", "good measured"));
  EXPECT_THAT(result.printed,
              HasSubstr("the process ended by signal 11, Segmentation fault; it last wrote: out of "
                        "luck"));
  EXPECT_THAT(result.printed, HasSubstr("no answer in 2 s; --limit=SECONDS sets another limit"));
}

TEST_F(Measure, MeasuresEqualJobsOnce) {
  const CommandResult result = measure(job("a") + job("b"));
  EXPECT_THAT(outcomes(result), testing::ElementsAre("a measured", "b measured"));
  EXPECT_EQ(worker_.started(), "a\n");
}

TEST_F(Measure, GoesOnFromALog) {
  const std::string log = "--log=" + worker_.file("log.jsonl");
  measure(job("a"), {log});
  const CommandResult again = measure(job("b") + job("c", R"(, "seed": 2)"), {log});
  EXPECT_THAT(outcomes(again), testing::UnorderedElementsAre("b measured", "c measured"));
  EXPECT_EQ(worker_.started(), "a\nc\n");
}

/// A line without an end is what a killed process leaves.
TEST_F(Measure, CutsOffHalfALine) {
  const std::string log = worker_.file("log.jsonl");
  measure(job("a"), {"--log=" + log});
  const std::string whole = *read_small_file(log, 1 << 20);
  replace_file(log, {whole + R"({"hash": "ab)"});
  EXPECT_EQ(measure(job("b"), {"--log=" + log}).status, 0);
  EXPECT_EQ(*read_small_file(log, 1 << 20), whole);
}

TEST_F(Measure, RefusesAnotherFileAsALog) {
  replace_file(worker_.file("log.jsonl"), {"{}\nhello\n"});
  const CommandResult result = measure(job("a"), {"--log=" + worker_.file("log.jsonl")});
  EXPECT_EQ(result.complained, "error: " + worker_.file("log.jsonl") +
                                   ":1: the line is no result of `hone measure`\n");
  EXPECT_EQ(result.status, 1);
}

/// Jobs before the line have their results.
TEST_F(Measure, RefusesLinesThatAreNoJobs) {
  const std::string place = "error: " + worker_.file("jobs.jsonl") + ":2: ";
  const auto refusal_of = [&](const std::string& line) {
    const CommandResult result = measure(job("a") + line + "\n");
    EXPECT_THAT(outcomes(result), testing::ElementsAre("a measured"));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.complained.substr(0, place.size()), place);
    return result.complained.substr(std::min(place.size(), result.complained.size()));
  };
  EXPECT_THAT(refusal_of("program: axpy"), HasSubstr("not JSON: "));
  EXPECT_EQ(refusal_of("[1]"), "a job is an object, as in {\"program\": \"matmul/tuned\"}\n");
  EXPECT_EQ(refusal_of("{}"), "a job names its program, a rung or a ladder's name\n");
  EXPECT_EQ(refusal_of(R"({"program": "axpy", "step": ""})"),
            "there is no field 'step' in a job; did you mean 'steps'?\n");
  EXPECT_EQ(refusal_of(R"({"program": 3})"), "the field program of a job is a string\n");
  EXPECT_EQ(refusal_of(R"({"program": "axpy", "sizes": {"N": -1}})"),
            "the field N of a job is a number from 0 on\n");
  EXPECT_EQ(refusal_of(R"({"program": "axpy", "sizes": {"M": 1}})"),
            "there is no size 'M' in axpy; did you mean 'N'?\n");
  EXPECT_EQ(refusal_of(R"({"program": "axpi"})"),
            "there is no ladder 'axpi'; did you mean 'axpy'?\n");
}

TEST_F(Measure, RefusesOptionsThatAreNone) {
  EXPECT_EQ(measure("", {"--limit=0"}).complained,
            "error: --limit takes a number of seconds above 0, got '0'\n");
  EXPECT_EQ(measure("", {"--workers=0"}).complained,
            "error: --workers takes a number from 1 on, got '0'\n");
  expect_usage_error({"measure"},
                     "hone cannot start itself here; --worker-command names a program that "
                     "measures");
}

/// A driver in a process of its own.
class Driver {
 public:
  explicit Driver(std::vector<std::string> words) {
    words.insert(words.begin(), HONE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    EXPECT_EQ(::posix_spawn(&process_, HONE_PROGRAM, &quiet, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&quiet);
  }
  void kill() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = 0;
};

/// Killed in its second job, it measures the first one no more.
TEST_F(Measure, ResumesAKilledDriver) {
  const std::string jobs = worker_.file("jobs.jsonl"), log = "--log=" + worker_.file("log.jsonl");
  const auto small = [](const char* id, int n) {
    return fmt::format("{{\"id\": \"{}\", \"program\": \"transpose/naive\", \"seed\": {}}}\n", id,
                       n);
  };
  replace_file(jobs, {small("a", 1) + small("hang", 2) + small("c", 3)});
  Driver driver({"measure", jobs, worker_.option(), log, "--workers=1"});
  while (worker_.started() != "a\nhang\n")
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  driver.kill();
  replace_file(worker_.file("no-hangs"), {""});
  const CommandResult result =
      hone_on(shipped_ladders(), {"measure", jobs, worker_.option(), log, "--workers=1"});
  EXPECT_THAT(outcomes(result), testing::ElementsAre("a measured", "hang measured", "c measured"));
  EXPECT_EQ(worker_.started(), "a\nhang\nhang\nc\n");
}

/// The program itself as the worker: the model's estimate, and a checked result.
TEST(MeasureItself, EstimatesOnTheSimulatedDevice) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const TemporaryFolder folder;
  const std::string jobs = R"json(
{"device": "sim", "program": "rows(A: f32[M, K]) -> S(i) = sum(k, A(i, k))", "steps": "x, t = split(i, 128)\nbind(x, block.x)\nbind(t, thread.x)"}
{"device": "sim", "program": "transpose", "steps": "bind(q, block.x)"}
)json";
  replace_file(folder.file("jobs.jsonl"), {jobs});
  const CommandResult result =
      hone_on(shipped_ladders(), {"measure", folder.file("jobs.jsonl"), "--workers=1",
                                  std::string("--worker-command=") + HONE_PROGRAM});
  EXPECT_EQ(result.complained, "");
  const auto objects = objects_in(result.printed);
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(text_in(objects[0], "status"), "measured") << result.printed;
  EXPECT_EQ(text_in(objects[0], "source"), "model");
  EXPECT_EQ(text_in(objects[0], "gpu"), "H100 SXM");
  EXPECT_EQ(text_in(objects[0], "check"), "exact");
  EXPECT_GT(*objects[0].getNumber("milliseconds"), 0);
  EXPECT_EQ(text_in(objects[1], "status"), "refused");
  EXPECT_EQ(text_in(objects[1], "problem"),
            "steps:1:6: no axis q; there are j and i\n  bind(q, block.x)\n       ^");
}

}  // namespace measure_test
}  // namespace hone
