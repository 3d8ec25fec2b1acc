// Private to runtime/: the header of a .npy file, which is a Python dictionary in text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/scalar/type.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone {

struct NpyHeader {
  DType type = DType::f32;
  std::string elements;  ///< as NumPy has them, without the byte order: "f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Elements that a reader takes: those that Hone has a type for, or all, where a type of as many
/// bytes holds the others.
enum class NpyElements : uint8_t { own, all };

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. Throws RuntimeError.
NpyHeader parse_npy_header(const std::string& path, std::string_view text, NpyElements taken);

/// The header of an array in C order, without padding. Throws RuntimeError for types that have no
/// .npy form.
std::string npy_header_text(const std::string& path, DType type, llvm::ArrayRef<int64_t> shape);

/// The text in quotes, with \x93 for what cannot be printed.
std::string printable(std::string_view text);

}  // namespace hone
