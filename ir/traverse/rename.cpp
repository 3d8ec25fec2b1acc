#include "ir/traverse/rename.h"

#include "fmt/format.h"
#include "ir/core/instr.h"
#include "ir/text/operators.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class Redirection : public Rewriter {
 public:
  Redirection(const TensorNode* tensor,
              llvm::function_ref<TensorElement(llvm::ArrayRef<Expr>)> redirect)
      : tensor_(tensor), redirect_(redirect) {}

  Expr rewrite(const Expr& expr) override {
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    if (!load || load->tensor.get() != tensor_) return rebuilt;
    const TensorElement access = redirect_(load->indices);
    return Load::make(access.tensor, access.indices);
  }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt rebuilt = rewrite_operands(stmt);
    if (const auto* instr = llvm::dyn_cast<Instr>(rebuilt)) return redirected(*instr);
    const auto* store = llvm::dyn_cast<Store>(rebuilt);
    if (!store || store->tensor.get() != tensor_) return rebuilt;
    const TensorElement access = redirect_(store->indices);
    return store->with(access.tensor, access.indices, store->value);
  }

 private:
  Stmt redirected(const Instr& instr) {
    llvm::SmallVector<ElementRef, 3> places = instr.places;
    for (ElementRef& place : places) {
      if (place.tensor.get() != tensor_) continue;
      const TensorElement access = redirect_(place.indices);
      place = {access.tensor, access.indices};
    }
    return instr.with(places, instr.values);
  }

  const TensorNode* tensor_;
  llvm::function_ref<TensorElement(llvm::ArrayRef<Expr>)> redirect_;
};

/// Gives every loop, let and alloc a fresh axis or tensor.
class Renewal : public Rewriter {
 public:
  Renewal(llvm::StringRef suffix, Names& names) : suffix_(suffix), names_(names) {}

  Expr rewrite(const Expr& expr) override {
    if (const auto* reference = llvm::dyn_cast<AxisRef>(expr))
      if (auto found = axes_.find(reference->axis.get()); found != axes_.end())
        return AxisRef::make(found->second);
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    return load ? Load::make(renewed(load->tensor), load->indices) : rebuilt;
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      const AxisPtr axis = renew(loop->axis);
      return For::make(axis, rewrite(loop->extent), loop->binding, rewrite(loop->body));
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      const Expr value = rewrite(let->value);
      const AxisPtr axis = renew(let->axis);
      return Let::make(axis, value, rewrite(let->body));
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
      const TensorPtr tensor = renew(alloc->tensor);
      return Alloc::make(tensor, rewrite(alloc->body));
    }
    return retarget(rewrite_operands(stmt));
  }

 private:
  AxisPtr renew(const AxisPtr& axis) {
    return axes_[axis.get()] =
               make_axis(names_.fresh(axis->name + suffix_), axis->kind, axis->roots);
  }

  TensorPtr renew(const TensorPtr& tensor) {
    return tensors_[tensor.get()] = make_twin(*tensor, names_.fresh(tensor->name + suffix_));
  }

  TensorPtr renewed(const TensorPtr& tensor) const {
    const auto found = tensors_.find(tensor.get());
    return found == tensors_.end() ? tensor : found->second;
  }

  Stmt retarget(const Stmt& stmt) const {
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      return store->with(renewed(store->tensor), store->indices, store->value);
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) {
      llvm::SmallVector<ElementRef, 3> places = instr->places;
      for (ElementRef& place : places) place.tensor = renewed(place.tensor);
      return instr->with(places, instr->values);
    }
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy) return stmt;
    return copy->with_regions({renewed(copy->destination.tensor), copy->destination.ranges},
                              {renewed(copy->source.tensor), copy->source.ranges});
  }

  std::string suffix_;
  Names& names_;
  llvm::DenseMap<const AxisNode*, AxisPtr> axes_;
  llvm::DenseMap<const TensorNode*, TensorPtr> tensors_;
};

}  // namespace

Names::Names(const Function& function) {
  for (const ParamPtr& param : function.params) used_.insert(param->name);
  for (const TensorPtr& tensor : function.arguments) used_.insert(tensor->name);
  walk(function.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) used_.insert(loop->axis->name);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) used_.insert(let->axis->name);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) used_.insert(alloc->tensor->name);
  });
}

std::string Names::fresh(llvm::StringRef wanted) {
  std::string name = wanted.str();
  for (int number = 2; is_reserved(name) || !used_.insert(name).second; ++number)
    name = fmt::format("{}_{}", wanted.str(), number);
  return name;
}

Stmt with_fresh_names(const Stmt& stmt, llvm::StringRef suffix, Names& names) {
  return Renewal(suffix, names).rewrite(stmt);
}

Stmt redirect_accesses(const Stmt& stmt, const TensorNode* tensor,
                       llvm::function_ref<TensorElement(llvm::ArrayRef<Expr>)> redirect) {
  return Redirection(tensor, redirect).rewrite(stmt);
}

Stmt redirect_to_slot(const Stmt& stmt, const TensorPtr& from, const TensorPtr& ring,
                      const Expr& slot, size_t dropped) {
  const auto redirect = [&](llvm::ArrayRef<Expr> indices) -> TensorElement {
    llvm::SmallVector<Expr, 4> own = {slot};
    llvm::append_range(own, indices.drop_front(dropped));
    return {ring, own};
  };
  const auto in_slot = [&](const Region& region) {
    if (region.tensor != from) return region;
    Region result{ring, {{slot}}};
    llvm::append_range(result.ranges, llvm::ArrayRef<Range>(region.ranges).drop_front(dropped));
    return result;
  };
  return transform_stmts(redirect_accesses(stmt, from.get(), redirect), [&](const Stmt& part) {
    const auto* copy = llvm::dyn_cast<Copy>(part);
    return copy ? copy->with_regions(in_slot(copy->destination), in_slot(copy->source)) : Stmt();
  });
}

Stmt replace_tensor(const Stmt& stmt, const TensorNode* from, const TensorPtr& to) {
  return replace_tensors(
      stmt, [&](const TensorPtr& tensor) { return tensor.get() == from ? to : nullptr; });
}

}  // namespace hone
