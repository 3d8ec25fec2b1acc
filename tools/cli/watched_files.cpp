#include "tools/cli/watched_files.h"

#include <chrono>
#include <thread>

#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

bool is_blank(const std::string& text) { return llvm::StringRef(text).trim().empty(); }

}  // namespace

WatchedFiles::WatchedFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) add(path);
}

void WatchedFiles::add(const std::string& path) {
  if (llvm::none_of(files_, [&](const UserText& file) { return file.path == path; }))
    files_.push_back(read_user_file(path));
}

/// The paths of files whose text is another one. Editors may empty a file before they write it.
/// Throws before anything changes.
std::vector<std::string> WatchedFiles::read_again() {
  std::vector<UserText> now;
  for (const UserText& file : files_) now.push_back(read_user_file(file.path));
  std::vector<std::string> changed;
  for (auto [before, after] : llvm::zip(files_, now)) {
    if (after.text == before.text || is_blank(after.text)) continue;
    before = after;
    changed.push_back(after.path);
  }
  return changed;
}

std::vector<std::string> WatchedFiles::wait(const std::function<bool()>& is_over) {
  using namespace std::chrono_literals;
  for (int missing = 0; missing < 40 && !is_over();) {
    std::this_thread::sleep_for(50ms);
    try {
      if (std::vector<std::string> changed = read_again(); !changed.empty()) return changed;
      missing = 0;
    } catch (const RuntimeError&) {  // editors write a new file, and give it the name
      ++missing;
    }
  }
  return {};
}

}  // namespace hone
