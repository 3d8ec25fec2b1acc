#include "ir/schedule/staging/producer.h"

#include "fmt/format.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_global(const Alloc& alloc) { return alloc.tensor->scope == Scope::global; }

[[noreturn]] void refuse_scheduled(const Preconditions& check, const StmtNode* culprit,
                                   const TensorPtr& tensor, const std::string& why) {
  check.refuse(culprit,
               fmt::format("the nest of {} is not as it was defined: {}", tensor->name, why),
               fmt::format("{} comes before other steps on that nest", check.primitive()));
}

bool is_element(const MemoryAccess& access, llvm::ArrayRef<const For*> loops) {
  if (access.copy) return false;
  return llvm::all_of(llvm::zip(access.indices, loops), [](const auto& pair) {
    const auto* reference = llvm::dyn_cast<AxisRef>(std::get<0>(pair));
    return reference && reference->axis == std::get<1>(pair)->axis;
  });
}

/// The body computes one element of one tensor.
void check_body(const Preconditions& check, const Producer& producer) {
  for (const MemoryAccess& access : collect_accesses(producer.body)) {
    if (access.tensor == producer.tensor ? is_element(access, producer.loops) : !access.writes)
      continue;
    refuse_scheduled(check, access.statement.get(), producer.tensor,
                     access.tensor == producer.tensor
                         ? fmt::format("{} is not indexed by one loop per dimension", access.text())
                         : fmt::format("it writes {} as well", access.tensor->name));
  }
}

/// Refuses a tensor that something else reads before all of it is computed.
void check_together(const Preconditions& check, const Function& function,
                    const Producer& producer) {
  const auto stmts = statements_of(function.body);
  const auto is = [](const Stmt& wanted) {
    return [&](const Stmt& stmt) { return stmt.same_as(wanted); };
  };
  const auto* first = llvm::find_if(stmts, is(producer.stmts.front()));
  const auto* last = llvm::find_if(stmts, is(producer.stmts.back()));
  for (const Stmt& stmt : llvm::make_range(first, last))
    if (touches(stmt, producer.tensor) &&
        !llvm::is_contained(tensors_written(stmt), producer.tensor))
      refuse_scheduled(check, stmt.get(), producer.tensor,
                       "it is read here, and goes on to be computed");
}

bool is_of(const Producer& producer, const Stmt& stmt) {
  return llvm::any_of(producer.stmts, [&](const Stmt& own) { return own.same_as(stmt); });
}

}  // namespace

bool Producer::has_loop(const AxisNode* axis) const {
  return llvm::any_of(stmts, [&](const Stmt& stmt) {
    return llvm::any_of(loops_of(stmt), [&](const For* loop) { return loop->axis.get() == axis; });
  });
}

llvm::SmallVector<Stmt, 4> statements_of(const Stmt& body) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(body); alloc && is_global(*alloc))
    return statements_of(alloc->body);
  const auto* seq = llvm::dyn_cast<Seq>(body);
  if (!seq) return {body};
  llvm::SmallVector<Stmt, 4> stmts;
  for (const Stmt& stmt : seq->stmts) llvm::append_range(stmts, statements_of(stmt));
  return stmts;
}

void check_temporary(const Preconditions& check, const Function& function,
                     const TensorPtr& tensor) {
  llvm::SmallVector<std::string, 4> temporaries;
  walk(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && is_global(*alloc)) temporaries.push_back(alloc->tensor->name);
  });
  const Alloc* alloc = find_alloc(function.body, tensor);
  if (alloc && is_global(*alloc)) return;
  check.refuse(
      alloc,
      fmt::format("{} is {}, not a temporary", tensor->name, alloc ? "a tile" : "an argument"),
      temporaries.empty()
          ? fmt::format("{} defines no tensor that it reads afterwards", function.name)
          : (temporaries.size() == 1 ? "the temporary is " : "the temporaries are ") +
                join_names(temporaries));
}

