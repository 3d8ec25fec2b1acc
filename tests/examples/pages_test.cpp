// The commands of README.md and docs/ run, and print what stands below them; their kernels are
// clean. scripts/docs-code makes tests of their C++.
#include <gmock/gmock.h>

#include <filesystem>

#include "examples/exercises/command.h"
#include "examples/ladders/ladders.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/ir/code_blocks.h"
#include "tests/support/ir/golden.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/command/command_line.h"
#include "tools/watch/watch.h"

namespace hone {
namespace pages_test {

namespace fs = std::filesystem;

class Captured : public Output {
 public:
  void print(std::string_view text) override { printed += text; }
  void complain(std::string_view text) override { complained += text; }
  bool is_terminal() const override { return false; }
  std::string printed, complained;
};

/// The words of a command line; quotes keep blanks.
std::vector<std::string> words_of(llvm::StringRef line) {
  std::vector<std::string> words;
  bool in_quotes = false, in_word = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    const bool ends = c == ' ' && !in_quotes;
    if (!ends && !in_word) words.emplace_back();
    if (!ends && c != '"') words.back() += c;
    in_word = !ends;
  }
  return words;
}

struct Outcome {
  int status;
  std::string text;  // printed, then complained
};

Outcome run_hone(const std::vector<std::string>& words) {
  Captured out;
  std::vector<Command> more(exercise_commands().begin(), exercise_commands().end());
  llvm::append_range(more, watch_commands());
  const int status = run_command(words, shipped_ladders(), out, "hone", more, HONE_PROGRAM);
  return {status, out.printed + out.complained};
}

/// The words behind `hone` where the line runs it: "build/hone list", "$ hone list  # a comment".
std::vector<std::string> command_in(llvm::StringRef line) {
  line.consume_front("$ ");
  line.consume_front("build/");
  return line.consume_front("hone ") ? words_of(line.split("  #").first.rtrim())
                                     : std::vector<std::string>();
}

/// A block of a page, by its place.
struct Place {
  std::string page;
  int number;
};

std::vector<Place> blocks_in(llvm::ArrayRef<const char*> languages) {
  std::vector<Place> places;
  for (const std::string& page : pages()) {
    const std::vector<CodeBlock> blocks = code_blocks(page);
    for (size_t n = 0; n < blocks.size(); ++n)
      if (llvm::is_contained(languages, blocks[n].language))
        places.push_back({page, static_cast<int>(n)});
  }
  return places;
}

std::string name_of(const testing::TestParamInfo<Place>& info) {
  std::string name = info.param.page.substr(0, info.param.page.size() - 3);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return fmt::format("{}_Block{}", name, info.param.number + 1);
}

/// A block in a folder of its own, which has the files that the page shows: those under a comment
/// `<!-- file: NAME -->`.
class PageTest : public testing::TestWithParam<Place> {
 protected:
  PageTest() {
    fs::current_path(folder_.path());
    for (const CodeBlock& block : code_blocks(page_))
      if (const std::string file = block.note("file"); !file.empty())
        write_new_file(file, block.text + "\n");
  }
  ~PageTest() override { fs::current_path(root_); }

  CodeBlock block() const { return code_blocks(page_).at(GetParam().number); }

