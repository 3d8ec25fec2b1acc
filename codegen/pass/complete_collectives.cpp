// for i @thread.y { for j @thread.x {           for i @thread.y { for j @thread.x {
//   alloc T: f32[8] @shared                       alloc T: f32[8] @shared
//   for n in 0..8 @thread.x { T[n] = A[n] }  =>   for T.y in 0..1 @thread.y {
//   ...                                             for n in 0..8 @thread.x { T[n] = A[n] } }
//                                                 ...
//
// A statement that writes a shared tensor that is allocated inside thread loops is done once by the
// whole block. In a dimension in which no loop says which of those threads does it, thread 0 does.

#include "codegen/pass/block_shape.h"
#include "codegen/pass/passes.h"
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// The tensor that a store or a copy writes; null for other statements.
TensorPtr written_tensor(const Stmt& stmt) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) return store->tensor;
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  return copy ? copy->destination.tensor : nullptr;
}

class Completion : public Rewriter {
 public:
  explicit Completion(const KernelFunction& kernel)
      : used_(used_dims(block_of(kernel.body))), names_(as_function(kernel)) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (const ThreadDims missing = missing_dims(stmt); !missing.empty())
      return on_thread_0(stmt, missing);
    nest_.enter(stmt);
    const Stmt rebuilt = rewrite_operands(stmt);
    nest_.leave(stmt);
    return rebuilt;
  }

 private:
  /// The dimensions that loops around the allocation tell apart, and loops below it do not.
  ThreadDims missing_dims(const TensorNode* tensor) const {
    const ThreadDims unused = ThreadDims().with(0).with(1).with(2).without(used_);
    return nest_.around_alloc(tensor).without(nest_.inside_alloc(tensor)).without(unused);
  }

  /// Those that all writes in `stmt` have in common, where it has no loop of them itself.
  ThreadDims missing_dims(const Stmt& stmt) const {
    if (llvm::isa<Copy>(stmt))
      return missing_dims(written_tensor(stmt).get()).without(thread_dims(stmt));
    std::optional<ThreadDims> common;
    bool is_whole = true;
    walk(stmt, [&](const Stmt& nested) {
      const TensorPtr tensor = written_tensor(nested);
      if (!tensor) return;
      const ThreadDims missing = missing_dims(tensor.get());
      is_whole &= !common || *common == missing;
      common = missing;
    });
    if (!common || !is_whole) return {};
    const ThreadDims own = thread_dims(stmt);
    return common->without(own) == *common ? *common : ThreadDims();
  }

  Stmt on_thread_0(Stmt stmt, ThreadDims dims) {
    std::string tensor;
    walk(stmt, [&](const Stmt& nested) {
      if (const TensorPtr written = written_tensor(nested)) tensor = written->name;
    });
    for (uint8_t dim = 0; dim < 3; ++dim) {
      if (!dims.contains(dim)) continue;
      const auto axis = make_axis(names_.fresh(tensor + "." + "xyz"[dim]), AxisKind::spatial);
      stmt = For::make(axis, 1, {Binding::Kind::thread, dim, 0}, stmt);
    }
    return stmt;
  }

  ThreadDims used_;
  Names names_;
  ThreadNest nest_;
};

}  // namespace

void complete_collectives(KernelFunction& kernel) {
  kernel.body = Completion(kernel).rewrite(kernel.body);
}

}  // namespace hone
