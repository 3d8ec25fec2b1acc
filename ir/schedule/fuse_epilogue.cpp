// fuse_epilogue(D): a reduction and the use of its result become one nest, in the place of the
// second one.
//
//   alloc C: f32[M, N] @global
//   for i in 0..M
//     for j in 0..N                            for i in 0..M
//       C[i, j] = 0                              for j in 0..N
//       reduce k in 0..K                           D[i, j] = 0
//         C[i, j] += A[i, k] * B[k, j]     =>      reduce k in 0..K
//   for i.D in 0..M                                  D[i, j] += A[i, k] * B[k, j]
//     for j.D in 0..N                              D[i, j] = max(D[i, j] + E[j], 0)
//       D[i.D, j.D] = max(C[i.D, j.D] + E[j.D], 0)
//
// Axes that were called i.D because the reduction had an i are called i again.
//
// Preserves: values.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/producer.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The store that makes an element of the epilogue's tensor.
const Store& epilogue_store(const Preconditions& check, const Producer& epilogue) {
  const auto* store = llvm::dyn_cast<Store>(epilogue.body);
  if (!store || store->update != Update::set)
    check.refuse(epilogue.stmts.front().get(),
                 fmt::format("{} is more than a function of elements: its nest has several "
                             "statements, or an update",
                             epilogue.tensor->name),
                 "an epilogue is defined like D(i, j) = f(C(i, j), ...)");
  return *store;
}

bool is_reduced(const Function& function, const TensorPtr& tensor) {
  return llvm::any_of(statements_of(function.body), [&](const Stmt& stmt) {
    const auto loops = loops_of(stmt);
    return llvm::is_contained(tensors_written(stmt), tensor) &&
           llvm::any_of(loops, [](const For* loop) { return loop->is_reduction(); });
  });
}

/// The temporary that the epilogue reads and that is a reduction: there must be one.
TensorPtr reduction_read(const Preconditions& check, const Function& function, const Store& store) {
  llvm::SmallVector<TensorPtr, 2> reductions;
  for (const MemoryAccess& access : collect_accesses(Stmt(&store)))
    if (!access.writes && find_alloc(function.body, access.tensor) &&
        is_reduced(function, access.tensor) && !llvm::is_contained(reductions, access.tensor))
      reductions.push_back(access.tensor);
  if (reductions.empty())
    check.refuse(&store,
                 fmt::format("{} reads no temporary that is a reduction", store.tensor->name),
                 "inline_tensor(T) puts an elementwise T into what reads it");
  if (reductions.size() > 1)
    check.refuse(&store,
                 fmt::format("{} reads the reductions {} and {}, and one nest computes one of them",
                             store.tensor->name, reductions[0]->name, reductions[1]->name),
                 fmt::format("compute_at places them at a loop of {}", store.tensor->name));
  return reductions.front();
}

/// The sums stand in the epilogue's tensor until they are complete: what it held is gone.
void check_keeps_nothing(const Preconditions& check, const Producer& reduction,
                         const Producer& epilogue) {
  for (const MemoryAccess& access : collect_accesses(epilogue.body))
    if (!access.writes && access.tensor == epilogue.tensor)
      check.refuse(
          access.statement.get(),
          fmt::format("{} is read here, and one nest reduces {} in the elements of {}",
                      access.text(), reduction.tensor->name, epilogue.tensor->name),
          fmt::format("compute_at({}, {}) keeps them apart", reduction.tensor->name,
                      epilogue.loops.empty() ? "axis" : epilogue.loops.back()->axis->name));
}

/// Only the epilogue reads the result, each element for itself, and can hold it meanwhile.
void check_uses(const Preconditions& check, const Function& function, const Producer& reduction,
                const Producer& epilogue) {
  const TensorNode &result = *reduction.tensor, &made = *epilogue.tensor;
  for (const MemoryAccess& use : uses_of(function, reduction)) {
    if (!use.statement.same_as(epilogue.body))
      check.refuse(use.statement.get(),
                   fmt::format("{} is read here as well, and would be gone", result.name),
                   fmt::format("only {} may read it", made.name));
    const bool is_same = use.indices.size() == epilogue.loops.size() &&
                         llvm::all_of(llvm::zip(use.indices, epilogue.loops), [](const auto& pair) {
                           const auto* axis = llvm::dyn_cast<AxisRef>(std::get<0>(pair));
                           return axis && axis->axis == std::get<1>(pair)->axis;
                         });
    if (!is_same)
      check.refuse(use.statement.get(),
                   fmt::format("{} reads {}, which is not the element of {} that it makes",
                               made.name, use.text(), result.name),
                   "an epilogue is defined like D(i, j) = f(C(i, j), ...)");
  }
  if (result.type != made.type)
    check.refuse(
        epilogue.stmts.front().get(),
        fmt::format("{} is reduced in {}, and {} is {}: one nest reduces in one type", result.name,
                    name(result.type).str(), made.name, name(made.type).str()),
        fmt::format("compute_at({}, {}) keeps it in its type", result.name,
                    epilogue.loops.empty() ? "axis" : epilogue.loops.back()->axis->name));
}

/// The axis that a dimension of the fused nest runs over. A program that uses one axis in both
/// definitions has it under another name in the later one.
AxisPtr fused_axis(const For& reduction, const For& epilogue) {
  const bool is_one = epilogue.axis->roots == reduction.axis->roots;
  return is_one ? reduction.axis : epilogue.axis;
}

}  // namespace

Rewrite fuse_epilogue(const Function& function, const TensorPtr& tensor) {
  // Preconditions
  const Preconditions check("fuse_epilogue", function, tensor);
  const Producer epilogue = find_producer(check, function, tensor);
  check_unscheduled(check, epilogue);
  const Store& store = epilogue_store(check, epilogue);
  const Producer reduction = find_producer(check, function, reduction_read(check, function, store));
  check_unscheduled(check, reduction);
  check_keeps_nothing(check, reduction, epilogue);
  check_uses(check, function, reduction, epilogue);
  check_operands_stay(check, function, reduction);

  // Rewrite
  llvm::SmallVector<AxisPtr, 4> axes;
  Stmt reduce = reduction.body, finish = epilogue.body;
  for (auto [inner, outer] : llvm::zip(reduction.loops, epilogue.loops)) {
    axes.push_back(fused_axis(*inner, *outer));
    reduce = substitute(reduce, inner->axis.get(), AxisRef::make(axes.back()));
    finish = substitute(finish, outer->axis.get(), AxisRef::make(axes.back()));
  }
  Stmt nest = replace_tensor(Seq::make({reduce, finish}), reduction.tensor.get(), tensor);
  for (size_t dim = axes.size(); dim-- > 0;)
    nest = For::make(axes[dim], epilogue.loops[dim]->extent, {}, nest);
  const Stmt fused = replace(function.body, epilogue.stmts.front().get(), nest);

  // Postcondition: the reduction's own tensor is gone.
  Function result = rebuild(function, without_producer(fused, reduction));
  check_promises(check, function, result, epilogue.stmts.front().get());
  return {std::move(result), axes, tensor};
}

const Primitive fuse_epilogue_primitive = {
    .name = "fuse_epilogue",
    .arguments = {argument::tensor},
    .apply = [](const Function& f, const Step& s) { return fuse_epilogue(f, s.tensor); },
};

}  // namespace hone
