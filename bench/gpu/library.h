// Libraries that rungs are compared with, opened at run time.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"

namespace hone {

struct Library {
  enum class Kind {
    cub,      ///< sums by CUB, in the library that bench/library/cub_sum.cu makes
    cublas,   ///< products by cuBLAS: of f32 in pedantic mode, of narrower floats with sums of f32
    cublaslt  ///< products by cuBLASLt, in the same types, and of floats of 8 bits
  };
  Kind kind;
  std::string path;  ///< or the name that the loader searches for

  /// The option that names the library, and its column in tables.
  const char* option() const;
  const char* side() const;
  /// True if the library does the work of the contest.
  bool is_comparable(const Contest& contest) const;
  /// "13.1.0, libcublas.so.13"; the path alone where the library does not tell a version.
  std::string describe() const;
};

/// Contenders for a comparable contest: one, or those that the library proposes, the fastest of
/// which is to be taken. Needs a GPU. Throws RuntimeError where the file is not that library.
std::vector<Contender> library_contenders(const Library& library, const Contest& contest,
                                          const Sizes& sizes, const Target& target);

}  // namespace hone
