// An argument of a kernel as a user writes it: "f32:random:N", "i32:N*4", "alias:1+64",
// "struct:(i32:N, f32:ones:N)".
#pragma once

#include "tools/cli/cuda/element.h"
#include "tools/cli/cuda/formula.h"

namespace hone {

enum class ArgumentKind : uint8_t {
  scalar,     ///< its bytes; also a null pointer
  array,      ///< memory of its own, which the pointer leads to
  alias,      ///< a pointer into the array of another argument
  structure,  ///< its members
};

struct LaunchArgument {
  std::string text;  ///< as written
  ArgumentKind kind = ArgumentKind::scalar;
  const ElementType* type = nullptr;  ///< of an array or a number; null for others
  std::vector<std::byte> bytes{};     ///< of a scalar
  ElementArray array{};
  /// Nothing has written the array's elements: they are NaN, or integers that nobody expects.
  bool is_unset = false;
  std::string target{};  ///< of an alias: the argument, by its name or its number from 1
  int64_t offset = 0;    ///< of a pointer, in bytes from the begin of its array
  std::vector<LaunchArgument> members{};  ///< of a struct
  int64_t place = 0;                      ///< of a member, in bytes from the begin of the struct

  /// In bytes, as the kernel gets it; the alignment is the natural one, and 1 of bytes:HEX.
  int64_t size() const;
  int64_t alignment() const;
};

/// Reads it. Random elements depend on the seed and on the number of the argument, which is from 1:
/// floats are multiples of 1/128 in [-1, 1), integers are in -8..7, unsigned ones in 0..15. Throws
/// UsageError where the text is not understood, RuntimeError for a file.
LaunchArgument read_launch_argument(const std::string& text, const Sizes& sizes, uint64_t seed,
                                    unsigned number);

}  // namespace hone
