// The text of statements whose order a loop keeps: calls of functions of one instruction each.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// "multiply_add(C_reg[i], x, y);"
std::string cuda_multiply_add(const std::string& sum, const std::string& x, const std::string& y);

/// "load_shared_4(&T_reg[0], T_at + k * 64);", of so many elements.
std::string cuda_load_shared(const std::string& to, const std::string& from, int64_t count);

/// The functions that the kernel calls.
std::string cuda_ordered_helpers(const KernelFunction& kernel);

}  // namespace hone
