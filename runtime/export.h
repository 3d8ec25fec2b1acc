// A scheduled program as a folder of files that need no Hone.
#pragma once

#include <string>
#include <vector>

#include "ir/core/location.h"
#include "ir/core/stmt.h"

namespace hone {

struct ExportOptions {
  std::string name = {};  ///< the start of all files and symbols; empty: the program's
  std::string arch = {};  ///< of the cubin and the PTX; empty: the GPU of this machine, else sm_90
  int index_bits = 0;     ///< 32, 64, or 0: what the constant sizes need
};

struct Exported {
  std::vector<std::string> files;  ///< paths, in the order of writing
  std::string without_cubin;       ///< the reason that there is no cubin; empty if there is one
};

/// Writes to `folder`, which is made where it is missing: `<name>.cu`, the kernels; `<name>.h`, a
/// C++ function that launches them; `<name>.json`, the launch contract; `<name>.py`, for PyTorch;
/// and, where there is NVRTC, `<name>.cubin` and `<name>.ptx`. Throws ScheduleError where the
/// schedule cannot run on a GPU, DefinitionError for a name that cannot be one, RuntimeError where
/// a file cannot be written or the architecture has too little shared memory.
Exported export_program(const Function& function, const std::string& folder,
                        const ExportOptions& options = {}, Location location = Location::current());

/// Writes four files that make a library: `<name>.cu`, the kernels and their launch; `<name>.h`,
/// which declares it; `CMakeLists.txt`, which builds it; and `<name>.py`, an operator of PyTorch,
/// which takes the arguments that `inputs` names and allocates the others. Throws what
/// export_program() throws, and DefinitionError for what PyTorch has no tensors of.
Exported export_library(const Function& function, const std::string& folder,
                        llvm::ArrayRef<std::string> inputs, const ExportOptions& options = {},
                        Location location = Location::current());

}  // namespace hone
