#include "examples/exercises/build_flags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

constexpr size_t most_bytes = 1 << 20;

std::string folder_of_this_program() {
  const std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  return llvm::sys::path::parent_path(program).str();
}

/// The line with the folder of the file for its @HERE@.
std::string placed(llvm::StringRef line, const std::string& file) {
  const auto [before, after] = line.split("@HERE@");
  if (before.size() == line.size()) return line.str();
  return fmt::format("{}{}{}", before.str(), llvm::sys::path::parent_path(file).str(), after.str());
}

/// The lines of the file of flags.
std::vector<std::string> read_flags() {
  for (const std::string& path :
       {folder_of_this_program() + "/" HONE_INSTALLED_FLAGS, std::string(HONE_BUILD_FLAGS)}) {
    const auto text = read_small_file(path, most_bytes);
    if (!text) continue;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    std::vector<std::string> flags;
    for (const llvm::StringRef line : lines) flags.push_back(placed(line, path));
    return flags;
  }
  throw RuntimeError("neither {}/{} nor {} is there: build or install Hone again",
                     folder_of_this_program(), HONE_INSTALLED_FLAGS, HONE_BUILD_FLAGS);
}

std::string compiler_path(const std::string& built_with) {
  const std::string name = environment("CXX").value_or(built_with);
  if (const auto found = llvm::sys::findProgramByName(name)) return *found;
  throw RuntimeError("no C++ compiler: there is no {}; install g++, or set CXX to the one to use",
                     name);
}

}  // namespace

BuildFlags build_flags() {
  const std::vector<std::string> flags = read_flags();
  const auto source = llvm::find(flags, "@SOURCE@");
  assert(source != flags.end() && "the build writes a place for the source");
  return {compiler_path(flags.front()), {flags.begin() + 1, source}, {source + 1, flags.end()}};
}

std::vector<std::string> compile_command(const std::string& source, const std::string& program) {
  const BuildFlags flags = build_flags();
  std::vector<std::string> words = {flags.compiler};
  llvm::append_range(words, flags.options);
  words.insert(words.end(), {"-w", source});
  llvm::append_range(words, flags.libraries);
  words.insert(words.end(), {"-o", program});
  return words;
}

}  // namespace hone
