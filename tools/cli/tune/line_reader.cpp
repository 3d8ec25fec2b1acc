#include "tools/cli/tune/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {

LineReader::LineReader(const std::string& path)
    : path_(path == "-" ? "stdin" : path),
      file_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) throw RuntimeError("cannot read {}: {}", path, error_text(errno));
}

LineReader::~LineReader() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

void LineReader::read() {
  char bytes[65536];
  const ssize_t count = ::read(file_, bytes, sizeof(bytes));
  if (count < 0 && errno == EINTR) return;
  if (count < 0) throw RuntimeError("cannot read {}: {}", path_, error_text(errno));
  if (count == 0) is_at_end_ = true;
  text_.append(bytes, static_cast<size_t>(count));
}

std::optional<std::string> LineReader::next() {
  const size_t end = text_.find('\n');
  if (end == std::string::npos && (!is_at_end_ || text_.empty())) return std::nullopt;
  ++number_;
  const std::string line = text_.substr(0, end);
  text_.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

std::string LineReader::place() const { return path_ + ":" + std::to_string(number_); }

}  // namespace hone
