// The binaries that nvcc puts into a program: PTX and machine code for several GPUs in one piece.
#pragma once

#include <string>
#include <vector>

namespace hone::cudart {

/// A text of a fat binary, and the version of compute capability that it is for: 90.
struct PtxText {
  int capability = 0;
  std::string text;
};

/// The PTX texts in the piece that begins at `data`, in order; machine code is left out. Throws
/// RuntimeError where this is no fat binary, or where a text is packed in a way that is not known.
std::vector<PtxText> ptx_texts(const void* data);

/// The PTX to run of what the program gives to __cudaRegisterFatBinary. Of several versions of one
/// text it is the newest up to compute capability 9.0; of a program in several objects, their texts
/// linked. Throws RuntimeError where there is none, and says how to compile for it.
std::string ptx_of_wrapper(const void* wrapper);

}  // namespace hone::cudart
