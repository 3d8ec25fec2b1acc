#include "ir/core/size_check.h"

namespace hone {

std::string filled(llvm::StringRef message, llvm::ArrayRef<std::string> values) {
  std::string text;
  for (const std::string& value : values) {
    const auto [before, after] = message.split("{}");
    text += before.str() + value;
    message = after;
  }
  return text + message.str();
}

}  // namespace hone
