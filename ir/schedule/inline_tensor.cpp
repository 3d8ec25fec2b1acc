// inline_tensor(T): the definition of an element of a temporary takes the place of its reads.
//
//   alloc T: f32[M, N] @global
//   for i in 0..M
//     for j in 0..N                            for i.Y in 0..M
//       T[i, j] = A[i, j] * 2.0        =>        for j.Y in 0..N
//   for i.Y in 0..M                                Y[i.Y, j.Y] = A[j.Y, i.Y] * 2.0 + 1.0
//     for j.Y in 0..N
//       Y[i.Y, j.Y] = T[j.Y, i.Y] + 1.0
//
// Preserves: values.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/producer.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The element as a function of the axes; all at once, since indices may mention any axis.
Expr element_at(const Producer& producer, const Expr& value, llvm::ArrayRef<Expr> indices) {
  return transform(value, [&](const Expr& part) -> Expr {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return {};
    for (auto [loop, index] : llvm::zip(producer.loops, indices))
      if (loop->axis == reference->axis) return index;
    return {};
  });
}

/// The one store that defines an element.
const Store& definition_of(const Preconditions& check, const Producer& producer) {
  const std::string& name = producer.tensor->name;
  const auto* store = llvm::dyn_cast<Store>(producer.body);
  if (!store)
    check.refuse(producer.stmts.front().get(),
                 fmt::format("an element of {} is not defined by one expression", name),
                 fmt::format("compute_at({}, axis) computes elements where they are read", name));
  if (store->update != Update::set)
    check.refuse(store, fmt::format("{} is updated, and never set", name));
  return *store;
}

}  // namespace

Rewrite inline_tensor(const Function& function, const TensorPtr& tensor) {
  // Preconditions
  const Preconditions check("inline_tensor", function, tensor);
  check_temporary(check, function, tensor);
  const Producer producer = find_producer(check, function, tensor);
  const Store& definition = definition_of(check, producer);
  check_not_cached(check, uses_of(function, producer));
  check_operands_stay(check, function, producer);

  // Rewrite
  const Stmt readers = without_producer(function.body, producer);
  const Stmt inlined = transform_exprs(readers, [&](const Expr& expr) -> Expr {
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (!load || load->tensor != tensor) return {};
    return element_at(producer, definition.value, load->indices);
  });

  // Postcondition: the tensor is gone.
  Function result = rebuild(function, inlined);
  check_promises(check, function, result, &definition);
  return {std::move(result), {}, nullptr};
}

const Primitive inline_tensor_primitive = {
    .name = "inline_tensor",
    .arguments = {argument::tensor},
    .apply = [](const Function& f, const Step& s) { return inline_tensor(f, s.tensor); },
};

}  // namespace hone
