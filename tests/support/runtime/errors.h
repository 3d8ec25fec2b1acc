// The error that a call throws, as text.
#pragma once

#include <string>

namespace hone {

/// The message of the exception of type Error that `call` throws; "nothing was thrown" if it does
/// not.
template <class Error, class Call>
std::string thrown_message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace hone