Producer find_producer(const Preconditions& check, const Function& function,
                       const TensorPtr& tensor) {
  Producer producer{tensor, {}, {}, {}};
  for (const Stmt& stmt : statements_of(function.body))
    if (llvm::is_contained(tensors_written(stmt), tensor)) producer.stmts.push_back(stmt);
  if (producer.stmts.empty())
    check.refuse(nullptr, fmt::format("nothing computes {}", tensor->name));
  if (tensor->rank() > 0 && producer.stmts.size() > 1)
    refuse_scheduled(check, producer.stmts[1].get(), tensor, "several nests compute it");
  check_together(check, function, producer);
  producer.body = Seq::make(producer.stmts);
  for (unsigned dim = 0; dim < tensor->rank(); ++dim) {
    const auto* loop = llvm::dyn_cast<For>(producer.body);
    if (!loop || loop->is_reduction()) break;
    producer.loops.push_back(loop);
    producer.body = loop->body;
  }
  if (producer.loops.size() < tensor->rank())
    refuse_scheduled(check, producer.stmts.front().get(), tensor,
                     "the loops of its dimensions do not stand outermost");
  check_body(check, producer);
  return producer;
}

bool Producer::has_parts() const { return !loops.empty() && loops.front()->binding.is_cluster(); }

void check_unscheduled(const Preconditions& check, const Producer& producer, bool may_have_parts) {
  for (const Stmt& stmt : producer.stmts)
    for (const For* loop : loops_of(stmt)) {
      const bool is_outer = llvm::is_contained(producer.loops, loop);
      if (may_have_parts && producer.has_parts() && loop == producer.loops.front()) continue;
      if (is_outer ? loop->binding.is_serial() : !loop->binding.is_parallel()) continue;
      refuse_scheduled(check, loop, producer.tensor,
                       fmt::format("{} is @{}", loop->axis->name, to_string(loop->binding)));
    }
}

Accesses uses_of(const Function& function, const Producer& producer) {
  Accesses uses;
  for (const Stmt& stmt : statements_of(function.body)) {
    if (is_of(producer, stmt)) continue;
    for (const MemoryAccess& access : collect_accesses(stmt))
      if (access.tensor == producer.tensor) uses.push_back(access);
  }
  return uses;
}

void check_not_cached(const Preconditions& check, const Accesses& uses) {
  for (const MemoryAccess& use : uses)
    if (use.copy)
      check.refuse(use.statement.get(), fmt::format("{} is cached already", use.tensor->name),
                   fmt::format("{} comes before caching", check.primitive()));
}

void check_operands_stay(const Preconditions& check, const Function& function,
                         const Producer& producer) {
  const auto stmts = statements_of(function.body);
  const auto reads_tensor = [&](const Stmt& stmt) { return touches(stmt, producer.tensor); };
  const auto* first = llvm::find_if(stmts, [&](const Stmt& s) { return is_of(producer, s); });
  const auto* last = stmts.end();
  while (last != first && !reads_tensor(*(last - 1))) --last;
  const Accesses operands = collect_accesses(Seq::make(producer.stmts));
  for (const Stmt& stmt : llvm::make_range(first, last)) {
    if (is_of(producer, stmt)) continue;
    for (const MemoryAccess& change : collect_accesses(stmt))
      for (const MemoryAccess& operand : operands)
        if (change.writes && change.tensor == operand.tensor)
          check.refuse(change.statement.get(),
                       fmt::format("{0} is computed from {1}, and {2} changes before {0} is read",
                                   producer.tensor->name, operand.text(), operand.tensor->name));
  }
}

Stmt without_producer(Stmt body, const Producer& producer) {
  for (const Stmt& stmt : producer.stmts) body = replace(body, stmt.get(), Seq::make({}));
  const Alloc* alloc = find_alloc(body, producer.tensor);
  return alloc ? replace(body, alloc, alloc->body) : body;
}

llvm::SmallVector<TensorPtr, 2> tensors_written(const Stmt& stmt) {
  llvm::SmallVector<TensorPtr, 2> tensors;
  for (const MemoryAccess& access : collect_accesses(stmt))
    if (access.writes && !llvm::is_contained(tensors, access.tensor))
      tensors.push_back(access.tensor);
  return tensors;
}

}  // namespace hone
