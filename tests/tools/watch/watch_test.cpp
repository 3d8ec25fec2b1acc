// `hone watch` builds and runs programs, until they are gone.
#include "tools/watch/watch.h"

#include <filesystem>
#include <future>
#include <thread>

#include "runtime/files.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tests/tools/command.h"

namespace hone {
namespace watch_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A program that prints a schedule's steps, and then its arguments.
std::string program(const std::string& step) {
  return "#include <hone/hone.h>\n"
         "using namespace hone;\n"
         "int main(int argc, char** argv) {\n"
         "  const Param n(\"n\");\n"
         "  const Tensor A(\"A\", f32, {n}), C(\"C\", f32, {n});\n"
         "  const Axis i(\"i\", n);\n"
         "  Schedule s(Program(\"twice\", C(i) = 2 * A(i)));\n"
         "  " +
         step +
         "\n"
         "  fmt::print(\"{}\", s.trace_text());\n"
         "  for (int k = 1; k < argc; ++k) fmt::print(\"{}\\n\", argv[k]);\n"
         "}\n";
}

CommandResult watch(std::vector<std::string> words) {
  words.insert(words.begin(), "watch");
  CapturedOutput out;
  const int status = run_command(words, {}, out, "hone", watch_commands());
  return {status, out.printed, out.complained};
}

class Watch : public testing::Test {
 protected:
  void write(const std::string& text) { replace_file(file_, {text}); }

  TemporaryFolder folder_;
  const std::string file_ = folder_.file("twice.cpp");
};

TEST_F(Watch, BuildsAndRunsAProgramOnce) {
  write(program("s.split(i, 32);"));
  const CommandResult result = watch({file_, "--once", "one", "--", "--two"});
  EXPECT_EQ(result.printed, "auto [i_0, i_1] = s.split(i, 32);\none\n--two\n");
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
}

TEST_F(Watch, ShowsWhatTheCompilerSays) {
  write(program("s.spilt(i, 32);"));
  const CommandResult result = watch({file_, "--once"});
  EXPECT_EQ(result.printed, "");
  EXPECT_THAT(result.complained, AllOf(HasSubstr(file_ + ":8:5: error: "), HasSubstr("spilt")));
  EXPECT_EQ(result.status, 1);
}

/// A precompiled header has what the source includes, and no more.
TEST_F(Watch, CompilesNothingThatTheUsersOwnBuildRefuses) {
  const std::string text = program("s.split(i, 32);");
  write(text.substr(text.find('\n') + 1));
  EXPECT_THAT(watch({file_, "--once"}).complained, HasSubstr(file_ + ":1:17: error: "));
  write("#include <hone/hone.h>\nint main() { return hone::run_command(0, nullptr, {}); }\n");
  EXPECT_THAT(watch({file_, "--once"}).complained, HasSubstr("run_command"));
}

TEST_F(Watch, ShowsARefusedStep) {
  write(program("s.split(i, 0);"));
  const CommandResult result = watch({file_, "--once"});
  EXPECT_THAT(result.printed, HasSubstr(file_ + ":8: error: split: "));
  EXPECT_EQ(result.status, 1);
}

/// The headers of Hone that a source includes are precompiled once.
TEST_F(Watch, KeepsPrecompiledHeaders) {
  namespace fs = std::filesystem;
  const ScopedVariable cache("HONE_CACHE_DIR", folder_.file("cache").c_str());
  write("#include <hone/ir/core/location.h>\nint main() {}\n");
  fs::path made;
  fs::file_time_type time;
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(watch({file_, "--once"}).complained, "");
    const std::vector<fs::directory_entry> found{fs::directory_iterator(folder_.file("cache")), {}};
    ASSERT_EQ(found.size(), 1u);
    made = found.front().path() / "headers.h.gch";
    ASSERT_TRUE(fs::exists(made)) << "CXX is no g++?";
    if (run == 0) time = fs::last_write_time(made);
  }
  EXPECT_EQ(fs::last_write_time(made), time);
}

TEST_F(Watch, LinksSeveralSources) {
  write("int printed();\nint main() { return printed(); }\n");
  EXPECT_THAT(watch({file_, "--once"}).complained,
              EndsWith("\nadd the source that defines it by --with=FILE.cpp\n"));
  const std::string other = folder_.file("other.cpp");
  write_new_file(other, "#include <cstdio>\nint printed() { return std::puts(\"here\") < 0; }\n");
  EXPECT_EQ(watch({file_, "--once", "--with", other}).printed, "here\n");
  EXPECT_EQ(watch({other, "--once"}).complained,
            other + " defines no function main: add the source that does by --with=FILE.cpp\n");
}

TEST_F(Watch, StopsAProgramThatGoesOnForEver) {
  write(
      "#include <cstdio>\nint main() { std::puts(\"begun\"); std::fflush(stdout); for (;;) {} }\n");
  const CommandResult result = watch({file_, "--once", "--limit=1"});
  EXPECT_EQ(result.printed, "begun\n");
  EXPECT_EQ(result.complained,
            "error: " + file_ + " was stopped after 1 seconds; --limit=SECONDS gives it more\n");
  EXPECT_EQ(result.status, 1);
}

TEST_F(Watch, RefusesWhatIsNoSource) {
  EXPECT_EQ(watch({"steps.txt"}).complained,
            "error: steps.txt is no C++ source: its name ends in .cpp, .cc or .cxx\n");
  EXPECT_EQ(watch({"none.cpp"}).complained,
            "error: cannot read none.cpp: No such file or directory\n");
  EXPECT_EQ(watch({"none.cpp", "--limit=0"}).complained,
            "error: --limit takes 1 to 86400 seconds, got '0'\n");
}

/// Output that another thread reads while a command runs.
class SharedOutput : public CapturedOutput {
 public:
  void print(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    CapturedOutput::print(text);
  }
  void complain(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    CapturedOutput::complain(text);
  }
  /// Waits until both streams together have this text.
  void await(const std::string& text) {
    for (int n = 0; n < 1200; ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::lock_guard lock(mutex_);
      if ((printed + complained).find(text) != std::string::npos) return;
    }
    ADD_FAILURE() << "it never came: " << text;
  }

 private:
  std::mutex mutex_;
};

/// A header that the source includes is watched as well.
TEST_F(Watch, BuildsAgainWhenAFileIsSaved) {
  const std::string header = folder_.file("step.h");
  write_new_file(header, "#define STEP s.split(i, 32);\n");
  write("#include \"step.h\"\n" + program("STEP"));
  SharedOutput out;
  auto watched = std::async(std::launch::async, [&] {
    return run_command({"watch", file_}, {}, out, "hone", watch_commands());
  });
  out.await("s.split(i, 32)");
  replace_file(header, {"#define STEP s.split(i, 64);\n"});
  out.await("s.split(i, 64)");
  write(program("oops"));
  out.await("oops");
  write(program("s.split(i, 128);"));
  out.await("s.split(i, 128)");
  std::filesystem::remove(file_);
  EXPECT_EQ(watched.get(), 0);
  std::string expected;
  for (const char* const factor : {"32", "64", "", "128"}) {
    expected += "---- " + file_ + "\n";
    if (*factor) expected += fmt::format("auto [i_0, i_1] = s.split(i, {});\n", factor);
  }
  EXPECT_EQ(out.printed, expected);
}

}  // namespace watch_test
}  // namespace hone
