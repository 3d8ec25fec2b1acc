#include "tools/cli/ladder.h"

namespace hone {

Expr size_or_param(const Sizes& fixed, llvm::StringRef name) {
  const auto found = fixed.find(std::string_view(name.data(), name.size()));
  return found == fixed.end() ? Expr(Param(name)) : Expr(found->second);
}

}  // namespace hone
