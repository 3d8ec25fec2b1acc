// The text of kernel IR as a kernel, for tests of passes and of devices.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// "kernel name[M](A: f32[M]) grid(...) block(...) @index32 { ... }". Inside the braces a global
/// argument has one dimension, the product of its extents. Throws ParseError: see ir/text/parser.h.
KernelFunction parse_kernel(llvm::StringRef text);

/// The kernels of a text, one after the other: those of a program that has several. There is one at
/// least. Throws ParseError, also where two have one name.
llvm::SmallVector<KernelFunction, 1> parse_kernels(llvm::StringRef text);

}  // namespace hone
