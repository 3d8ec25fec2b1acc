// A lowered program as files that need no Hone: CUDA text, a C++ header that launches it, and the
// launch contract as JSON and for PyTorch.
#pragma once

#include "codegen/contract/launch_contract.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

/// The program under a name that all its symbols start with: a kernel is "<name>_kernel", the
/// second of several "<name>_kernel_1". Throws DefinitionError where the name is no identifier, or
/// one that belongs to C, C++ or CUDA.
Module under_name(Module module, const std::string& name);

/// The text of "<name>.cu": kernels, and the table by which the header finds them. Functions that
/// kernels call are static. NVRTC takes it too, and sees the kernels alone. Those that `is_bounded`
/// names keep to the registers that a block of theirs can have.
std::string export_cuda(
    const Module& module,
    llvm::function_ref<bool(const KernelFunction&)> is_bounded = [](const auto&) { return false; });

/// The text of "<name>.h": in namespace <name>, plan() computes and checks launch shapes,
/// workspace_bytes() the memory that kernels leave to each other, and launch() runs all on a
/// stream. It is C++17 and needs the CUDA runtime alone.
std::string export_header(const LaunchContract& contract);

/// The text of "<name>.json", as docs/launch-contract.md describes it.
std::string export_json(const LaunchContract& contract);

/// The text of "<name>.py", which runs the program on tensors of PyTorch: it reads the JSON and the
/// cubin beside it, and needs no compiler.
std::string export_python(const LaunchContract& contract);

}  // namespace hone
