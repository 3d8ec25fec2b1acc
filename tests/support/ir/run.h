// Running IR text on small buffers.
#pragma once

#include <functional>
#include <stdexcept>

#include "ir/interpret/interpreter.h"

namespace hone {

using Values = std::vector<double>;

/// A pair takes two of the values.
Buffer buffer_of(DType type, std::vector<int64_t> shape, const Values& values);
Buffer vector_of(const Values& values, DType type = f32);
/// 1, 2, 3... in the order of memory; of pairs, (1, 2), (3, 4)...
Buffer counting(DType type, std::vector<int64_t> shape);
/// Two in a pair, else one.
unsigned numbers_in(DType type);
/// Two of each pair.
Values values_of(const Buffer& buffer);
/// Sets each number of the buffer to the next that `next` gives.
void fill_with(Buffer& buffer, llvm::function_ref<double()> next);

/// Runs the function `text`, with the sizes that the buffers give it, and returns what is in `C`.
Values run(llvm::StringRef text, Buffers buffers);

/// The message of the error that `action` throws, without its place, or "no error".
template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if constexpr (std::is_base_of_v<LocatedError, Error>) return error.message();
    return error.what();
  }
  return "no error";
}

/// The message of the InterpretError of `run`.
std::string interpret_error(llvm::StringRef text, Buffers buffers);

}  // namespace hone
