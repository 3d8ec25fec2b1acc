// `hone tune --table`: the winner as a line of a table, and what the table has already.
#include "dsl/tune_table.h"
#include "tuned_axpy.h"

namespace hone {
namespace table_option_test {

using testing::HasSubstr;

std::vector<tune::Line> lines_in(const std::string& file) {
  return tune::Table::read(file).lines().vec();
}

TEST(TuneTableOption, HasTheWinnerForProgramsThatAskBySize) {
  const FakeWorker worker("cuda:0", times("2.5", "2.0", "1.0"));
  const std::string file = worker.file("tuned.jsonl");
  const CommandResult result = tune_axpy(worker, {"-DN=4096", "--table=" + file});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, HasSubstr("threads=256 idle=1\n// " + file +
                                        " has it now, for a fake GPU at N=4096\nauto [i_0"));
  const std::vector<tune::Line> lines = lines_in(file);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].parameters, "threads=256 idle=1");
  EXPECT_EQ(lines[0].milliseconds, 1.0);
  EXPECT_TRUE(lines[0].is_measured);
  EXPECT_THAT(lines[0].by, testing::StartsWith("a fake GPU, driver "));
  const Schedule s =
      tune::Table::read(file).schedule(Axpy({}).program, {{"N", 5000}}, "a fake GPU");
  EXPECT_EQ(s.trace_text(),
            "auto [i_0, i_1] = s.split(i, 256);\ns.bind(i_0, block.x);\ns.bind(i_1, thread.x);\n");
}

/// Also where it is not among the best by the model, and where the space has it no more.
TEST(TuneTableOption, LeavesTiesToTheScheduleThatItHas) {
  const FakeWorker worker("cuda:0",
                          "*'cuda:0'*'split(i, 256)'*) ms=1.85;; " + times("1.8", "2.4", "2.4"));
  const std::string file = worker.file("tuned.jsonl"), table = "--table=" + file;
  tune::Line known = {to_string(Axpy({}).program.function()),
                      "a fake GPU",
                      {{"N", 4096}},
                      "threads=256 idle=1",
                      "auto [i_0, i_1] = s.split(i, 256);\n"
                      "s.bind(i_0, block.x);\ns.bind(i_1, thread.x);\n",
                      1.85,
                      true,
                      "a test"};
  write_new_file(file, to_json(known));
  EXPECT_THAT(tune_axpy(worker, {"-DN=4096", "--rounds=1", "--top=1", table}).printed,
              HasSubstr("// the schedule of the table, threads=256 idle=1, stays: no other is "
                        "faster beyond the spread\n"));
  EXPECT_EQ(lines_in(file)[0].parameters, "threads=256 idle=1");
  EXPECT_THAT(tune_axpy(worker, {"-DN=8192", "--rounds=1", "--top=1", table}).printed,
              HasSubstr("threads=64 idle=1\n// " + file + " has it now, for a fake GPU at N=8192"));
  EXPECT_EQ(lines_in(file).size(), 2u);
  known.steps = "s.bind(i, block.x);\n";
  replace_file(file, {to_json(known)});
  EXPECT_THAT(tune_axpy(worker, {"-DN=4096", table}).printed, HasSubstr("  that of the table\n"));
}

TEST(TuneTableOption, KeepsMeasuredTimesFromThoseOfTheModel) {
  const FakeWorker measuring("cuda:0", times("2.5", "2.0", "1.0"));
  const std::string file = measuring.file("tuned.jsonl"), table = "--table=" + file;
  const FakeWorker model("sim", times("1.0", "2.0", "3.0"));
  EXPECT_THAT(tune_axpy(model, {"-DN=4096", "--gpu=H200 SXM", table}).printed,
              HasSubstr(" has it now, for H200 SXM at N=4096\n"));
  EXPECT_FALSE(lines_in(file)[0].is_measured);
  EXPECT_EQ(lines_in(file)[0].by, "the model of a fake GPU");
  tune::Line measured = lines_in(file)[0];
  measured.is_measured = true;
  replace_file(file, {to_json(measured)});
  EXPECT_THAT(tune_axpy(model, {"-DN=4096", "--gpu=H200 SXM", table}).printed,
              HasSubstr("// " + file + " keeps what was measured for H200 SXM at N=4096\n"));
  EXPECT_TRUE(lines_in(file)[0].is_measured);
  write_new_file(measuring.file("other.txt"), "a table?\n");
  EXPECT_THAT(tune_axpy(model, {"--table=" + measuring.file("other.txt")}).complained,
              HasSubstr("other.txt:1: [1:1, byte=1]: "));
}

TEST(TuneTableOption, IsNotMadeWhereASearchFails) {
  const FakeWorker worker("cuda:0", "*) exit 3;;");
  const std::string file = worker.file("tuned.jsonl");
  EXPECT_THAT(tune_axpy(worker, {"--table=" + file}).complained,
              testing::StartsWith("error: no schedule of axpy/blocks has a time; "));
  EXPECT_FALSE(std::filesystem::exists(file));
  write_new_file(file, "");
  tune_axpy(worker, {"--table=" + file});
  EXPECT_TRUE(std::filesystem::exists(file));
}

/// The search fails, and leaves the link.
TEST(TuneTableOption, LeavesALinkToAFileThatDoesNotExist) {
  const FakeWorker worker("cuda:0", "*) exit 3;;");
  const std::string link = worker.file("link.jsonl"), file = worker.file("tuned.jsonl");
  std::filesystem::create_symlink("tuned.jsonl", link);
  tune_axpy(worker, {"--table=" + link});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_FALSE(std::filesystem::exists(file));
  const FakeWorker measuring("cuda:0", times("2.5", "2.0", "1.0"));
  EXPECT_EQ(tune_axpy(measuring, {"--table=" + link}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(lines_in(file).size(), 1u);
  const std::string lost = worker.file("lost.jsonl");
  std::filesystem::create_symlink("/none/tuned.jsonl", lost);
  EXPECT_EQ(tune_axpy(worker, {"--table=" + lost}).complained,
            "error: cannot write to the table " + lost + "\n");
}

/// Before the search; and a last line without its end stays a line.
TEST(TuneTableOption, WritesToTheEndOfTheFile) {
  const FakeWorker worker("cuda:0", times("2.5", "2.0", "1.0"));
  for (const std::string& path :
       {std::string(), std::string("/none/tuned.jsonl"), worker.file("worker.sh/tuned.jsonl")})
    EXPECT_EQ(tune_axpy(worker, {"--table=" + path}).complained,
              "error: cannot write to the table " + path + "\n");
  EXPECT_EQ(worker.started(), "");
  const std::string file = worker.file("tuned.jsonl"), table = "--table=" + file;
  tune_axpy(worker, {"-DN=4096", table});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  tune_axpy(worker, {"-DN=8192", table});
  EXPECT_EQ(lines_in(file).size(), 2u);
  EXPECT_THAT(tune_axpy(worker, {"-DN=8192", table}).printed,
              HasSubstr("// " + file + " keeps its schedule for a fake GPU at N=8192\n"));
  EXPECT_EQ(lines_in(file).size(), 2u);
}

}  // namespace table_option_test
}  // namespace hone
