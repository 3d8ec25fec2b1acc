// Tables of tuned schedules: what a program gets from them by size, and what they refuse.
#include "dsl/tune_table.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"

namespace hone {
namespace tune_table_test {

using testing::HasSubstr;

/// S(i) = 2 X(i)
struct Doubled {
  Param n{"n"};
  Tensor X{"X", f32, {n}}, S{"S", f32, {n}};
  Axis i{"i", n};
  Program program{"doubled", S(i) = X(i) * 2.0};
};

/// Blocks of so many threads were the best at this size.
tune::Line line_of(int64_t n, int64_t threads, const std::string& gpu = "H100 SXM") {
  return {to_string(Doubled().program.function()),
          gpu,
          {{"n", n}},
          fmt::format("threads={}", threads),
          fmt::format("b, t = split(i, {})\nbind(b, block.x)\nbind(t, thread.x)", threads),
          0.25,
          true,
          "a test"};
}

tune::Table table_of(llvm::ArrayRef<tune::Line> lines) {
  tune::Table table("tuned.jsonl");
  for (const tune::Line& line : lines) table.add(line);
  return table;
}

/// The threads of the blocks that the table has for this size.
std::string threads_at(const tune::Table& table, int64_t n) {
  const Schedule s = table.schedule(Doubled().program, {{"n", n}}, "H100 SXM");
  const std::string first = s.trace()[0].text;
  return first.substr(first.find(", ") + 1);
}

/// A file that is removed at the end of the scope.
struct TableFile {
  explicit TableFile(const std::string& text) { std::ofstream(path) << text; }
  ~TableFile() { std::filesystem::remove(path); }
  const std::string path =
      testing::TempDir() + fmt::format("hone-table-{}.jsonl", static_cast<long>(::getpid()));
};

template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const tune::TableError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TuneTable, GivesTheScheduleOfTheNearestSizes) {
  const tune::Table table = table_of({line_of(100, 32), line_of(10000, 64), line_of(200, 128)});
  EXPECT_THAT(threads_at(table, 100), HasSubstr("32"));
  EXPECT_THAT(threads_at(table, 1), HasSubstr("32"));
  EXPECT_THAT(threads_at(table, 0), HasSubstr("32"));
  EXPECT_THAT(threads_at(table, 1400), HasSubstr("128"));  // 7 times as much, or a seventh of it
  EXPECT_THAT(threads_at(table, 1500), HasSubstr("64"));
  const tune::Table ties = table_of({line_of(100, 32), line_of(400, 64)});
  EXPECT_THAT(threads_at(ties, 200), HasSubstr("64"));  // the latest
}

TEST(TuneTable, HasOneLineForASize) {
  tune::Table table = table_of({line_of(100, 32), line_of(100, 64)});
  ASSERT_EQ(table.lines().size(), 1u);
  const Doubled p;
  const tune::Line* const line = table.find(p.program.function(), "H100 SXM", {{"n", 100}});
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->parameters, "threads=64");
  EXPECT_EQ(table.find(p.program.function(), "H100 SXM", {{"n", 101}}), nullptr);
  EXPECT_EQ(table.find(p.program.function(), "H200 SXM", {{"n", 100}}), nullptr);
}

/// Nearer lines whose promises the sizes do not keep are left out.
TEST(TuneTable, KeepsPromises) {
  tune::Line promising = line_of(100, 32);
  promising.steps = "assume(n % 4 == 0)\n" + promising.steps;
  const tune::Table table = table_of({promising, line_of(10000, 64)});
  EXPECT_EQ(table.schedule(Doubled().program, {{"n", 104}}, "H100 SXM").trace().size(), 4u);
  EXPECT_THAT(threads_at(table, 102), HasSubstr("64"));
  EXPECT_EQ(refusal_of([&] { threads_at(table_of({promising}), 102); }),
            "tuned.jsonl has no schedule of doubled whose sizes are these, and whose promises they "
            "keep");
}

