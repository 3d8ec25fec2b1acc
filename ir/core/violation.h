// Private to the verifier: the exception by which a check ends.
#pragma once

#include <string>

#include "fmt/format.h"

namespace hone {

/// A broken rule; `verify` catches it.
struct Violation {
  std::string message;
};

template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw Violation{fmt::format(format, std::forward<Arguments>(arguments)...)};
}

/// Evaluates the arguments in any case; `fail` is for those that are long to spell.
template <class... Arguments>
void require(bool condition, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (!condition) fail(format, std::forward<Arguments>(arguments)...);
}

}  // namespace hone
