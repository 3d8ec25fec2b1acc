// set_layout(A.shared, Layout::order({1, 0}).pad(4)): where the elements of a tensor lie.
//
//   alloc A.shared: f32[128, 8] @shared   =>   alloc A.shared: f32[128, 8] @order(1, 0) @pad(4)
//                                                @shared
//
// Preserves: everything; reads and writes name elements by their indices, whatever the layout.

#include "ir/layout.h"

#include "fmt/format.h"
#include "ir/rename.h"
#include "ir/schedule/primitives.h"
#include "ir/schedule/rebuild.h"
#include "ir/schedule/vectors.h"

namespace hone {
namespace {

const StmtNode* alloc_of(const Function& function, const TensorPtr& tensor) {
  return find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor == tensor;
  });
}

}  // namespace

Rewrite set_layout(const Function& function, const TensorPtr& tensor, const Layout& layout) {
  // Preconditions
  const Preconditions check("layout", function);
  const StmtNode* alloc = alloc_of(function, tensor);
  if (!alloc)
    check.refuse(
        nullptr,
        fmt::format("{} is an argument, whose layout is part of its declaration", tensor->name),
        "a schedule lays out the tiles that it makes");
  if (layout.row_pitch.defined())
    check.refuse(alloc, fmt::format("{} has a pitch of its own", tensor->name),
                 "say pad: the elements between the rows");
  const TensorPtr laid_out = with_layout(*tensor, layout);
  if (const auto problem = layout_problem(*laid_out))
    check.refuse(alloc, fmt::format("the layout of {}: {}", tensor->name, *problem));

  // Rewrite
  Function result = rebuild(function, replace_tensor(function.body, tensor.get(), laid_out));

  // Postcondition: what was vectorised still is.
  check_vectors(check, result, alloc);
  return {std::move(result), {}, laid_out};
}

}  // namespace hone
