// The process around us: environment variables and warnings on stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hone {

/// The value of an environment variable; one that is set to nothing counts as unset.
std::optional<std::string> environment(const char* name);

/// The number that a variable is set to, or `otherwise`. Throws RuntimeError for what is none:
/// "HONE_RANDOM_SEED=many is no number from 0 on".
uint64_t number_in_environment(const char* name, uint64_t otherwise);

/// Prints "hone: warning: <text>" to stderr, each text once in a process.
void warn_once(const std::string& text);

}  // namespace hone
