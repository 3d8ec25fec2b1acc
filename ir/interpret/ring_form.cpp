#include "ir/interpret/ring_form.h"

#include "ir/core/instr.h"
#include "ir/scalar/ring.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

class RingRewriter : public Rewriter {
 public:
  explicit RingRewriter(RingForms& forms) : forms_(forms) {}

  Expr rewrite(const Expr& expr) override {
    if (const auto* constant = llvm::dyn_cast<FloatConst>(expr))
      return FloatConst::make(constant->value, ring_of(constant->type));
    if (const auto* cast = llvm::dyn_cast<Cast>(expr))
      return Cast::make(ring_of(cast->type), rewrite(cast->operand));
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    return load ? Load::make(forms_.of(load->tensor), load->indices) : rebuilt;
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) return form_of(*store);
    const Stmt rebuilt = rewrite_operands(stmt);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(rebuilt))
      return Alloc::make(forms_.of(alloc->tensor), alloc->body);
    if (const auto* copy = llvm::dyn_cast<Copy>(rebuilt))
      return copy->with_regions(form_of(copy->destination), form_of(copy->source));
    if (const auto* instr = llvm::dyn_cast<Instr>(rebuilt)) return form_of(*instr);
    return rebuilt;
  }

 private:
  Stmt form_of(const Store& store) {
    llvm::SmallVector<Expr, 4> indices;
    for (const Expr& index : store.indices) indices.push_back(rewrite(index));
    return Store::make(forms_.of(store.tensor), indices, store.update, rewrite(store.value),
                       store.op ? form_of(*store.op) : nullptr, store.is_atomic);
  }

  Stmt form_of(const Instr& instr) {
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    for (ElementRef& place : places) place.tensor = forms_.of(place.tensor);
    return instr.with(places, instr.values);
  }

  Region form_of(const Region& region) { return {forms_.of(region.tensor), region.ranges}; }

  OperatorPtr form_of(const OperatorNode& op) {
    return make_operator(op.name, forms_.of(op.lhs), forms_.of(op.rhs), rewrite(op.combined),
                         rewrite(op.identity));
  }

  RingForms& forms_;
};

}  // namespace

TensorPtr RingForms::of(const TensorPtr& tensor) {
  if (ring_of(tensor->type) == tensor->type) return tensor;
  TensorPtr& form = tensors_[tensor.get()];
  if (!form) form = retyped(*tensor, ring_of(tensor->type));
  return form;
}

Stmt RingForms::of(const Stmt& stmt) { return RingRewriter(*this).rewrite(stmt); }

Function ring_form(const Function& function) {
  RingForms forms;
  Function result = function.with_body(forms.of(function.body));
  for (TensorPtr& argument : result.arguments) argument = forms.of(argument);
  return result;
}

}  // namespace hone
