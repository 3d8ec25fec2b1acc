#include "ir/kernel_stmt.h"

#include "fmt/format.h"
#include "ir/error.h"

namespace hone {

bool Barrier::has_options_of(const KernelStmt& other) const {
  return scope == llvm::cast<Barrier>(&other)->scope;
}

Stmt Arrive::make(TensorPtr flag, TensorPtr counter, llvm::ArrayRef<Expr> indices, Expr count,
                  TensorPtr published) {
  if (flag->type != DType::boolean || flag->rank() != 0)
    throw DefinitionError(
        fmt::format("{} is to tell which block is the last, and is no single bool", flag->name));
  if (counter->type != DType::i32)
    throw DefinitionError(fmt::format("{} is {}, and arrivals are counted in i32", counter->name,
                                      name(counter->type).str()));
  check_index_count(*counter, indices);
  return Stmt(new Arrive(std::move(flag), std::move(counter), indices, std::move(count),
                         std::move(published)));
}

KernelStmt::Operands Arrive::operands() const {
  Operands operands{{{flag, true}, {counter, true}, {published}}, indices};
  operands.exprs.push_back(count);
  return operands;
}

Stmt Arrive::with(const Operands& others) const {
  const auto& tensors = others.tensors;
  return make(tensors[0].tensor, tensors[1].tensor, llvm::ArrayRef<Expr>(others.exprs).drop_back(),
              others.exprs.back(), tensors[2].tensor);
}

Stmt AsyncCopy::make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Expr value, int64_t count) {
  check_index_count(*tensor, indices);
  return Stmt(new AsyncCopy(std::move(tensor), indices, std::move(value), count));
}

AsyncCopy::Source AsyncCopy::source() const {
  if (const auto* load = llvm::dyn_cast<Load>(value)) return {load};
  const auto* choice = llvm::dyn_cast<Select>(value);
  if (!choice || !is_zero(choice->if_false)) return {};
  return {llvm::dyn_cast<Load>(choice->if_true), choice->condition};
}

int64_t AsyncCopy::bytes() const { return count * size_of(tensor->type); }

KernelStmt::Operands AsyncCopy::operands() const {
  Operands operands{{{tensor, true}}, indices};
  operands.exprs.push_back(value);
  return operands;
}

/// A value that is folded to zero names no element any more. It stays a copy of zeros, as waits are
/// for copies: a choice that never takes the first element of the tensor.
Stmt AsyncCopy::with(const Operands& others) const {
  Expr value_now = others.exprs.back();
  if (const Load* element = source().element; element && is_zero(value_now)) {
    const llvm::SmallVector<Expr, 4> first(element->indices.size(), Expr(0));
    value_now = Select::make(IntConst::make(0, DType::boolean), Load::make(element->tensor, first),
                             value_now);
  }
  return make(others.tensors[0].tensor, llvm::ArrayRef<Expr>(others.exprs).drop_back(), value_now,
              count);
}

bool AsyncCopy::has_options_of(const KernelStmt& other) const {
  return count == llvm::cast<AsyncCopy>(&other)->count;
}

bool WaitGroup::has_options_of(const KernelStmt& other) const {
  return pending == llvm::cast<WaitGroup>(&other)->pending;
}

Stmt InitMbarrier::make(TensorPtr mbarriers, Expr slot, int64_t count) {
  check_index_count(*mbarriers, slot);
  return Stmt(new InitMbarrier(std::move(mbarriers), std::move(slot), count));
}

Stmt InitMbarrier::with(const Operands& others) const {
  return make(others.tensors[0].tensor, others.exprs[0], count);
}

bool InitMbarrier::has_options_of(const KernelStmt& other) const {
  return count == llvm::cast<InitMbarrier>(&other)->count;
}

Stmt ArriveMbarrier::make(TensorPtr mbarriers, Expr slot, bool after_copies) {
  check_index_count(*mbarriers, slot);
  return Stmt(new ArriveMbarrier(std::move(mbarriers), std::move(slot), after_copies));
}

Stmt ArriveMbarrier::with(const Operands& others) const {
  return make(others.tensors[0].tensor, others.exprs[0], after_copies);
}

bool ArriveMbarrier::has_options_of(const KernelStmt& other) const {
  return after_copies == llvm::cast<ArriveMbarrier>(&other)->after_copies;
}

