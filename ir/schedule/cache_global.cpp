// cache_global(A, layout): the program reads a copy of an argument in global memory, laid out
// otherwise, which a nest of its own makes first.
//
//   for i in 0..M                       alloc A.global: f32[M, K] @pitch((K + 3) / 4*4) @global
//     reduce k in 0..K                  for A.global.0 in 0..M
//       C[i] += A[i, k]          =>       for A.global.1 in 0..K
//                                           A.global[A.global.0, A.global.1]
//                                               = A[A.global.0, A.global.1]
//                                       for i in 0..M
//                                         reduce k in 0..K
//                                           C[i] += A.global[i, k]
//
// The copy pays where rows of the argument lie at odd places: those of the copy may start at
// multiples of 16 bytes, as vectors and the copy engine want them.
//
// Preserves: everything. Nobody writes the argument.

#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/temporaries.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/tensors.h"

namespace hone {
namespace {

void check_only_read(const Preconditions& check, const Function& function,
                     const TensorPtr& tensor) {
  if (const Alloc* alloc = find_alloc(function.body, tensor))
    check.refuse(
        alloc, fmt::format("{} is no argument: the program writes it", tensor->name),
        fmt::format("layout({}, ...) chooses where the elements of a temporary lie", tensor->name));
  if (!touches(function.body, tensor))
    check.refuse(nullptr, fmt::format("nothing reads {}", tensor->name));
  for (const MemoryAccess& access : collect_accesses(function.body))
    if (access.tensor == tensor && access.writes)
      check.refuse(
          access.statement.get(),
          fmt::format("{} is written here, and its copy would not have that", tensor->name),
          "cache what the program only reads");
}

/// The nest that copies all elements.
Stmt copy_of(const TensorPtr& from, const TensorPtr& to, Names& names,
             llvm::SmallVectorImpl<AxisPtr>& axes) {
  llvm::SmallVector<Expr, 4> indices;
  for (unsigned dim = 0; dim < from->rank(); ++dim) {
    axes.push_back(make_axis(names.fresh(fmt::format("{}.{}", to->name, dim)), AxisKind::spatial));
    indices.push_back(AxisRef::make(axes.back()));
  }
  Stmt nest = Store::make(to, indices, Update::set, Load::make(from, indices));
  for (size_t dim = axes.size(); dim-- > 0;)
    nest = For::make(axes[dim], from->shape[dim], {}, nest);
  return nest;
}

}  // namespace

Rewrite cache_global(const Function& function, const TensorPtr& tensor, const Layout& layout) {
  // Preconditions
  const Preconditions check("cache_global", function, tensor);
  check_only_read(check, function, tensor);
  Names names(function);
  const TensorPtr copy = make_tensor(names.fresh(tensor->name + ".global"), tensor->type,
                                     tensor->shape, Scope::global, layout);
  check_temporary_layout(check, function, nullptr, *copy);

  // Rewrite
  llvm::SmallVector<AxisPtr, 4> axes;
  const Stmt nest = copy_of(tensor, copy, names, axes);
  const Stmt rest = replace_tensor(function.body, tensor.get(), copy);
  Function result = rebuild(function, Alloc::make(copy, Seq::make({nest, rest})));

  // Postcondition
  check_promises(check, function, result, nullptr);
  return {std::move(result), axes, copy};
}

const Primitive cache_global_primitive = {
    .name = "cache_global",
    .arguments = {argument::tensor, argument::any_layout},
    .made = {.tensor = true},
    .apply = [](const Function& f, const Step& s) { return cache_global(f, s.tensor, s.layout); },
};

}  // namespace hone
