#include "codegen/lower.h"

#include "codegen/kernel_before.h"
#include "codegen/named_registers.h"
#include "codegen/pass/last_block.h"
#include "codegen/pass/passes.h"
#include "codegen/pass/roles.h"
#include "codegen/run_passes.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/nests.h"
#include "ir/analysis/site.h"
#include "ir/core/error.h"
#include "ir/opcodes/opcodes.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

void simplify_body(KernelFunction& kernel) {
  if (kernel.body.same_as(kernel.simplified)) return;
  kernel.body = simplify(kernel.body, facts_in(kernel));
  kernel.simplified = kernel.body;
}

constexpr KernelForm flat = KernelForm::flat, thread = KernelForm::thread;

/// On the threads of a block as a whole.
constexpr Pass block_passes[] = {
    {"combine reductions", combine_reductions},
    {"issue instructions", issue_instructions},
    {"deal registers", deal_registers},
    {"share copies", share_copies},
    {"widen copies", widen_copies},
    {"simplify loops", simplify_body},
    {"complete collectives", complete_collectives},
    {"plan shared memory", plan_shared_memory},
    {"place waits", place_waits},
    {"group copies", commit_groups},
    {"start stores", start_stores},
};

/// On the threads of a role, as far as warps have roles.
constexpr Pass role_passes[] = {
    {"peel loops", peel_loops},
    {"expand copies", expand_copies},
    {"simplify copies", simplify_body},
    {"map threads", map_threads},
};

/// On one thread.
constexpr Pass thread_passes[] = {
    {"keep divisors positive", keep_divisors_positive},
    {"hoist guards", hoist_guards},
    {"name indices", name_indices},
    {"vectorize accesses", vectorize_accesses},
    {"flatten accesses", flatten_accesses, thread},
    {"simplify", simplify_body, thread},
    {"give registers to names", give_registers_to_names, thread},
    {"choose index width", choose_index_width, thread},
    {"trust the order", trust_order, thread},
    {"widen indices", widen_indices, thread},
};

constexpr Pass host_passes[] = {
    {"make copies at once", make_copies_at_once},
    {"expand copies", expand_copies},
    {"simplify loops", simplify_body},
    {"clip loops", clip_loops},
    {"flatten accesses", flatten_accesses, flat},
    {"simplify", simplify_body, flat},
    {"give registers to names", give_registers_to_names, flat},
    {"widen indices", widen_indices, flat},
};

/// In their order; role by role, where warps have roles.
void run_all_passes(KernelFunction& kernel) {
  if (!loop_with_roles(kernel.body)) {
    llvm::SmallVector<Pass, 24> passes;
    for (const llvm::ArrayRef<Pass> part :
         {llvm::ArrayRef<Pass>(block_passes), llvm::ArrayRef<Pass>(role_passes),
          llvm::ArrayRef<Pass>(thread_passes)})
      passes.append(part.begin(), part.end());
    return run_passes(passes, kernel);
  }
  run_passes(block_passes, kernel);
  if (loop_with_roles(kernel.body)) {
    auto slices = slices_by_role(kernel);
    for (RoleSlice& slice : slices) run_passes(role_passes, slice.kernel);
    join_roles(kernel, slices);
  } else {  // no iteration was left of it
    run_passes(role_passes, kernel);
  }
  run_passes(thread_passes, kernel);
}

void check_instructions(const Function& function) {
  for (const For* loop : loops_of(function.body)) {
    if (!loop->binding.opcode) continue;
    const InstructionMatch match = match_exactly(*loop);
    if (!match.instr.defined())
      throw ScheduleError("compile", match.problem, match.way_out).mark(function, loop);
  }
}

void check_target(const Function& function) {
  for (const For* loop : loops_of(function.body))
    if (loop->binding.kind == Binding::Kind::parallel)
      throw ScheduleError(
          "compile",
          fmt::format("{} is bound to parallel, which runs on the CPU", loop->axis->name),
          "compile for the host, or bind to blocks and threads")
          .mark(function, loop);
  check_instructions(function);
}

bool uses(const Expr& expr, const ParamPtr& param) {
  return any_of(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    return reference && reference->param == param;
  });
}

/// True if the nest, or the layout of an argument, mentions the param.
bool needs(const KernelFunction& kernel, const ParamPtr& param) {
  const auto uses_it = [&](const Expr& expr) { return uses(expr, param); };
  return any_expr_of(kernel.body, uses_it) ||
         llvm::any_of(kernel.arguments, [&](const TensorPtr& tensor) {
           const Expr& pitch = tensor->layout.row_pitch;
           return llvm::any_of(tensor->shape, uses_it) || (pitch.defined() && uses_it(pitch));
         });
}

/// True if all params of the condition are among the kernel's.
bool is_known(const Expr& condition, const KernelFunction& kernel) {
  return !any_of(condition, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    return reference && !llvm::is_contained(kernel.params, reference->param);
  });
}

