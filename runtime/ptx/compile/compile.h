// PTX as it is written -> PTX as it runs.
#pragma once

#include <memory>

#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

/// Functions with forms that are not known have a text about these in Code::unsupported, and cannot
/// be run.
std::shared_ptr<const Program> compile(std::shared_ptr<const Module> module,
                                       const Addresses& addresses);

/// The bytes of local memory that a thread needs which begins in the function: those of the deepest
/// calls, and more where calls are recursive or by address.
int64_t local_bytes(const Program& program, size_t function);

/// The forms that the function, or one that it may call, has and that are not known.
std::string unsupported_forms(const Program& program, size_t function);

/// True if blocks wait for all others of the grid in the function, or in one that it may call.
bool has_grid_barrier(const Program& program, size_t function);

}  // namespace hone::ptx
