// NumPy's .npz files: several named arrays in one file.
#pragma once

#include <map>
#include <string>

#include "runtime/array.h"

namespace hone {

/// The arrays of a file that numpy.savez wrote, by their names, each as read_npy has it. Throws
/// RuntimeError where the file is no archive, and where savez_compressed wrote it.
std::map<std::string, AnyArray> read_npz(const std::string& path,
                                         Location location = Location::current());

/// The array of that name. Throws RuntimeError where there is none, with the names that there are.
AnyArray read_npz(const std::string& path, const std::string& name,
                  Location location = Location::current());

/// Writes the arrays as numpy.savez does, row-major, each as write_npy has it. The file appears
/// whole or not at all. Throws RuntimeError where it cannot be written, for a type without a .npy
/// form, and where the file would have 4 GiB or more.
void write_npz(const std::string& path, const std::map<std::string, AnyArray>& arrays,
               Location location = Location::current());

}  // namespace hone
