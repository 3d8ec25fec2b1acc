// The CUDA text of what threads and blocks do together: shuffles, atomic updates, arrivals.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// The participants are the first `lanes` lanes of the warp: a number, or an expression.
std::string cuda_shuffle(const Shuffle& shuffle, const std::string& value,
                         const std::string& offset, const std::string& lanes);

/// A statement that updates the element.
std::string cuda_atomic(const Store& store, const Identifiers& names, const std::string& element,
                        const std::string& value);

/// The functions that the kernel needs for them, by its `names`; empty where CUDA has them all.
std::string cuda_helpers(const KernelFunction& kernel, const Identifiers& names,
                         const Dialect& dialect);

}  // namespace hone
