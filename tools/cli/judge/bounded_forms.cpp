#include "tools/cli/judge/bounded_forms.h"

#include <limits>

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/products.h"
#include "ir/interpret/interpreter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

TensorPtr form_of(const TensorNode& tensor, const std::string& suffix, DType type) {
  return make_tensor(tensor.name + suffix, type, tensor.shape, tensor.scope);
}

}  // namespace

DType part_type(DType type, unsigned position) {
  return is_tuple(type) ? component_type(type, position) : type;
}

bool has_floats(DType type) {
  for (unsigned n = 0; n < component_count(type); ++n)
    if (is_float(part_type(type, n))) return true;
  return false;
}

DType wide_type(DType type) {
  if (!is_tuple(type)) return is_float(type) ? f64 : type;
  llvm::SmallVector<DType, 4> parts;
  for (unsigned n = 0; n < component_count(type); ++n)
    parts.push_back(wide_type(component_type(type, n)));
  return tuple_of(parts.data(), parts.size());
}

BoundedForms::BoundedForms(const Stmt& body, const Sizes& sizes, const InputFacts& inputs)
    : sizes_(sizes), inputs_(inputs) {
  count_sums(body);
}

void BoundedForms::count_sums(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop) around_.push_back(loop);
  const auto* store = llvm::dyn_cast<Store>(stmt);
  if (store) written_.insert(store->tensor.get());
  if (store && store->update == Update::add && is_float(store->tensor->type)) {
    Sums& sums = sums_[store->tensor.get()];
    sums.terms += terms_of(*store);
    ++sums.statements;
    const auto multiplied = product_type(*store);
    sums.is_short |= multiplied == f8e4m3 || multiplied == f8e5m2;
  }
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { count_sums(nested); });
  if (loop) around_.pop_back();
}

int64_t BoundedForms::terms_of(const Store& store) const {
  double terms = 1;
  for (const For* loop : around_) {
    const auto mentions_axis = [&](const Expr& index) { return mentions(index, loop->axis.get()); };
    if (loop->is_reduction() || llvm::none_of(store.indices, mentions_axis))
      terms *= static_cast<double>(evaluate(loop->extent, sizes_));
  }
  return static_cast<int64_t>(std::min(terms, 0x1p62));
}

BoundedTensor& BoundedForms::add(const TensorPtr& tensor) {
  BoundedTensor& form = forms_[tensor.get()];
  form.values = form_of(*tensor, "", wide_type(tensor->type));
  form.errors.resize(component_count(tensor->type));
  const auto granule = inputs_.granules.find(tensor->name);
  form.granule =
      granule == inputs_.granules.end() ? std::numeric_limits<double>::infinity() : granule->second;
  if (!written_.count(tensor.get())) return form;
  for (unsigned n = 0; n < form.errors.size(); ++n)
    if (is_float(part_type(tensor->type, n)))
      form.errors[n] = form_of(*tensor, fmt::format(".error.{}", n), f64);
  const auto sums = sums_.find(tensor.get());
  if (sums == sums_.end()) return form;
  form.terms = sums->second.terms;
  form.is_short_sum = sums->second.is_short;
  form.magnitude = form_of(*tensor, ".magnitude", f64);
  form.largest = form_of(*tensor, ".largest", f64);
  return form;
}

int64_t BoundedForms::longest_sum() const {
  int64_t longest = 1;
  for (const auto& [tensor, sums] : sums_) longest = std::max(longest, sums.terms);
  return longest;
}

void for_each_form(const BoundedTensor& form, llvm::function_ref<void(const TensorPtr&)> use) {
  use(form.values);
  for (const TensorPtr& error : form.errors)
    if (error) use(error);
  if (!form.is_sum()) return;
  use(form.magnitude);
  use(form.largest);
}

}  // namespace hone
