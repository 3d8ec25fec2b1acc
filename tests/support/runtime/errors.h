// The error that a call throws, as text.
#pragma once

#include <string>

#include "ir/core/location.h"

namespace hone {

/// The message of the exception of type Error that `call` throws, without its place; "nothing was
/// thrown" if it does not.
template <class Error, class Call>
std::string thrown_message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    if constexpr (std::is_base_of_v<LocatedError, Error>) return error.message();
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace hone
