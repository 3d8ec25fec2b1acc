// assume(condition): callers promise something about the sizes.
//
//   func f[n](A: f32[n]) {           =>     func f[n](A: f32[n]) where n % 4 == 0 {
//
// assume_aligned(A, bytes): callers promise that the rows of A start at multiples of `bytes`.
//
//   func f[M, K](A: f32[M, K]) {     =>     func f[M, K](A: f32[M, K]) where K % 4 == 0 {
//
// Preserves: everything; a launch with other sizes, or with an array that starts elsewhere, is
// refused.

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

constexpr int64_t max_alignment = 16;

void check_bytes(const Preconditions& check, const TensorPtr& tensor, int64_t bytes) {
  const int64_t size = size_of(tensor->type);
  const bool is_width = bytes == 2 || bytes == 4 || bytes == 8 || bytes == max_alignment;
  if (!is_width || bytes < size)
    check.refuse(nullptr,
                 fmt::format("{} bytes are no alignment of {}, whose elements have {} bytes", bytes,
                             tensor->name, size),
                 "an access has 2, 4, 8 or 16 bytes");
}

/// `condition` over the params that the function has under these names.
Expr over_params(const Preconditions& check, const Function& function, const Expr& condition) {
  return transform(condition, [&](const Expr& part) -> Expr {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    if (!reference && !llvm::isa<AxisRef, Load>(part)) return {};
    for (const ParamPtr& param : function.params)
      if (reference && param->name == reference->param->name) return ParamRef::make(param);
    check.refuse(nullptr, fmt::format("{} depends on {}, which is no param of {}", condition, part,
                                      function.name));
  });
}

void add_assumption(Function& function, const Expr& promise) {
  const auto is_same = [&](const Expr& known) { return equal(known, promise); };
  if (!is_int(promise, 1) && llvm::none_of(function.assumptions, is_same))
    function.assumptions.push_back(promise);
}

}  // namespace

Rewrite assume(const Function& function, const Expr& condition) {
  // Preconditions
  const Preconditions check("assume", function);
  if (!condition.defined())
    check.refuse(nullptr, "the condition is undefined; give the Expr a value first");
  if (condition.type() != DType::boolean)
    check.refuse(nullptr, fmt::format("{} is not a condition", condition));
  const Expr adopted = over_params(check, function, condition);
  const Expr promise = simplify(adopted, facts_of(function.assumptions));
  if (is_int(promise, 0)) check.refuse(nullptr, fmt::format("{} never holds", condition));

  // Rewrite
  Function result = function;
  add_assumption(result, promise);
  return {rebuild(result, result.body), {}, nullptr};
}

Rewrite assume_aligned(const Function& function, const TensorPtr& tensor, int64_t bytes) {
  // Preconditions
  const Preconditions check("assume_aligned", function, tensor);
  if (!llvm::is_contained(function.arguments, tensor))
    check.refuse(nullptr, fmt::format("{} is not an argument", tensor->name),
                 "the tensors that Hone allocates are aligned as their accesses need it");
  check_bytes(check, tensor, bytes);
  Function result = function;
  if (tensor->rank() < 2) return {std::move(result), {}, tensor};
  const Expr elements = bytes / size_of(tensor->type);
  const Expr promise = simplify(row_pitch(*tensor) % elements == 0, facts_of(function.assumptions));
  if (is_int(promise, 0))
    check.refuse(nullptr,
                 fmt::format("rows of {} are {} elements apart, which is no multiple of {}",
                             tensor->name, row_pitch(*tensor), elements));

  // Rewrite
  add_assumption(result, promise);
  return {rebuild(result, result.body), {}, tensor};
}

const Primitive assume_primitive = {
    .name = "assume",
    .arguments = {argument::factor},
    .apply = [](const Function& f, const Step& s) { return assume(f, s.factors[0]); },
};

const Primitive assume_aligned_primitive = {
    .name = "assume_aligned",
    .arguments = {argument::tensor, argument::count},
    .apply = [](const Function& f, const Step& s) { return assume_aligned(f, s.tensor, s.count); },
};

}  // namespace hone
