// The command hone page.
#include "runtime/files.h"
#include "tests/support/runtime/page_structure.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tests/tools/command.h"

namespace hone {
namespace page_command_test {

using testing::HasSubstr;

TEST(PageCommand, WritesOneFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("axpy.html");
  const CommandResult result = hone({"ladder", "axpy", "--device=sim", "--html", path});
  EXPECT_EQ(result.status, 0) << result.complained;
  EXPECT_THAT(result.printed, testing::MatchesRegex(".*axpy.html: 2 rungs, [0-9]+ kB\n"));
  EXPECT_EQ(page_problems(*read_small_file(path, 1 << 20)), "");
}

/// The page has the other rungs, and the status says that one is missing.
TEST(PageCommand, FailsBehindARungThatCannotBeBuilt) {
  Ladder ladder = small_axpy();
  ladder.rungs.push_back(make_rung<Axpy>("unbuilt", "", RungTarget::gpu,
                                         [](Schedule& s, const Axpy& p) { s.split(p.i, 0); }));
  const TemporaryFolder folder;
  const std::string path = folder.file("axpy.html");
  const CommandResult page = hone_on({ladder}, {"ladder", "axpy", "--device=sim", "--html", path});
  EXPECT_EQ(page.status, 1);
  EXPECT_THAT(page.printed, testing::MatchesRegex(".*axpy.html: 3 rungs, [0-9]+ kB\n"));
  EXPECT_THAT(page.complained, testing::StartsWith("error: axpy/unbuilt: "));
  EXPECT_THAT(*read_small_file(path, 1 << 20), HasSubstr("This rung cannot be built: "));
}

/// A rung whose promise the sizes do not keep is not counted, and all others are.
TEST(PageCommand, GoesOnBehindARungWhosePromiseBreaks) {
  Ladder ladder = small_axpy();
  ladder.rungs.insert(ladder.rungs.begin() + 1, make_rung<Axpy>("promised", "", RungTarget::gpu,
                                                                [](Schedule& s, const Axpy& p) {
                                                                  s.assume(p.N % 8 == 0);
                                                                  s.bind(p.i, thread.x);
                                                                }));
  const TemporaryFolder folder;
  const std::string path = folder.file("axpy.html");
  const CommandResult page =
      hone_on({ladder}, {"ladder", "axpy", "--device=sim", "-D", "N=501", "--html", path});
  EXPECT_EQ(page.status, 0) << page.complained;
  const std::string html = *read_small_file(path, 1 << 20);
  EXPECT_EQ(page_problems(html), "");
  EXPECT_THAT(html, HasSubstr("<p class=\"warning\">Not counted: axpy was compiled for N % 8 == 0, "
                              "and N is 501</p>"));
  const CommandResult table = hone_on({ladder}, {"ladder", "axpy", "--device=sim", "-D", "N=501"});
  EXPECT_THAT(table.printed, HasSubstr("blocks    sim     N=501"));
  EXPECT_EQ(table.complained,
            "error: axpy/promised: axpy was compiled for N % 8 == 0, and N is 501\n");
  EXPECT_EQ(table.status, 1);  // it has not been checked
}

TEST(PageCommand, WritesMarkdownWithPictures) {
  const TemporaryFolder folder;
  const std::string path = folder.file("made/here");
  const CommandResult result = hone({"ladder", "axpy", "--device=sim", "--markdown", path});
  EXPECT_EQ(result.status, 0) << result.complained;
  EXPECT_THAT(*read_small_file(path + "/axpy.md", 1 << 20), HasSubstr("](speed.svg)"));
  EXPECT_THAT(*read_small_file(path + "/speed.svg", 1 << 20), testing::StartsWith("<svg xmlns="));
}

TEST(PageCommand, TakesFiguresOfAFile) {
  const TemporaryFolder folder;
  write_new_file(folder.file("figures.json"),
                 "[" + figure_row("blocks", "cuda:0", 0.25, 1 << 20) + "]");
  const CommandResult result =
      hone({"ladder", "axpy", "--device=sim", "--html", folder.file("axpy.html"), "--figures",
            folder.file("figures.json")});
  EXPECT_EQ(result.status, 0) << result.complained;
  EXPECT_THAT(*read_small_file(folder.file("axpy.html"), 1 << 20), HasSubstr("0.2500 ms"));
}

TEST(PageCommand, RefusesWhatIsNoPartOfIt) {
  const auto refusal = [](const std::string& option) {
    return option +
           " is about the table, and --html and --markdown write a page; leave one of "
           "them out";
  };
  expect_usage_error({"ladder", "axpy", "--html=x.html", "--json"}, refusal("--json"));
  expect_usage_error({"ladder", "axpy", "--html=x.html", "--sizes=3"}, refusal("--sizes"));
  expect_usage_error({"ladder", "axpy", "--markdown=x", "--rungs=blocks"}, refusal("--rungs"));
  expect_usage_error({"ladder", "axpy", "--figures=x.json"},
                     "--figures is about a page; name it with --html or --markdown");
  expect_failure({"ladder", "axpy", "--device=sim", "--html=x.html", "--figures=no/such.json"},
                 "cannot read no/such.json: No such file or directory");
}

}  // namespace page_command_test
}  // namespace hone
