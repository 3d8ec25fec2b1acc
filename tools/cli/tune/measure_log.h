// Results by the addresses of their jobs: in memory, and, where a file is named, from run to run.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "llvm/Support/JSON.h"

namespace hone {

/// A file of results, one a line, each written as a whole at once. A process that is killed leaves
/// at most a line without an end, which the next one cuts off.
class MeasureLog {
 public:
  /// Empty path: no file. Throws RuntimeError for a file that cannot be used, that another process
  /// is using, or that has a line that is no result.
  explicit MeasureLog(const std::string& path);
  ~MeasureLog();
  MeasureLog(const MeasureLog&) = delete;
  MeasureLog& operator=(const MeasureLog&) = delete;

  /// Null where there is none.
  const llvm::json::Object* find(const std::string& address) const;
  /// `result` has its address as "hash". Throws RuntimeError where the file takes no more.
  void add(const llvm::json::Object& result);

 private:
  void read();

  std::string path_;
  int file_ = -1;
  std::map<std::string, llvm::json::Object> results_;
};

/// An object as a line, with its end.
std::string json_line(const llvm::json::Object& object);

}  // namespace hone
