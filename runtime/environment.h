// The process around us: environment variables and warnings on stderr.
#pragma once

#include <optional>
#include <string>

namespace hone {

/// The value of an environment variable; one that is set to nothing counts as unset.
std::optional<std::string> environment(const char* name);

/// Prints "hone: warning: <text>" to stderr, each text once in a process.
void warn_once(const std::string& text);

}  // namespace hone
