// Which step of a schedule the statements of its kernels come from.
#pragma once

#include "codegen/kernel.h"
#include "dsl/schedule.h"

namespace hone {

/// The number, from 0 on, of the step of the trace that a statement of the kernel is owed to;
/// nothing where that is the definition. It is the latest step that made
/// - a tensor that the statement mentions, of a barrier one of the shared tensors around it, of a
///   loop that lowering made one that is mentioned inside, or else
/// - the axis of the statement, where it has one, or else of one of the loops around it.
/// The kernel is lowered from the schedule's function, or a part of it.
std::optional<size_t> step_of(const Schedule& schedule, const KernelFunction& kernel,
                              const StmtNode* statement);
/// The same of the body of a kernel, or of the schedule's function.
std::optional<size_t> step_of(const Schedule& schedule, const Stmt& body,
                              const StmtNode* statement);

/// "step 6: auto A_shared = s.cache_shared(A, k_0);" counted from 1, or "the definition".
std::string origin_text(const Schedule& schedule, const KernelFunction& kernel,
                        const StmtNode* statement);

}  // namespace hone
