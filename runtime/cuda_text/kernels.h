// The kernels of PTX, with what the CUDA text says about them.
#pragma once

#include <string>
#include <vector>

#include "runtime/cuda_text/sources.h"

namespace hone::ptx {

/// A parameter of a kernel as CUDA has it. Texts are empty where they are not known.
struct KernelArgument {
  std::string type;  ///< "float const*"
  std::string name;  ///< "x"
};

struct NamedKernel {
  std::string entry;      ///< in PTX: "_Z4gemmILi4EEvPf"
  std::string name;       ///< "gemm<4>", "a::k"
  std::string signature;  ///< "gemm<4>(float*)"; of a kernel with C linkage its name
  std::vector<KernelArgument> arguments;
};

/// The kernels that are compiled, in the order of the PTX. `sources` may be null.
std::vector<NamedKernel> kernels_in(llvm::StringRef ptx, const Sources* sources);

/// Kernels that are templates: "gemm<int BM, class T>".
std::vector<std::string> kernel_templates(const Sources& sources);

/// "gemm" of "a::gemm<4>".
llvm::StringRef base_name(llvm::StringRef name);

/// True if a kernel of that name is no template.
bool has_plain_kernel(const Sources& sources, llvm::StringRef name);

/// True if the words name the kernel: "k" and "a::k" for a::k, "gemm" for gemm<4>, "_Z1kv".
bool is_named(const NamedKernel& kernel, llvm::StringRef words);

}  // namespace hone::ptx
