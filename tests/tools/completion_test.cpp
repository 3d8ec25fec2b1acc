// Words that shells offer, and the scripts by which they ask for them.
#include <cstdlib>

#include "command.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace completion_test {

using testing::HasSubstr;
using testing::StartsWith;

std::string completed(std::vector<std::string> words) {
  words.insert(words.begin(), {"complete", "--"});
  return hone(words).printed;
}

TEST(Completion, CompletesWords) {
  EXPECT_EQ(completed({"c"}), "completion\ncheck\ncounters\ncuda\n");
  EXPECT_EQ(completed({"help", "dr"}), "draw\n");
  EXPECT_EQ(completed({"show", "mat"}),
            "matmul\nmatmul/parallel\nmatmul/threads\nmatmul/register\n");
  EXPECT_EQ(completed({"show", "axpy/blocks", "--s"}), "--steps\n");
  EXPECT_EQ(completed({"try", "axpy", "--s"}), "--steps=\n");
  EXPECT_EQ(completed({"try", "axpy", "--steps="}), "");
  EXPECT_EQ(completed({"try", "axpy", "--steps", ""}), "");
  EXPECT_EQ(completed({"show", "axpy/blocks", "-"}).substr(0, 16), "--emit=\n--steps\n");
  EXPECT_EQ(completed({"doctor", ""}), "");
  EXPECT_EQ(completed({"compile", ""}), "");
}

TEST(Completion, CompletesValuesOfOptions) {
  for (const char* const command : {"show", "try", "diff"})
    EXPECT_EQ(completed({command, "axpy/blocks", "--emit=cu"}), "--emit=cuda\n--emit=cubin\n");
  EXPECT_EQ(completed({"show", "--emit", "lo"}), "loops\n");
  EXPECT_EQ(completed({"run", "axpy/blocks", "--device="}),
            "--device=auto\n--device=cuda\n--device=sim\n--device=host\n");
  EXPECT_EQ(completed({"tune", "axpy/blocks", "--device", ""}), "auto\ncuda\nsim\n");
  EXPECT_EQ(completed({"run", "scale.cu", "--device="}),
            "--device=auto\n--device=cuda\n--device=sim\n");
  EXPECT_EQ(completed({"run", "scale.cu", "--gri"}), "--grid=\n");
}

TEST(Completion, PrintsScriptsThatComplete) {
  EXPECT_THAT(hone({"completion", "bash"}).printed, HasSubstr("complete -o default -F _hone hone"));
  EXPECT_THAT(hone({"completion", "zsh"}).printed, StartsWith("#compdef hone\n"));
  expect_usage_error({"completion", "fish"}, "completion is for bash and zsh, not fish");
}

/// The words that bash offers behind `line`, where the tool prints `word` and then its arguments.
std::string offered_by_bash(const std::string& line, const std::string& word) {
  const TemporaryFolder folder;
  write_new_file(folder.file("try.bash"),
                 hone({"completion", "bash"}).printed +
                     fmt::format("hone() {{ echo '{}'; printf '<%s>' \"$@\"; }}\n"
                                 "compopt() {{ added=\" and no blank\"; }}\n"
                                 "COMP_WORDBREAKS=' =:'\n"
                                 "COMP_LINE='{}' COMP_POINT={}\n"
                                 "_hone\nprintf '%s' \"${{COMPREPLY[*]}}$added\"\n",
                                 word, line, line.size()));
  const std::string output = folder.file("output");
  const std::string command = fmt::format("bash {} > {}", folder.file("try.bash"), output);
  EXPECT_EQ(std::system(command.c_str()), 0);
  return read_small_file(output, 1000).value();
}

TEST(Completion, CompletesWholeWordsInBash) {
  EXPECT_EQ(offered_by_bash("hone try axpy --s", "--steps="),
            "--steps= <complete><--><try><axpy><--s> and no blank");
  EXPECT_EQ(offered_by_bash("hone try axpy --steps=a:b", ""),
            " <complete><--><try><axpy><--steps=a:b>");
  EXPECT_EQ(offered_by_bash("hone show ", "axpy"), "axpy <complete><--><show><>");
  EXPECT_EQ(offered_by_bash("hone try axpy --emit=cu", "--emit=cuda"),
            "cuda <complete><--><try><axpy><--emit=cu>");
}

}  // namespace completion_test
}  // namespace hone
