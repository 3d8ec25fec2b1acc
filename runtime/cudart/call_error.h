// The error that a call of the CUDA runtime ends with.
#pragma once

#include <exception>
#include <string>

#include "cuda_runtime_api.h"
#include "fmt/format.h"

namespace hone::cudart {

/// Ends a call with an error. The message, where there is one, is for a person: it is printed once.
class CallError : public std::exception {
 public:
  explicit CallError(cudaError_t code) : code_(code) {}
  template <typename... Args>
  CallError(cudaError_t code, fmt::format_string<Args...> format, Args&&... args)
      : code_(code), message_(fmt::format(format, std::forward<Args>(args)...)) {}

  cudaError_t code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  cudaError_t code_;
  std::string message_;
};

/// "cudaErrorInvalidValue"; "unrecognized error code" where there is none.
const char* name_of_error(cudaError_t error);
/// "invalid argument"
const char* text_of_error(cudaError_t error);

}  // namespace hone::cudart
