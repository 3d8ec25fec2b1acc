#include "examples/exercises/build_flags.h"

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

/// The flags of an installation beside this program, else those of the build tree: a word a line.
/// @HERE@ is the folder of the file.
std::vector<std::string> read_flags() {
  for (const std::string& path :
       {folder_of_this_program() + "/" HONE_INSTALLED_FLAGS, std::string(HONE_BUILD_FLAGS)}) {
    const auto text = read_small_file(path, most_bytes);
    if (!text) continue;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    std::vector<std::string> flags;
    for (const llvm::StringRef line : lines) {
      const auto [before, after] = line.split("@HERE@");
      const bool is_relative = before.size() != line.size();
      flags.push_back(is_relative
                          ? fmt::format("{}{}{}", before.str(),
                                        llvm::sys::path::parent_path(path).str(), after.str())
                          : line.str());
    }
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

std::vector<std::string> compile_command(const std::string& source, const std::string& program) {
  std::vector<std::string> words = read_flags();
  words.front() = compiler_path(words.front());
  for (std::string& word : words)
    if (word == "@SOURCE@") word = source;
  words.insert(words.end(), {"-o", program});
  return words;
}

}  // namespace hone
