#include "tools/cli/tune/measure_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "llvm/Support/raw_ostream.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

namespace json = llvm::json;

std::string whole_text(int file) {
  std::string text;
  char bytes[65536];
  for (ssize_t count = 0; (count = ::read(file, bytes, sizeof(bytes))) > 0;)
    text.append(bytes, static_cast<size_t>(count));
  return text;
}

}  // namespace

std::string json_line(const json::Object& object) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object(object)) << '\n';
  return text;
}

MeasureLog::MeasureLog(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw RuntimeError("cannot open the log {}: {}", path_, error_text(errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw RuntimeError("another process is using the log {}; give this one a log of its own",
                       path_);
  }
  read();
}

MeasureLog::~MeasureLog() {
  if (file_ >= 0) ::close(file_);
}

void MeasureLog::read() {
  const std::string text = whole_text(file_);
  const size_t whole = text.rfind('\n') + 1;  // 0 where there is no line
  if (whole != text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
    throw RuntimeError("cannot write to the log {}: {}", path_, error_text(errno));
  int number = 0;
  for (llvm::StringRef rest = llvm::StringRef(text).take_front(whole); !rest.empty();) {
    const auto [line, behind] = rest.split('\n');
    rest = behind;
    ++number;
    auto value = json::parse(line);
    json::Object* const result = value ? value->getAsObject() : nullptr;
    if (!value) llvm::consumeError(value.takeError());
    if (!result || !result->getString("hash"))
      throw RuntimeError("{}:{}: the line is no result of `hone measure`", path_, number);
    results_[result->getString("hash")->str()] = std::move(*result);
  }
}

const json::Object* MeasureLog::find(const std::string& address) const {
  const auto found = results_.find(address);
  return found == results_.end() ? nullptr : &found->second;
}

void MeasureLog::add(const json::Object& result) {
  results_[result.getString("hash")->str()] = result;
  if (file_ < 0) return;
  const std::string line = json_line(result);
  if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw RuntimeError("cannot write to the log {}: {}", path_, error_text(errno));
}

}  // namespace hone
