// The meaning of a program, by its definitions: plain loops with an arithmetic of their own, apart
// from the functions that a program becomes and from what interprets those.
#pragma once

#include <stdexcept>

#include "dsl/program.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// A mistake that no correct program makes: an element outside of its tensor, an index beyond 64
/// bits, a division by zero.
class ReferenceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Computes the definitions in order, for the sizes, on buffers for what they read and define.
void compute(llvm::ArrayRef<Definition> definitions, const Sizes& sizes, Buffers& buffers);

}  // namespace hone
