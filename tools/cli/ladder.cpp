#include "tools/cli/ladder.h"

#include "ir/core/error.h"
#include "runtime/error.h"

namespace hone {

const Rung* built_on(const Ladder& ladder, const Rung& rung) {
  if (rung.builds_on.empty()) return nullptr;
  std::vector<std::string> known;
  for (const Rung& one : ladder.rungs) {
    if (one.name == rung.builds_on) return &one;
    known.push_back(one.name);
  }
  const std::string close = closest(rung.builds_on, known);
  throw RuntimeError("{}/{} builds on '{}', which is no rung of its ladder{}", ladder.name,
                     rung.name, rung.builds_on,
                     close.empty() ? "" : fmt::format("; did you mean '{}'?", close));
}

Sizes with_constants(Sizes fixed, const Sizes& expected, llvm::ArrayRef<std::string> names) {
  for (const std::string& name : names)
    if (const auto found = expected.find(name); found != expected.end()) fixed.insert(*found);
  return fixed;
}

Expr size_or_param(const Sizes& fixed, llvm::StringRef name) {
  const auto found = fixed.find(std::string_view(name.data(), name.size()));
  return found == fixed.end() ? Expr(Param(name)) : Expr(found->second);
}

}  // namespace hone
