#include "tools/watch/user_program.h"

#include <filesystem>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Program.h"
#include "runtime/files.h"
#include "runtime/process.h"
#include "tools/cli/user_text.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

using llvm::StringRef;

constexpr size_t most_rule_bytes = 1 << 20;

/// The files of a rule for make, "a.o: a.cpp a.h \".
std::vector<std::string> files_of_rule(StringRef rule) {
  std::vector<std::string> files;
  std::string file;
  const StringRef text = rule.split(": ").second;
  for (size_t n = 0; n <= text.size(); ++n) {
    const char c = n < text.size() ? text[n] : ' ';
    const bool is_escape = c == '\\' && n + 1 < text.size();
    if (is_escape && text[n + 1] != '\n') {
      file += text[++n];
    } else if (c != ' ' && c != '\n' && !is_escape) {
      file += c;
    } else if (!file.empty()) {
      files.push_back(std::move(file));
      file.clear();
    }
  }
  return files;
}

/// True of what a linker says where no source defines the function main.
bool lacks_main(StringRef said) {
  return said.contains("undefined reference to `main'") ||
         said.contains("undefined reference to 'main'") || said.contains("undefined symbol: main");
}

/// Advice on a linker's message, where no source defines a name; empty for any other message.
std::string way_out(StringRef said) {
  if (!said.contains("undefined reference to") && !said.contains("undefined symbol: ")) return "";
  return "add the source that defines it by --with=FILE.cpp\n";
}

/// The quickest linker that is here: most of the time of a link goes to the libraries of Hone.
std::vector<std::string> linker_option() {
  for (const std::string name : {"lld", "gold"})
    if (llvm::sys::findProgramByName("ld." + name)) return {"-fuse-ld=" + name};
  return {};
}

}  // namespace

UserProgram::UserProgram(const std::vector<std::string>& sources, std::string folder,
                         const std::string& headers)
    : flags_(build_flags()), headers_(flags_, headers), folder_(std::move(folder)) {
  program_ = folder_ + "/" + safe_file_name(fs::path(sources.front()).stem().string());
  for (const std::string& path : sources)
    sources_.push_back({path, fmt::format("{}/{}.o", folder_, sources_.size()), {path}});
}

std::set<std::string> UserProgram::files() const {
  std::set<std::string> files;
  for (const Source& source : sources_) files.insert(source.files.begin(), source.files.end());
  return files;
}

void UserProgram::mark_changed(const std::string& file) {
  for (Source& source : sources_)
    if (source.files.count(file)) source.is_compiled = false;
}

bool UserProgram::lacks_headers() const {
  return llvm::any_of(sources_, [&](const Source& source) {
    return headers_.is_missing_for(read_user_file(source.path).text);
  });
}

std::string UserProgram::build(bool in_colour) {
  is_built_ = false;
  std::string said;
  for (Source& source : sources_)
    if (!source.is_compiled) said += compile(source, in_colour);
  const bool are_compiled =
      llvm::all_of(sources_, [](const Source& source) { return source.is_compiled; });
  return are_compiled ? said + link(in_colour) : said;
}

std::string UserProgram::compile(Source& source, bool in_colour) {
  const std::string rule = source.object + ".d";
  std::vector<std::string> command = {flags_.compiler};
  llvm::append_range(command, header_options(flags_));
  const auto header = headers_.header_for(read_user_file(source.path).text);
  if (header) command.insert(command.end(), {"-include", *header});
  if (in_colour) command.emplace_back("-fdiagnostics-color=always");
  command.insert(command.end(), {"-MMD", "-MF", rule, "-c", source.path, "-o", source.object});
  const ProcessOutcome outcome = run_program(command, folder_ + "/log", most_compile_seconds);
  source.is_compiled = outcome.success;
  if (!outcome.success) return outcome.output;
  source.files = {source.path};
  for (const std::string& file : files_of_rule(read_small_file(rule, most_rule_bytes).value_or("")))
    if (!header || !StringRef(file).startswith(*header)) source.files.insert(file);
  return outcome.output;
}

std::string UserProgram::link(bool in_colour) {
  std::vector<std::string> command = {flags_.compiler};
  for (const std::string& option : flags_.options)
    if (StringRef(option).startswith("-fsanitize")) command.push_back(option);
  for (const Source& source : sources_) command.push_back(source.object);
  llvm::append_range(command, flags_.libraries);
  llvm::append_range(command, linker_option());
  if (in_colour) command.emplace_back("-fdiagnostics-color=always");
  command.insert(command.end(), {"-o", program_});
  const ProcessOutcome outcome = run_program(command, folder_ + "/log", most_compile_seconds);
  is_built_ = outcome.success;
  if (lacks_main(outcome.output))
    return fmt::format("{} defines no function main: add the source that does by --with=FILE.cpp\n",
                       sources_.front().path);
  return outcome.output + way_out(outcome.output);
}

}  // namespace hone