/// True of a nest whose lanes have places of their own in a block: they exchange values, are digits
/// of its numbers, or run an instruction together.
bool places_lanes(const Stmt& nest) {
  return llvm::any_of(loops_of(nest), [](const For* loop) {
    if (loop->binding.opcode) return is_of_lanes(*loop->binding.opcode);
    return is_thread_loop(*loop) &&
           (loop->binding.combine.uses_warps() || !loop->binding.digit.is_whole());
  });
}

/// True if both nests can share the block of the second one.
bool fit_in_one_block(const Stmt& setup, const Stmt& nest) {
  if (!places_lanes(nest) && !places_lanes(setup)) return true;
  const auto own = block_of(nest), shared = block_of(Seq::make({setup, nest}));
  return !places_lanes(setup) &&
         std::equal(own.begin(), own.end(), shared.begin(),
                    [](const Expr& one, const Expr& other) { return equal(one, other); });
}

/// A nest that sets up the results of blocks of the next one belongs to that.
llvm::SmallVector<Stmt, 4> with_setups_joined(llvm::ArrayRef<Stmt> nests) {
  llvm::SmallVector<Stmt, 4> joined;
  for (const Stmt& nest : nests) {
    const bool joins =
        !joined.empty() &&
        (sets_up_last_block(joined.back(), nest) || sets_up_only_block(joined.back(), nest)) &&
        fit_in_one_block(joined.back(), nest);
    if (joins)
      joined.back() = Seq::make({joined.back(), nest});
    else
      joined.push_back(nest);
  }
  return joined;
}

/// Tensors that lowering has added to a kernel's arguments are allocated by callers.
void adopt_workspace(const KernelFunction& kernel, Module& module) {
  llvm::SmallVector<TensorPtr, 2> counters;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const Instr* arrive = as(stmt, op::arrive)) counters.push_back(arrive->places[1].tensor);
  });
  const auto is_counter = [&](const TensorPtr& tensor) {
    return llvm::any_of(counters, [&](const TensorPtr& c) { return c->id == tensor->id; });
  };
  for (const TensorPtr& tensor : kernel.arguments)
    if (!llvm::is_contained(module.arguments, tensor) &&
        !llvm::is_contained(module.temporaries, tensor))
      (is_counter(tensor) ? module.counters : module.temporaries).push_back(tensor);
}

/// Tensors that the nest touches, params that it or their layouts mention, and assumptions about
/// these.
KernelFunction make_kernel(const Module& module, const Stmt& nest, const Function& function) {
  KernelFunction kernel;
  kernel.may_alias = function.may_alias;
  kernel.history = function.history;
  kernel.resident_blocks = resident_blocks(nest);
  kernel.body = nest;
  for (const TensorPtr& tensor : module.arguments)
    if (names_tensor(nest, tensor.get())) kernel.arguments.push_back(tensor);
  for (const TensorPtr& tensor : module.temporaries)
    if (names_tensor(nest, tensor.get())) kernel.arguments.push_back(tensor);
  for (const ParamPtr& param : module.params)
    if (needs(kernel, param)) kernel.params.push_back(param);
  for (const Expr& assumption : function.assumptions)
    if (is_known(assumption, kernel)) kernel.assumptions.push_back(assumption);
  for (const auto& tensors : {module.temporaries, module.counters})
    for (const TensorPtr& tensor : tensors) kernel.taken_names.push_back(tensor->name);
  return kernel;
}

}  // namespace

Module lower(const Function& function, const LowerOptions& options) {
  check_target(function);
  Module module;
  module.name = function.name;
  module.params = function.params;
  module.arguments = function.arguments;
  module.index_checks = function.index_checks;
  const auto nests = with_setups_joined(nests_of(function.body, &module.temporaries));
  for (const Stmt& nest : nests) {
    KernelFunction kernel = make_kernel(module, nest, function);
    kernel.name = function.name;
    if (nests.size() > 1) kernel.name += fmt::format("_{}", module.kernels.size());
    kernel.index_bits = options.index_bits;
    run_all_passes(kernel);
    adopt_workspace(kernel, module);
    if (function.launches_early) kernel.body = with_wait_for_kernel_before(kernel.body);
    module.kernels.push_back(std::move(kernel));
  }
  return module;
}

Module lower_host(const Function& function) {
  Module module;
  module.name = function.name;
  module.params = function.params;
  module.arguments = function.arguments;
  module.index_checks = function.index_checks;
  KernelFunction kernel;
  kernel.name = function.name;
  kernel.params = function.params;
  kernel.arguments = function.arguments;
  kernel.may_alias = function.may_alias;
  kernel.assumptions = function.assumptions;
  kernel.history = function.history;
  kernel.index_bits = 64;
  kernel.grid = kernel.block = {1, 1, 1};
  kernel.body = function.body;
  while (const auto* alloc = llvm::dyn_cast<Alloc>(kernel.body)) {
    if (alloc->tensor->scope != Scope::global) break;
    module.temporaries.push_back(alloc->tensor);
    kernel.arguments.push_back(alloc->tensor);
    kernel.body = alloc->body;
  }
  run_passes(host_passes, kernel);
  module.kernels.push_back(std::move(kernel));
  return module;
}

}  // namespace hone
