#include "codegen/emit/cuda_casts.h"

#include <set>

#include "codegen/emit/c_types.h"
#include "codegen/emit/cuda_narrow_floats.h"
#include "fmt/format.h"
#include "ir/core/update.h"
#include "ir/scalar/integer_limits.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

DType in_memory(DType type, int index_bits) {
  if (type != DType::index) return type;
  return index_bits == 64 ? DType::i64 : DType::i32;
}

/// The integer that a conversion of floats computes: int for what is narrower.
DType computed_as(DType integer) { return integer == DType::i64 ? DType::i64 : DType::i32; }

/// A conversion takes a NaN to 0, but for those from double or to long long.
bool needs_function(DType to, DType from) { return from == DType::f64 || to == DType::i64; }

std::string truncated(DType to, DType from, llvm::StringRef operand) {
  const DType whole = computed_as(to);
  const std::string text = needs_function(to, from)
                               ? fmt::format("truncated_{}({})", name(whole).str(), operand.str())
                               : fmt::format("({})({})", cuda_type(whole), operand.str());
  if (to == whole) return text;
  const auto [least, greatest] = integer_limits(to);
  return fmt::format("({})(min(max({}, {}), {}))", cuda_type(to), text, least, greatest);
}

std::string definition(DType integer) {
  return fmt::format(R"(
template <class Float>
static __device__ {0} truncated_{1}(Float x) {{
  return x != x ? 0 : ({0})x;
}}
)",
                     cuda_type(integer), name(integer).str());
}

}  // namespace

std::string cuda_cast(DType to, DType from, llvm::StringRef operand, int index_bits) {
  if (to == from) return operand.str();
  to = in_memory(to, index_bits);
  from = in_memory(from, index_bits);
  if (is_narrow_float(from))
    return cuda_cast(to, DType::f32, cuda_to_float(from, operand.str()), index_bits);
  if (is_narrow_float(to)) return cuda_to_narrow_float(to, from, operand.str());
  if (is_float(from) && is_integer(to)) return truncated(to, from, operand);
  return fmt::format("({})({})", cuda_type(to), operand.str());
}

std::string cuda_cast_helpers(const KernelFunction& kernel) {
  std::set<DType> used;
  std::set<std::string> used_of_narrow;
  const auto look_at = [&](const Expr& expr) {
    const auto* cast = llvm::dyn_cast<Cast>(expr);
    if (!cast) return;
    add_narrow_functions(cast->type, cast->operand.type(), used_of_narrow);
    if (!is_float(cast->operand.type())) return;
    const DType to = cast->type == DType::index ? DType::i64 : cast->type;
    if (is_integer(to) && needs_function(to, cast->operand.type())) used.insert(computed_as(to));
  };
  walk_exprs(kernel.body, look_at);
  for (const OperatorPtr& op : operators_of(kernel.body)) walk(op->combined, look_at);
  std::string text = cuda_narrow_functions(used_of_narrow);
  for (const DType integer : used) text += definition(integer);
  return text;
}

}  // namespace hone
