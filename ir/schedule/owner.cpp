#include "ir/schedule/owner.h"

#include "fmt/format.h"
#include "ir/analysis/register_owners.h"
#include "ir/visit.h"

namespace hone {
namespace {

std::string place_under(const Preconditions& check, const For& loop) {
  return fmt::format("{} {} or inside it", check.placing(), loop.axis->name);
}

bool has_thread_loop(const Stmt& stmt) {
  return llvm::any_of(loops_of(stmt),
                      [](const For* loop) { return loop->binding.kind == Binding::Kind::thread; });
}

}  // namespace

void check_one_thread(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.is_parallel() && inner->binding.kind != Binding::Kind::thread)
      check.refuse(inner,
                   fmt::format("{} is bound to {} inside {}: a tile of {} would belong to several "
                               "{}",
                               inner->axis->name, to_string(inner->binding), site.loop().axis->name,
                               tensor->name,
                               inner->binding.kind == Binding::Kind::block ? "blocks" : "cores"),
                   place_under(check, *inner));
}

void check_register_owners(const Preconditions& check, const Function& result,
                           const StmtNode* culprit) {
  const Facts facts = facts_of(result.assumptions);
  walk(result.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::registers || !has_thread_loop(alloc->body)) return;
    const RegisterOwners owners = register_owners(alloc->tensor, alloc->body, facts);
    if (owners.conflict.empty()) return;
    check.refuse(culprit, owners.conflict,
                 fmt::format("{} lives outside of the loops of threads, each of which has its own "
                             "elements of it; threads exchange values in shared memory",
                             alloc->tensor->name));
  });
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

bool is_certain(const MemoryAccess& access) {
  return access.guards.empty() && llvm::all_of(access.inner, [](const auto& range) {
           return as_int(range.second).value_or(0) > 0;
         });
}

bool is_used(const Accesses& accesses, const TensorPtr& tensor) {
  return is_certain(*llvm::find_if(
      accesses, [&](const MemoryAccess& access) { return access.tensor == tensor; }));
}

}  // namespace hone
