// The CUDA text of what orders the roles of a block: mbarriers, and the registers of each role.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// The call that stands for the statement, one of those on mbarriers or on registers.
std::string cuda_role_statement(const KernelStmt& stmt, const CText& text);

/// The functions that these calls name, as many as the kernel needs.
std::string cuda_role_helpers(const KernelFunction& kernel);

}  // namespace hone
