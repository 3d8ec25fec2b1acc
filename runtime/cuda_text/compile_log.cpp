#include "runtime/cuda_text/compile_log.h"

#include "llvm/ADT/SmallVector.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

/// "k.cu(3)" of "k.cu(3): error: ...".
bool read_place(StringRef place, CompileMessage& message) {
  const auto [file, line] = place.rsplit('(');
  unsigned number = 0;
  if (!place.endswith(")") || line.drop_back().getAsInteger(10, number)) return false;
  message.file = file.str();
  message.line = static_cast<int>(number);
  return true;
}

}  // namespace

std::vector<CompileMessage> errors_in(StringRef log) {
  std::vector<CompileMessage> messages;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (const StringRef line : lines)
    for (const StringRef mark : {"): error", "): catastrophic error"}) {
      const size_t at = line.find(mark);
      CompileMessage message;
      if (at == StringRef::npos || !read_place(line.take_front(at + 1), message)) continue;
      message.text = line.substr(at + mark.size()).split(": ").second.rtrim().str();
      messages.push_back(std::move(message));
      break;
    }
  return messages;
}

StringRef missing_header(const CompileMessage& message) {
  StringRef text = message.text;
  if (!text.consume_front("cannot open source file \"")) return "";
  return text.take_until([](char c) { return c == '"'; });
}

}  // namespace hone::ptx
