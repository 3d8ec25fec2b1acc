#include "ir/schedule/owner.h"

#include "fmt/format.h"

namespace hone {
namespace {

std::string place_under(const Preconditions& check, const For& loop) {
  return fmt::format("{} {} or inside it", check.placing(), loop.axis->name);
}

}  // namespace

void check_one_thread(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.is_parallel())
      check.refuse(inner,
                   fmt::format("{} is bound to {} inside {}: a tile of {} would belong to several "
                               "threads",
                               inner->axis->name, to_string(inner->binding), site.loop().axis->name,
                               tensor->name),
                   place_under(check, *inner));
}

void check_one_block(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  const auto& axis = site.loop().axis->name;
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.kind == Binding::Kind::block)
      check.refuse(inner,
                   fmt::format("{} is bound to {} inside {}: a tile of {} would belong to several "
                               "blocks",
                               inner->axis->name, to_string(inner->binding), axis, tensor->name),
                   place_under(check, *inner));
  auto nest = site.enclosing_loops();
  llvm::append_range(nest, loops_of(site.statement));
  for (const For* loop : nest)
    if (loop->binding.kind == Binding::Kind::parallel)
      check.refuse(loop,
                   fmt::format("{} is bound to parallel, and only the threads of a block have "
                               "shared memory",
                               loop->axis->name),
                   "registers give each iteration a tile of its own");
}

bool is_used(const Accesses& accesses, const TensorPtr& tensor) {
  const auto* first =
      llvm::find_if(accesses, [&](const MemoryAccess& a) { return a.tensor == tensor; });
  return first->guards.empty() && llvm::all_of(first->inner, [](const auto& range) {
           return as_int(range.second).value_or(0) > 0;
         });
}

}  // namespace hone
