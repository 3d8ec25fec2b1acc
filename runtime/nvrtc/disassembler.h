// Machine code as text, by the tools of a CUDA toolkit.
#pragma once

#include <string>
#include <string_view>

namespace hone {

/// The instructions of a cubin, by cuobjdump or nvdisasm: those of $PATH, $CUDA_HOME, $CUDA_PATH or
/// /usr/local/cuda. Throws RuntimeError where there is neither, and with its words where it fails.
std::string disassemble(std::string_view cubin);

}  // namespace hone
