// NumPy's .npy files: arrays in and out, to compare with other programs.
#pragma once

#include <string>

#include "runtime/array.h"

namespace hone {

/// Reads an array of format 1.0, 2.0 or 3.0 with elements f8 f4 f2 i8 i4 i1 u1 b1, little-endian.
/// An array in Fortran order becomes row-major. Throws RuntimeError that names the file, what it
/// holds and what was expected; the file's size must be exact.
AnyArray read_npy(const std::string& path, Location location = Location::current());

/// The array of a file with its elements as NumPy names them: "f4", "u2".
struct NpyArray {
  std::string elements;
  AnyArray bits;  ///< of those that Hone has no type for, u8 u4 u2 i2, as another type
};

/// Reads what read_npy reads, and u8 u4 u2 i2. Throws RuntimeError.
NpyArray read_npy_bits(const std::string& path, Location location = Location::current());

/// True if files can have elements of the type: numpy has no bf16, no floats of 8 bits, no tuples.
bool has_npy_form(DType type);

/// Writes the array, which may be on any device and of any layout, in C order. The file appears
/// whole or not at all. Throws RuntimeError where the file cannot be written, or the type has
/// no .npy form.
void write_npy(const std::string& path, const AnyArray& array,
               Location location = Location::current());

}  // namespace hone
