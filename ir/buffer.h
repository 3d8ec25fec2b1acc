// Memory and sizes for running IR on the host.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/stmt.h"

namespace hone {

/// Values of the params, by name.
using Sizes = std::map<std::string, int64_t, std::less<>>;

/// A dense tensor in host memory, elements in the order of its layout.
struct Buffer {
  DType type = DType::f32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  Buffer() = default;
  /// Zero-filled. Throws std::length_error where the size overflows or an extent is negative.
  Buffer(DType type, std::vector<int64_t> shape);

  int64_t size() const;  ///< number of elements
  /// Element by position in memory: floats as they are, integers and bools converted.
  double get(int64_t position) const;
  void set(int64_t position, double value);
};

using Buffers = std::map<std::string, Buffer, std::less<>>;

/// Type and shape: "f32[4, 8]".
std::string to_string(DType type, llvm::ArrayRef<int64_t> shape);

/// Memory of a dense tensor. Throws std::length_error where that overflows or an extent is
/// negative.
int64_t byte_count(DType type, llvm::ArrayRef<int64_t> shape);

/// How many elements of a dense tensor lie between neighbours along each dimension.
std::vector<int64_t> element_strides(llvm::ArrayRef<int64_t> shape, const Layout& layout);

}  // namespace hone
