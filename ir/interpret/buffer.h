// Memory and sizes for running IR on the host.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/core/stmt.h"

namespace hone {

/// Values of the params, by name.
using Sizes = std::map<std::string, int64_t, std::less<>>;

/// A tensor in host memory, its elements where its layout puts them.
struct Buffer {
  DType type = DType::f32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  Buffer() = default;
  /// Dense and zero-filled. Throws std::length_error where the size overflows or an extent is
  /// negative.
  Buffer(DType type, std::vector<int64_t> shape);
  /// With room for rows that lie `row_pitch` elements apart; `fastest` is the dimension of a row.
  Buffer(DType type, std::vector<int64_t> shape, size_t fastest, int64_t row_pitch);

  int64_t size() const;  ///< number of elements of the storage
  /// Element by position in memory: floats as they are, integers and bools converted; of a pair,
  /// its first (0) or second (1) number.
  double get(int64_t position, unsigned component = 0) const;
  void set(int64_t position, double value, unsigned component = 0);

 private:
  struct Number {
    DType type;
    int64_t offset;  ///< in bytes
  };
  Number number(int64_t position, unsigned component) const;
};

using Buffers = std::map<std::string, Buffer, std::less<>>;

/// Type and shape: "f32[4, 8]".
std::string to_string(DType type, llvm::ArrayRef<int64_t> shape);

/// Memory of a dense tensor. Throws std::length_error where that overflows or an extent is
/// negative.
int64_t byte_count(DType type, llvm::ArrayRef<int64_t> shape);

/// The storage of a tensor for given sizes.
struct StorageShape {
  std::vector<int64_t> shape;    ///< extents, by dimension
  std::vector<int64_t> strides;  ///< elements between neighbours along each dimension
  int64_t elements = 1;          ///< of the storage, gaps between rows included
};

/// Evaluates shape and pitch. Swizzles and digits of indices, which only shared memory has, are
/// left out: they change where elements lie, and no value. Throws what `evaluate` throws.
StorageShape storage_shape(const TensorNode& tensor, const Sizes& sizes);

}  // namespace hone
