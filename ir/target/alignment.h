// The addresses at which tensors may start in shared memory.
#pragma once

#include <optional>
#include <string>

#include "ir/core/expr.h"

namespace hone {

/// Bytes of the widest access that a thread makes: every shared tensor starts at a multiple.
inline constexpr int64_t vector_alignment = 16;

/// Bytes of the widest pattern that an address in shared memory takes part in.
inline constexpr int64_t widest_alignment = 1024;

/// Bytes, of which the address of a shared tensor is a multiple.
int64_t alignment_of(const TensorNode& tensor);

/// The reason that a tensor cannot have its alignment: "48 is no power of two"; nothing if it can.
std::optional<std::string> alignment_problem(const TensorNode& tensor);

}  // namespace hone
