// The lines of a file or a pipe, as they come.
#pragma once

#include <optional>
#include <string>

namespace hone {

class LineReader {
 public:
  /// "-": standard input. Throws RuntimeError for a file that cannot be read.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  int descriptor() const { return file_; }
  /// Reads once what there is; waits where there is nothing yet.
  void read();
  /// A line that has been read, without its end; the last one may lack it.
  std::optional<std::string> next();
  /// True once all lines have been taken.
  bool has_ended() const { return is_at_end_ && text_.empty(); }
  bool is_at_end() const { return is_at_end_; }  ///< nothing is left to read
  /// "jobs.jsonl:3", of the line that was taken last.
  std::string place() const;

 private:
  std::string path_, text_;
  int file_ = -1, number_ = 0;
  bool is_at_end_ = false;
};

}  // namespace hone