  const fs::path root_ = fs::current_path();
  const std::string page_ = (root_ / GetParam().page).string();
  const TemporaryFolder folder_;
};

/// The version whose machine code pages show: that which scripts/setup takes.
bool is_nvrtc_of_ours() {
  const NvrtcInfo* info = nvrtc_info();
  return info && info->major == 13 && info->minor == 0;
}

/// `$ hone ...`, and what it prints up to the next one. Under `<!-- needs: NVRTC -->` some of it
/// is the compiler's.
class Console : public PageTest {};

TEST_P(Console, PrintsWhatIsShown) {
  if (block().note("needs") == "NVRTC" && !is_nvrtc_of_ours()) GTEST_SKIP() << "another NVRTC";
  std::string made;
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string text = block().text;
  llvm::StringRef(text).split(lines, '\n');
  for (const llvm::StringRef line : lines) {
    if (!std::string_view(line).starts_with("$ ")) continue;
    const std::vector<std::string> words = command_in(line);
    ASSERT_FALSE(words.empty()) << line.str() << " is no command of hone";
    made += line.str() + "\n" + run_hone(words).text;
  }
  expect_block(page_, GetParam().number, made);
}

INSTANTIATE_TEST_SUITE_P(Pages, Console, testing::ValuesIn(blocks_in({"console"})), name_of);

/// Lines for a shell: those of hone succeed, and print something; scripts exist.
class ShellLines : public PageTest {};

TEST_P(ShellLines, Run) {
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string text = block().text;
  llvm::StringRef(text).split(lines, '\n');
  for (const llvm::StringRef line : lines) {
    const std::string script = (root_ / line.split(' ').first.str()).string();
    const auto executable = fs::perms::owner_exec;
    if (std::string_view(line).starts_with("scripts/")) {
      EXPECT_NE(fs::status(script).permissions() & executable, fs::perms::none) << script;
    }
    const std::vector<std::string> words = command_in(line);
    if (words.empty()) continue;
    const Outcome outcome = run_hone(words);
    EXPECT_EQ(outcome.status, 0) << line.str() << "\n" << outcome.text;
    EXPECT_NE(outcome.text, "") << line.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, ShellLines, testing::ValuesIn(blocks_in({"sh"})), name_of);

/// Kernels have no findings, with 96 for each size, but under `<!-- findings: some -->`.
class KernelBlock : public PageTest {};

TEST_P(KernelBlock, IsClean) {
  const std::string path = folder_.file("checked.txt"), text = block().text;
  write_new_file(path, text);
  std::vector<std::string> words = {"check", "--kernel", path};
  const llvm::StringRef head = llvm::StringRef(text).split('(').first;
  llvm::SmallVector<llvm::StringRef> names;
  head.split('[').second.split(']').first.split(names, ", ", -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef name : names) {
    words.emplace_back("-D");
    words.push_back(name.str() + "=96");
  }
  const Outcome outcome = run_hone(words);
  const bool is_racy = block().note("findings") == "some";
  EXPECT_EQ(outcome.status, is_racy ? 1 : 0) << text << "\n" << outcome.text;
  EXPECT_EQ(outcome.text.find("no findings in") == std::string::npos, is_racy) << outcome.text;
}

INSTANTIATE_TEST_SUITE_P(Pages, KernelBlock, testing::ValuesIn(blocks_in({"kernel"})), name_of);

// ---- Pictures -----------------------------------------------------------------------------------

/// A picture of a page, under `<!-- made: hone draw ... --svg FILE -->`.
struct Picture {
  std::string page, command, file;
};

std::vector<Picture> pictures() {
  std::vector<Picture> found;
  for (const std::string& page : pages()) {
    const std::string text = read_small_file(page, 1 << 20).value_or("");
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    for (size_t n = 0; n + 1 < lines.size(); ++n) {
      llvm::StringRef command = lines[n];
      if (!command.consume_front("<!-- made: ") || !command.consume_back(" -->")) continue;
      const llvm::StringRef file = lines[n + 1].split("](").second.split(')').first;
      found.push_back({page, command.str(), (fs::path(page).parent_path() / file.str()).string()});
    }
  }
  return found;
}

/// The files of a page's pictures are what the commands write, some of them several: the name of
/// the file in the page chooses.
TEST(Pages, PicturesAreMadeByCommands) {
  const std::vector<Picture> all = pictures();
  EXPECT_GE(all.size(), 1u);
  for (const Picture& picture : all) {
    const TemporaryFolder folder;
    std::vector<std::string> words = command_in(picture.command);
    ASSERT_FALSE(words.empty()) << picture.command;
    words.back() = folder.file(words.back());
    const Outcome outcome = run_hone(words);
    EXPECT_EQ(outcome.status, 0) << picture.command << "\n" << outcome.text;
    const std::string made = folder.file(fs::path(picture.file).filename().string());
    expect_golden(picture.file, read_small_file(made, 1 << 20).value_or(made + " was not written"));
  }
}

}  // namespace pages_test
}  // namespace hone