Stmt WaitMbarrier::make(TensorPtr mbarriers, Expr slot, Expr parity) {
  check_index_count(*mbarriers, slot);
  return Stmt(new WaitMbarrier(std::move(mbarriers), std::move(slot), std::move(parity)));
}

Stmt WaitMbarrier::with(const Operands& others) const {
  return make(others.tensors[0].tensor, others.exprs[0], others.exprs[1]);
}

Stmt TestMbarrier::make(TensorPtr flag, TensorPtr mbarriers, Expr slot, Expr parity) {
  check_index_count(*flag, {});
  check_index_count(*mbarriers, slot);
  return Stmt(
      new TestMbarrier(std::move(flag), std::move(mbarriers), std::move(slot), std::move(parity)));
}

Stmt TestMbarrier::with(const Operands& others) const {
  return make(others.tensors[0].tensor, others.tensors[1].tensor, others.exprs[0], others.exprs[1]);
}

Stmt ExpectBytes::make(TensorPtr mbarriers, Expr slot, int64_t bytes) {
  check_index_count(*mbarriers, slot);
  return Stmt(new ExpectBytes(std::move(mbarriers), std::move(slot), bytes));
}

Stmt ExpectBytes::with(const Operands& others) const {
  return make(others.tensors[0].tensor, others.exprs[0], bytes);
}

bool ExpectBytes::has_options_of(const KernelStmt& other) const {
  return bytes == llvm::cast<ExpectBytes>(&other)->bytes;
}

int64_t BulkMove::Box::elements() const {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

int64_t BulkMove::bytes() const { return box.elements() * size_of(tensor->type); }

bool BulkMove::has_options_of(const KernelStmt& other) const {
  return box == llvm::cast<BulkMove>(&other)->box;
}

Stmt BulkCopy::make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, TensorPtr source,
                    llvm::ArrayRef<Expr> coordinates, Box box, TensorPtr mbarriers, Expr slot) {
  check_index_count(*tensor, indices);
  check_index_count(*mbarriers, slot);
  return Stmt(new BulkCopy(std::move(tensor), indices, std::move(source), coordinates,
                           std::move(box), std::move(mbarriers), std::move(slot)));
}

KernelStmt::Operands BulkCopy::operands() const {
  Operands operands{{{tensor, true}, {memory}, {mbarriers, true}}, indices};
  operands.exprs.append(coordinates.begin(), coordinates.end());
  operands.exprs.push_back(slot);
  return operands;
}

Stmt BulkCopy::with(const Operands& others) const {
  const llvm::ArrayRef<Expr> exprs = others.exprs;
  return make(others.tensors[0].tensor, exprs.take_front(indices.size()), others.tensors[1].tensor,
              exprs.drop_front(indices.size()).drop_back(), box, others.tensors[2].tensor,
              exprs.back());
}

Stmt BulkCopy::between(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices,
                       TensorPtr new_memory) const {
  return make(std::move(new_tensor), new_indices, std::move(new_memory), coordinates, box,
              mbarriers, slot);
}

Stmt BulkStore::make(TensorPtr destination, llvm::ArrayRef<Expr> coordinates, TensorPtr tensor,
                     llvm::ArrayRef<Expr> indices, Box box) {
  check_index_count(*tensor, indices);
  return Stmt(new BulkStore(std::move(destination), coordinates, std::move(tensor), indices,
                            std::move(box)));
}

KernelStmt::Operands BulkStore::operands() const {
  Operands operands{{{memory, true}, {tensor}}, coordinates};
  operands.exprs.append(indices.begin(), indices.end());
  return operands;
}

Stmt BulkStore::with(const Operands& others) const {
  const llvm::ArrayRef<Expr> exprs = others.exprs;
  return make(others.tensors[0].tensor, exprs.take_front(coordinates.size()),
              others.tensors[1].tensor, exprs.drop_front(coordinates.size()), box);
}

Stmt BulkStore::between(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices,
                        TensorPtr new_memory) const {
  return make(std::move(new_memory), coordinates, std::move(new_tensor), new_indices, box);
}

bool WaitStores::has_options_of(const KernelStmt& other) const {
  return written == llvm::cast<WaitStores>(&other)->written;
}

bool SetRegisters::has_options_of(const KernelStmt& other) const {
  const auto& same = *llvm::cast<SetRegisters>(&other);
  return count == same.count && is_more == same.is_more;
}

}  // namespace hone
