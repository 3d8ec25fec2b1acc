#include "runtime/environment.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/error.h"

namespace hone {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

uint64_t number_in_environment(const char* name, uint64_t otherwise) {
  const std::optional<std::string> text = environment(name);
  uint64_t number = otherwise;
  if (text && llvm::StringRef(*text).getAsInteger(10, number))
    throw RuntimeError("{}={} is no number from 0 on", name, *text);
  return number;
}

void warn_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard lock(mutex);
  if (seen.insert(text).second) fmt::print(stderr, "hone: warning: {}\n", text);
}

}  // namespace hone
