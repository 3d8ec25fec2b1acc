// set_layout(A.shared, Layout::order({1, 0}).pad(4)): where the elements of a tensor lie.
//
//   alloc A.shared: f32[128, 8] @shared   =>   alloc A.shared: f32[128, 8] @order(1, 0) @pad(4)
//                                                @shared
//
// align(A.shared, 128): the storage of a tensor starts at a multiple of 128 bytes.
//
//   alloc A.shared: f32[32, 32] @shared   =>   alloc A.shared: f32[32, 32] @shared @align(128)
//
// Preserves: everything; reads and writes name elements by their indices, whatever the layout.

#include "ir/core/layout.h"

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/temporaries.h"
#include "ir/target/alignment.h"
#include "ir/traverse/rename.h"

namespace hone {
Rewrite set_layout(const Function& function, const TensorPtr& tensor, const Layout& layout) {
  // Preconditions
  const Preconditions check("layout", function, tensor);
  const Alloc* alloc = find_alloc(function.body, tensor);
  if (!alloc)
    check.refuse(
        nullptr,
        fmt::format("{} is an argument, whose layout is part of its declaration", tensor->name),
        "a schedule lays out the tiles that it makes");
  if (tensor->scope == Scope::registers)
    check.refuse(alloc, "registers have no addresses, and no layout");
  const TensorPtr laid_out = with_layout(*tensor, layout);
  if (tensor->scope == Scope::global)
    check_temporary_layout(check, function, alloc, *laid_out);
  else
    check_shared_tile(check, alloc, *laid_out, tensor->name, "pad less, or cache smaller tiles");

  // Rewrite
  Function result = rebuild(function, replace_tensor(function.body, tensor.get(), laid_out));

  // Postcondition: what was vectorised still is.
  check_promises(check, function, result, alloc);
  return {std::move(result), {}, laid_out};
}

const Primitive layout_primitive = {
    .name = "layout",
    .arguments = {argument::tensor, argument::layout},
    .apply = [](const Function& f, const Step& s) { return set_layout(f, s.tensor, s.layout); },
};

Rewrite align(const Function& function, const TensorPtr& tensor, int64_t bytes) {
  // Preconditions
  const Preconditions check("align", function, tensor);
  const Alloc* alloc = find_alloc(function.body, tensor);
  if (!alloc)
    check.refuse(nullptr,
                 fmt::format("{} is an argument, which lies where callers put it", tensor->name),
                 "assume_aligned says what they promise");
  const TensorPtr aligned = with_alignment(*tensor, bytes);
  if (const auto problem = alignment_problem(*aligned))
    check.refuse(alloc, fmt::format("the alignment of {}: {}", tensor->name, *problem));
  if (bytes < vector_alignment)
    check.refuse(alloc, fmt::format("{} starts at a multiple of {} bytes in any case", tensor->name,
                                    vector_alignment));

  // Rewrite
  Function result = rebuild(function, replace_tensor(function.body, tensor.get(), aligned));

  // Postcondition: there is the room.
  check_promises(check, function, result, alloc);
  return {std::move(result), {}, aligned};
}

const Primitive align_primitive = {
    .name = "align",
    .arguments = {argument::tensor, argument::count},
    .apply = [](const Function& f, const Step& s) { return align(f, s.tensor, s.count); },
};

}  // namespace hone
