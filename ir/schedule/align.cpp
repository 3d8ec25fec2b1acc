// align(A.shared, 128): the storage of a tensor starts at a multiple of 128 bytes.
//
//   alloc A.shared: f32[32, 32] @shared   =>   alloc A.shared: f32[32, 32] @shared @align(128)
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/target/alignment.h"
#include "ir/traverse/rename.h"

namespace hone {

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
