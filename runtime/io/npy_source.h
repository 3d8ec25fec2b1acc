// Private to runtime/: a .npy file, or the part of an archive that is one.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "runtime/array.h"

namespace hone {

/// Bytes that are read one after the other.
class Source {
 public:
  /// A regular file. Throws RuntimeError where it cannot be read.
  explicit Source(const std::string& path);
  /// `size` bytes of the file from `start` on, which errors call `name`.
  Source(const std::string& path, const std::string& name, uint64_t start, uint64_t size);

  /// Fills `target`. Throws RuntimeError where the source ends before.
  void read(void* target, size_t bytes, const char* what);

  size_t left() const { return left_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::ifstream stream_;
  size_t left_ = 0;
};

/// All of the source. Throws what read_npy throws.
AnyArray read_npy(Source& source);

/// The text before the elements of the array in a .npy file, which are row-major. Throws what
/// write_npy throws.
std::string npy_preamble(const std::string& path, const AnyArray& array);

}  // namespace hone
