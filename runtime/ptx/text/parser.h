// Reads PTX.
#pragma once

#include <string_view>

#include "runtime/error.h"
#include "runtime/ptx/text/module.h"

namespace hone::ptx {

/// PTX that is not understood, or that does something that the simulated device has not got. The
/// message names each such form once, with its first line.
class PtxError : public RuntimeError {
  using RuntimeError::RuntimeError;
};

/// Reads PTX ISA 6.0 to 9.x: any text that ptxas takes, whatever its instructions do. Throws
/// PtxError with the line at the first mistake: "line 12: ...".
Module parse(std::string_view text);

}  // namespace hone::ptx
