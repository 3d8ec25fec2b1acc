// Files that are watched until somebody saves one of them.
#pragma once

#include <functional>
#include <vector>

#include "tools/cli/user_text.h"

namespace hone {

class WatchedFiles {
 public:
  /// Reads the files. Throws RuntimeError for one that cannot be read.
  explicit WatchedFiles(const std::vector<std::string>& paths);

  /// Also watches this file, with the text that it has now.
  void add(const std::string& path);

  const std::vector<UserText>& files() const { return files_; }

  /// Waits until files have other texts, and returns their paths; none once a file has been missing
  /// for two seconds, or `is_over` says so.
  std::vector<std::string> wait(const std::function<bool()>& is_over = [] { return false; });

 private:
  std::vector<std::string> read_again();

  std::vector<UserText> files_;
};

}  // namespace hone
