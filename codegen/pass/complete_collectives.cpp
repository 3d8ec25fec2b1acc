// for i @thread.y { for j @thread.x {           for i @thread.y { for j @thread.x {
//   alloc T: f32[8] @shared                       alloc T: f32[8] @shared
//   for n in 0..8 @thread.x { T[n] = A[n] }  =>   for T.y in 0..1 @thread.y {
//   ...                                             for n in 0..8 @thread.x { T[n] = A[n] } }
//                                                 ...
//
// A statement that writes a shared tensor that is allocated inside thread loops is done once by the
// whole block. If no loop says which of the threads of a dimension does it, thread 0 does.

#include "codegen/pass/passes.h"
#include "ir/threads/thread_nest.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The tensors that a store, a copy by these threads or an instruction writes.
llvm::SmallVector<TensorPtr, 1> written_tensors(const Stmt& stmt) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) return {store->tensor};
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  if (copy && !copy->is_by_producers()) return {copy->destination.tensor};
  llvm::SmallVector<TensorPtr, 1> tensors;
  if (const auto* instr = llvm::dyn_cast<Instr>(stmt))
    for (const Operand& operand : instr->operands())
      if (operand.writes()) tensors.push_back(operand.tensor);
  return tensors;
}

class Completion : public Rewriter {
 public:
  explicit Completion(const KernelFunction& kernel)
      : space_(kernel.body), names_(as_function(kernel)), nest_(space_) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (const ThreadDigits missing = missing_digits(stmt); !missing.empty())
      return on_thread_0(stmt, missing);
    nest_.enter(stmt);
    const Stmt rebuilt = rewrite_operands(stmt);
    nest_.leave(stmt);
    return rebuilt;
  }

 private:
  /// The digits that loops around the allocation tell apart, and loops below it do not. Each block
  /// of a cluster has a tensor of its own.
  ThreadDigits missing_digits(const TensorNode* tensor) const {
    const ThreadDigits done = nest_.inside_alloc(tensor).with(space_.of_cluster());
    return nest_.around_alloc(tensor).without(done).common(space_.used());
  }

  /// Those that all writes in `stmt` have in common, where it has no loop of them itself.
  ThreadDigits missing_digits(const Stmt& stmt) const {
    const ThreadDigits own = space_.digits_in(stmt);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      return copy->is_by_producers() ? ThreadDigits()
                                     : missing_digits(copy->destination.tensor.get()).without(own);
    std::optional<ThreadDigits> common;
    bool is_whole = true;
    walk(stmt, [&](const Stmt& nested) {
      for (const TensorPtr& tensor : written_tensors(nested)) {
        const ThreadDigits missing = missing_digits(tensor.get());
        is_whole &= !common || *common == missing;
        common = missing;
      }
    });
    return common && is_whole && !common->meets(own) ? *common : ThreadDigits();
  }

  Stmt on_thread_0(Stmt stmt, ThreadDigits digits) {
    std::string tensor;
    walk(stmt, [&](const Stmt& nested) {
      for (const TensorPtr& written : written_tensors(nested)) tensor = written->name;
    });
    for (const ThreadGroup& group : space_.groups_of(digits)) {
      const auto axis =
          make_axis(names_.fresh(tensor + "." + "xyzc"[group.binding.dim]), AxisKind::spatial);
      stmt = For::make(axis, 1, group.binding, stmt);
    }
    return stmt;
  }

  const ThreadSpace space_;
  Names names_;
  ThreadNest nest_;
};

}  // namespace

void complete_collectives(KernelFunction& kernel) {
  kernel.body = Completion(kernel).rewrite(kernel.body);
}

}  // namespace hone
