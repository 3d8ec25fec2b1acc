// copy C[i.0*64 .. +64, j.0*128 .. +128] <- C.shared[0 .. +64, 0 .. +128] @bulk @by(thread.x)
//
//   =>  for C.shared.tx in 0..1 @thread.x
//         store_bulk C[i.0*64, j.0*128] <- C.shared[0, 0] of 64 x 128
//         wait_stores
//
// Thread 0 of those that share a bulk store asks the copy engine for it, and waits until that has
// read the tile. In a loop, where a later iteration may write the same elements, it waits until
// they are written.

#include "codegen/pass/bulk_stores.h"

#include "codegen/pass/passes.h"
#include "ir/memory/bulk_tiles.h"
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
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt); copy && is_bulk_store(*copy))
      return on_thread_0(*copy, asking(*copy), names_);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const bool repeats = loop && !loop->binding.is_parallel();
    loops_ += static_cast<int>(repeats);
    const Stmt rebuilt = rewrite_operands(stmt);
    loops_ -= static_cast<int>(repeats);
    return rebuilt;
  }

 private:
  Stmt asking(const Copy& copy) const {
    llvm::SmallVector<Stmt, 4> stmts;
    for (const BulkBox& box : boxes_of(copy))
      stmts.push_back(Instr::make(
          op::store_bulk, {{copy.destination.tensor, box.memory}, {copy.source.tensor, box.tile}},
          {}, box_constants(copy)));
    stmts.push_back(Instr::make(op::wait_stores, {}, {}, loops_ > 0));
    Expr exists = true;  // maps of empty tensors are of one element
    for (const Expr& extent : copy.destination.tensor->shape) exists = exists && extent >= 1;
    return If::make(exists, Seq::make(stmts));
  }

  Names names_;
  int loops_ = 0;  ///< around that the threads of a block run
};

}  // namespace

llvm::DenseSet<const TensorNode*> tiles_of_stores(const Stmt& stmt) {
  llvm::DenseSet<const TensorNode*> tiles;
  walk(stmt, [&](const Stmt& part) {
    const auto* copy = llvm::dyn_cast<Copy>(part);
    if (copy && is_bulk_store(*copy)) tiles.insert(copy->source.tensor.get());
  });
  return tiles;
}

Stmt on_thread_0(const Copy& copy, Stmt body, Names& names) {
  const std::string& tile = tile_side(copy).tensor->name;
  for (const Binding& digit : copy.execution.digits) {
    const std::string name = names.fresh(tile + ".t" + "xyzc"[digit.dim]);
    body = For::make(make_axis(name, AxisKind::spatial), 1, digit, body);
  }
  return body;
}

void start_stores(KernelFunction& kernel) {
  kernel.body = StoreIssuer(kernel).rewrite(kernel.body);
}

}  // namespace hone