TEST(TuneTable, IsAskedForSizesOfTheProgram) {
  const auto refusal = [](const tune::Line& line, const Sizes& sizes) {
    return refusal_of([&] { table_of({line}).schedule(Doubled().program, sizes, "H100 SXM"); });
  };
  const std::string none =
      "tuned.jsonl has no schedule of doubled whose sizes are these, and whose promises they keep";
  EXPECT_EQ(refusal(line_of(100, 32), {}), none);
  EXPECT_EQ(refusal(line_of(100, 32), {{"N", 100}}), "doubled has no size N");
  EXPECT_EQ(refusal(line_of(100, 32), {{"n", -4}}), "the size n of doubled is -4");
  tune::Line without = line_of(100, 32);
  without.sizes = {};
  EXPECT_EQ(refusal(without, {{"n", 100}}), none);
  const Doubled p;
  const Function& function = p.program.function();
  EXPECT_EQ(table_of({without}).find(function, "H100 SXM", {{"n", 100}}), nullptr);
  EXPECT_EQ(table_of({line_of(1, 32)}).find(function, "H100 SXM", {{"n", 0}}), nullptr);
}

TEST(TuneTable, IsReadAsItWasWritten) {
  const tune::Line lines[] = {line_of(100, 32), line_of(7, 64, "H200 SXM")};
  const TableFile file(to_json(lines[0]) + "\n" + to_json(lines[1]));
  const tune::Table table = tune::Table::read(file.path);
  ASSERT_EQ(table.lines().size(), 2u);
  for (size_t n = 0; n < 2; ++n) EXPECT_EQ(to_json(table.lines()[n]), to_json(lines[n]));
  EXPECT_EQ(table.lines()[0].program, lines[0].program);
  EXPECT_EQ(table.lines()[1].sizes, lines[1].sizes);
  EXPECT_TRUE(table.lines()[0].is_measured);
}

TEST(TuneTable, RefusesLinesThatAreNone) {
  const auto refusal = [](const std::string& text) {
    const TableFile file(text);
    std::string refusal = refusal_of([&] { tune::Table::read(file.path); });
    if (llvm::StringRef(refusal).startswith(file.path)) refusal.erase(0, file.path.size());
    return refusal;
  };
  const std::string line = to_json(line_of(100, 32));
  EXPECT_THAT(refusal(line + "rows=5\n"), testing::StartsWith(":2: [1:1, byte=1]: "));
  EXPECT_EQ(refusal("{\"hash\": \"12\"}\n"),
            ":1: not a line of `hone tune --table`: those have a version");
  EXPECT_EQ(refusal(line + "\n{\"version\": 2}\n"),
            ":3: the line is of version 2 of tables, and this Hone reads version 1");
  EXPECT_EQ(refusal("{\"version\": 1, \"program\": 5}\n"),
            ":1: expected string at the line.program");
  tune::Line bad = line_of(100, 32);
  bad.milliseconds = -1;
  EXPECT_EQ(refusal(to_json(bad)), ":1: expected no negative time at the line.milliseconds");
  EXPECT_EQ(refusal(to_json(line_of(-1, 32))), ":1: expected no negative size at the line.sizes");
  std::string other = line;
  other.replace(other.find("\"gpu\",\"steps"), 5, "\"cpu\"");
  EXPECT_EQ(refusal(other), ":1: expected gpu or model at the line.source");
  for (const std::string path : {"/none/tuned.jsonl", "/usr"})
    EXPECT_EQ(refusal_of([&] { tune::Table::read(path); }),
              fmt::format("cannot read the table {0}; `hone tune --table={0}` writes one", path));
}

TEST(TuneTable, SaysWhatItHasInstead) {
  const tune::Table table = table_of({line_of(100, 32), line_of(100, 64, "H200 SXM")});
  const auto refusal = [&](const Program& program, llvm::StringRef gpu) {
    return refusal_of([&] { table.schedule(program, {{"n", 100}}, gpu); });
  };
  EXPECT_EQ(refusal(Doubled().program, "A100"),
            "tuned.jsonl has no schedule of doubled for A100; it has some for H100 SXM, H200 SXM");
  const Param n("n");
  const Tensor X("X", f32, {n}), S("S", f32, {n});
  const Axis i("i", n);
  EXPECT_EQ(refusal(Program("tripled", S(i) = X(i) * 3.0), "H100 SXM"),
            "tuned.jsonl has no schedule of tripled for H100 SXM; it has none of this program");
  tune::Line other = line_of(100, 32);
  other.steps = "bind(rows, block.x)";
  EXPECT_THAT(refusal_of([&] { threads_at(table_of({other}), 100); }),
              testing::StartsWith("tuned.jsonl: the steps for doubled on H100 SXM do not fit it: "
                                  "tuned:1"));
}

}  // namespace tune_table_test
}  // namespace hone
