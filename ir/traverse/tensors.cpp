#include "ir/traverse/tensors.h"

#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Replacement = llvm::function_ref<TensorPtr(const TensorPtr&)>;

class Replacer : public Rewriter {
 public:
  explicit Replacer(Replacement replacement) : replacement_(replacement) {}

  Expr rewrite(const Expr& expr) override {
    if (!expr.get()->size.has_load) return expr;
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    return load && is_replaced(load->tensor) ? Load::make(other(load->tensor), load->indices)
                                             : rebuilt;
  }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt rebuilt = rewrite_operands(stmt);
    bool stays = true;
    for_each_tensor(rebuilt,
                    [&](const TensorPtr& tensor, TensorUse) { stays &= !is_replaced(tensor); });
    return stays ? rebuilt : with_others(rebuilt);
  }

 private:
  bool is_replaced(const TensorPtr& tensor) const { return replacement_(tensor) != nullptr; }

  TensorPtr other(const TensorPtr& tensor) const {
    const TensorPtr replacement = replacement_(tensor);
    return replacement ? replacement : tensor;
  }

  Region other(const Region& region) const { return {other(region.tensor), region.ranges}; }

  Stmt with_others(const Stmt& stmt) const {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(other(alloc->tensor), alloc->body);
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      return store->with(other(store->tensor), store->indices, store->value);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      return copy->with_regions(other(copy->destination), other(copy->source));
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) {
      llvm::SmallVector<ElementRef, 3> places = instr->places;
      for (ElementRef& place : places) place.tensor = other(place.tensor);
      return instr->with(places, instr->values);
    }
    return stmt;  // its expressions alone
  }

  Replacement replacement_;
};

}  // namespace

void for_each_tensor(const Stmt& stmt, llvm::function_ref<void(const TensorPtr&, TensorUse)> use) {
  const auto read_in = [&](const Expr& expr) {
    if (!expr.get()->size.has_load) return;
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part)) use(load->tensor, TensorUse::reads);
    });
  };
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) use(alloc->tensor, TensorUse::allocates);
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) use(store->tensor, TensorUse::writes);
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) {
    use(copy->destination.tensor, TensorUse::writes);
    use(copy->source.tensor, TensorUse::reads);
  }
  if (const auto* instr = llvm::dyn_cast<Instr>(stmt))
    for (const auto& [place, how] : llvm::zip(instr->places, instr->opcode.uses))
      use(place.tensor,
          how == Use::reads || how == Use::awaits ? TensorUse::reads : TensorUse::writes);
  for_each_operand(stmt, read_in, [](const Stmt&) {});
}

bool names_tensor(const Stmt& stmt, const TensorNode* tensor) {
  bool found = false;
  walk(stmt, [&](const Stmt& nested) {
    for_each_tensor(nested,
                    [&](const TensorPtr& named, TensorUse) { found |= named.get() == tensor; });
  });
  return found;
}

Stmt replace_tensors(const Stmt& stmt, Replacement replacement) {
  return Replacer(replacement).rewrite(stmt);
}

}  // namespace hone
