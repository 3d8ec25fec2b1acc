#include "ir/schedule/legality/owner.h"

#include "fmt/format.h"
#include "ir/threads/register_owners.h"
#include "ir/threads/thread_space.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::string place_under(const Preconditions& check, const For& loop) {
  return fmt::format("{} {} or inside it", check.placing(), loop.axis->name);
}

/// The innermost loop over that digit of the number of a thread which stands around the access.
const For* thread_loop_of(const MemoryAccess& access, llvm::ArrayRef<const For*> loops,
                          const ThreadSpace& space, size_t digit) {
  for (const For* loop : llvm::reverse(loops)) {
    const auto is_own = [&](const AxisRange& range) { return range.first == loop->axis; };
    if (space.digits_of(*loop).contains(digit) && llvm::any_of(access.inner, is_own)) return loop;
  }
  return nullptr;
}

/// True where all threads of a block have what a thread of the loop writes: what threads combine,
/// and a constant, which all of them set.
bool is_for_all(const MemoryAccess& access, const For& loop) {
  if (access.update != Update::set) return loop.binding.combine.is_exchange();
  const auto* store = llvm::dyn_cast<Store>(access.statement);
  const auto own = collect_accesses(loop.body);
  const auto* within = llvm::find_if(
      own, [&](const MemoryAccess& other) { return other.statement.same_as(access.statement); });
  return store && is_constant(store->value) && within->guards.empty();
}

/// True where threads beside the first one run the access: those of a loop of several, and outside
/// of loops those that keep something in registers.
bool is_for_others(const MemoryAccess& access, const For* loop) {
  if (loop) return !is_int(loop->extent, 1);
  const auto* store = llvm::dyn_cast<Store>(access.statement);
  return !store || store->tensor->scope == Scope::registers;
}

/// Refuses registers that the one thread of a loop sets and others read: those have their own.
void check_one_setter(const Preconditions& check, const Alloc& alloc, const Stmt& kernel,
                      const StmtNode* culprit) {
  const auto loops = loops_of(alloc.body);
  const ThreadSpace space(kernel);
  for (size_t digit = 0; digit < space.digits().size(); ++digit) {
    if (!space.used().contains(digit)) continue;
    const MemoryAccess *set = nullptr, *read = nullptr;
    const Accesses accesses = collect_accesses(alloc.body);
    for (const MemoryAccess& access : accesses) {
      if (access.tensor != alloc.tensor) continue;
      const For* loop = thread_loop_of(access, loops, space, digit);
      const bool is_alone = access.writes && loop && is_int(loop->extent, 1);
      if (is_alone && !is_for_all(access, *loop)) set = &access;
      const bool is_read = !access.writes || access.update != Update::set;
      if (is_read && is_for_others(access, loop)) read = &access;
    }
    if (set && read)
      check.refuse(culprit,
                   fmt::format("one thread of {} sets {}, and others read {}",
                               to_string(space.digits()[digit].binding), set->text(), read->text()),
                   fmt::format("{} lives outside of the loops of threads, each of which has its "
                               "own elements of it; threads exchange values in shared memory",
                               alloc.tensor->name));
  }
}

/// The part of the function around `stmt` that is one kernel.
Stmt kernel_around(const Function& function, const StmtNode* stmt) {
  const Site site = *find_site(function.body, stmt);
  for (const Stmt& around : site.around)
    if (!llvm::isa<Seq>(around) && !is_global_alloc(around)) return around;
  return site.statement;
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
    if (!alloc || alloc->tensor->scope != Scope::registers || !has_thread_loops(alloc->body))
      return;
    check_one_setter(check, *alloc, kernel_around(result, alloc), culprit);
    const RegisterOwners owners = register_owners(alloc->tensor, alloc->body, facts);
    if (owners.conflict.empty()) return;
    const std::string note = fmt::format(
        "{} lives outside of the loops of threads, each of which has its own elements "
        "of it; threads exchange values in shared memory",
        alloc->tensor->name);
    check.refuse(culprit ? culprit : alloc, owners.conflict,
                 owners.note.empty() ? note : owners.note);
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
  const MemoryAccess& first =
      *llvm::find_if(accesses, [&](const MemoryAccess& access) { return access.tensor == tensor; });
  return is_certain(first) && !first.copy;
}

}  // namespace hone
