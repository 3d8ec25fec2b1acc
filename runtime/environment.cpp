#include "runtime/environment.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "fmt/format.h"

namespace hone {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

void warn_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard lock(mutex);
  if (seen.insert(text).second) fmt::print(stderr, "hone: warning: {}\n", text);
}

}  // namespace hone
