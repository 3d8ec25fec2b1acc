#include "tools/cli/user_text.h"

#include <filesystem>

#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr size_t most_bytes = 16 << 20;

/// Behind blanks and comments.
StringRef first_statement(StringRef text) {
  for (;;) {
    text = text.ltrim();
    if (text.take_front(2) == "//")
      text = text.drop_until([](char c) { return c == '\n'; });
    else if (text.take_front(2) == "/*")
      text = text.contains("*/") ? text.drop_front(text.find("*/") + 2) : "";
    else
      return text;
  }
}

const char* name(TextKind kind) {
  switch (kind) {
    case TextKind::kernel:
      return "kernel IR, as `show --emit=kernel` prints it; --kernel takes it";
    case TextKind::loops:
      return "a loop nest, as `show --emit=loops` prints it, which no option takes; change the "
             "schedule instead, or the kernel of `show --emit=kernel`";
    case TextKind::cuda:
      return "CUDA, as `show --emit=cuda` prints it; --replace-source takes it";
    case TextKind::other:
      break;
  }
  return "no text that Hone prints";
}

}  // namespace

UserText read_user_file(const std::string& path) {
  std::error_code error;
  const auto file = std::filesystem::canonical(path, error);
  if (error) throw RuntimeError("cannot read {}: {}", path, error_text(error.value()));
  if (std::filesystem::is_directory(file)) throw RuntimeError("{} is a folder", path);
  const auto bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > most_bytes)
    throw RuntimeError("{} has {} bytes, and a text that Hone reads at most {}", path, bytes,
                       most_bytes);
  const auto text = read_small_file(file.string(), most_bytes);
  if (!text) throw RuntimeError("cannot read {}: {}", path, why_unreadable(path, most_bytes));
  return {path, *text};
}

UserText read_user_text(const std::string& path) {
  UserText text = read_user_file(path);
  if (StringRef(text.text).trim().empty()) throw RuntimeError("{} is empty", path);
  return text;
}

TextKind kind_of(StringRef text) {
  const StringRef start = first_statement(text);
  const StringRef word = start.take_until([](char c) { return c == ' ' || c == '\n'; });
  if (word == "kernel") return TextKind::kernel;
  if (word == "func") return TextKind::loops;
  if (text.contains("__global__") || text.contains("#include")) return TextKind::cuda;
  // An operator comes before the kernels and the functions that use it.
  if (word == "operator") return text.contains("\nkernel ") ? TextKind::kernel : TextKind::loops;
  return TextKind::other;
}

void check_kind(const UserText& text, TextKind wanted, StringRef option) {
  const TextKind kind = kind_of(text.text);
  if (kind == wanted || kind == TextKind::other) return;
  throw RuntimeError("{}: {} is {}", option.str(), text.path, name(kind));
}

}  // namespace hone
