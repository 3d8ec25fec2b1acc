// The CUDA text of asynchronous copies: cp.async, its groups, and the waits for these.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// The statement that starts the copy.
std::string cuda_copy_async(const AsyncCopy& copy, const CText& text);

std::string cuda_commit_group();
std::string cuda_wait_group(const WaitGroup& wait);

/// The functions that the kernel needs for them; empty where it has none.
std::string cuda_async_helpers(const KernelFunction& kernel);

}  // namespace hone
