// hone check FILE.cu --html FILE.
#include "llvm/ADT/StringExtras.h"
#include "runtime/files.h"
#include "tools/cli/command/kernel_files.h"
#include "tools/page/kernel_page.h"

namespace hone {
namespace {

/// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  const bool is_plain = llvm::all_of(
      word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_-+=:,./@%").contains(c); });
  if (is_plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The command with all that a file of the launch says.
std::string command_of(const std::string& path, const LaunchText& launch,
                       const Arguments& arguments) {
  std::vector<std::string> words = {"hone check " + quoted(path)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(quoted(std::string(option) + value));
  };
  const auto add_all = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(option, value);
  };
  add("--kernel=", launch.kernel);
  add("--grid=", launch.grid);
  add("--block=", launch.block);
  add("--cluster=", launch.cluster);
  add("--shared=", launch.shared);
  for (const auto& [name, size] : launch.sizes) add("-D", fmt::format("{}={}", name, size));
  add_all("--arg=", launch.arguments);
  add_all("--set=", launch.variables);
  add_all("-I", launch.folders);
  add_all("--nvrtc=", launch.compiler_options);
  add("--arch=", launch.arch);
  for (const char* option : {"--blocks", "--seed"})
    add((std::string(option) + "=").c_str(), arguments.value(option).value_or(""));
  add("--html=", *arguments.value("--html"));
  return fmt::format("{}", fmt::join(words, " \\\n  "));
}

}  // namespace

void write_kernel_page(const KernelRun& checked, const KernelPageTexts& texts,
                       const LaunchText& launch, const Arguments& arguments, Output& out) {
  const std::string path = *arguments.value("--html");
  const ptx::LineTallies tallies;
  ptx::LaunchOptions options;
  options.count = true;
  options.most_blocks = texts.most_blocks;
  options.stepper = &tallies.stepper();
  const KernelRun counted = run_kernel(checked.chosen.path, launch, texts.seed, options);
  KernelPage page = make_kernel_page(checked, counted, tallies.lines());
  page.launch = texts.launch;
  page.verdict = texts.verdict;
  page.command = command_of(checked.chosen.path, launch, arguments);
  replace_file(path, {to_html(page)});
  int64_t lines = 0;
  for (const KernelSource& source : page.sources)
    lines += llvm::count_if(source.lines, [](const KernelLine& line) { return line.has_code; });
  out.print(fmt::format("{}: {} lines with code\n", path, lines));
}

}  // namespace hone
