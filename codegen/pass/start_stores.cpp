// copy C[i.0*64 .. +64, j.0*128 .. +128] <- C.shared[0 .. +64, 0 .. +128] @bulk @by(thread.x)
//
//   =>  for C.shared.tx in 0..1 @thread.x
//         store_bulk C[i.0*64, j.0*128] <- C.shared[0, 0] of 64 x 128
//
// Thread 0 of those that share a bulk store asks the copy engine for it.

#include "codegen/order/access_collector.h"
#include "codegen/pass/passes.h"
#include "ir/memory/boxes.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class StoreIssuer : public Rewriter {
 public:
  explicit StoreIssuer(const KernelFunction& kernel) : names_(as_function(kernel)) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt); copy && is_box_store(*copy))
      return on_thread_0(*copy, asking(*copy), names_);
    return rewrite_operands(stmt);
  }

 private:
  Stmt asking(const Copy& copy) const {
    llvm::SmallVector<Stmt, 4> stmts;
    for (const BoxCorners& box : boxes_of(copy))
      stmts.push_back(Instr::make(
          op::store_bulk, {{copy.destination.tensor, box.memory}, {copy.source.tensor, box.tile}},
          {}, box_constants(copy)));
    Expr exists = true;  // maps of empty tensors are of one element
    for (const Expr& extent : copy.destination.tensor->shape) exists = exists && extent >= 1;
    return If::make(exists, Seq::make(stmts));
  }

  Names names_;
};

}  // namespace

void start_stores(KernelFunction& kernel) {
  kernel.body = StoreIssuer(kernel).rewrite(kernel.body);
}

}  // namespace hone
