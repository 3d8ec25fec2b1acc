// Random small programs, built through the DSL, with results that are exact in their types.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/program.h"
#include "ir/interpret/buffer.h"
#include "tests/support/random/random.h"

namespace hone {

struct RandomProgram {
  std::optional<Program> program;
  /// The C++ that makes it, up to `Program program(...);`.
  std::string text;
  /// Values for its params to try, and for S, which may be a factor of a split and is not 0.
  std::vector<Sizes> sizes;
  std::vector<Definition> definitions;
  /// Tensors whose elements say where something is: they are in 0..extent.
  std::map<std::string, Expr> places = {};
  bool is_long = false;                 ///< has tens of thousands of iterations
  std::set<std::string> features = {};  ///< for the statistics: "scatter", "gather", "f16"

  const Function& function() const { return program->function(); }
};

/// One to three definitions over one to five axes: products of matrices, stencils, convolutions,
/// transposes, and anything else, with indices such as A(j, i), A(i + 1), A(N - 1 - i), A(i + k),
/// A(i / 2), epilogues behind reductions, and tensors in many layouts.
RandomProgram random_program(Random& random, llvm::StringRef name);

/// Inputs are integers of at most this magnitude.
inline constexpr int64_t input_bound = 2;

/// Storage for a tensor, laid out as the tensor is.
Buffer buffer_for(const TensorNode& tensor, const Sizes& sizes);

/// Buffers for the arguments of a function, filled with small integers that depend on `seed`, the
/// argument's name and the position in memory. Those of `places` are in 0..extent.
Buffers random_buffers(const Function& function, const Sizes& sizes, uint64_t seed,
                       const std::map<std::string, Expr>& places = {});

}  // namespace hone
