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

/// True of kernels that keep to the registers that a block of theirs can have.
using IsBounded = llvm::function_ref<bool(const KernelFunction&)>;

/// The text of "<name>.cu": kernels, and the table by which the header finds them. Functions that
/// kernels call are static. NVRTC takes it too, and sees the kernels alone.
std::string export_cuda(
    const Module& module, IsBounded is_bounded = [](const auto&) { return false; });

/// The text of "<name>.h": in namespace <name>, plan() computes and checks launch shapes,
/// workspace_bytes() the memory that kernels leave to each other, and launch() runs all on a
/// stream. It is C++17 and needs the CUDA runtime alone.
std::string export_header(const LaunchContract& contract);

/// The text of "<name>.json", as docs/launch-contract.md describes it.
std::string export_json(const LaunchContract& contract);

/// The text of "<name>.py", which runs the program on tensors of PyTorch: it reads the JSON and the
/// cubin beside it, and needs no compiler.
std::string export_python(const LaunchContract& contract);

// ---- The minimal form: a library of one source, and an operator of PyTorch ----------------------

/// The text of "<name>.h": declares launch() and workspace_bytes(), which "<name>.cu" defines.
std::string export_declarations(const LaunchContract& contract);

/// The text of "<name>.cu": the kernels, and launch() behind them.
std::string export_whole_cuda(
    const Module& module, const LaunchContract& contract,
    IsBounded is_bounded = [](const auto&) { return false; });

/// The text of "CMakeLists.txt", which makes a shared library of "<name>.cu" by nvcc with these
/// options, for the architecture "90a"; empty: for the GPU of the machine.
std::string export_cmake(const std::string& name, llvm::ArrayRef<std::string> options,
                         const std::string& architecture);

/// The text of "<name>.py": an operator of PyTorch by torch.library, which loads that library. It
/// takes the arguments that `inputs` names, and the sizes that their shapes do not give; it updates
/// those that the program writes, and allocates the others. Throws DefinitionError where no tensor
/// of PyTorch has the type of an argument.
std::string export_operator(const LaunchContract& contract, llvm::ArrayRef<std::string> inputs);

}  // namespace hone
