#include "codegen/emit/cuda_casts.h"

#include <set>

#include "codegen/emit/c_types.h"
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

bool is_wide_integer(DType type) { return type == DType::i32 || type == DType::i64; }

/// The integer that a conversion of floats computes: int for what is narrower.
DType computed_as(DType integer) { return integer == DType::i64 ? DType::i64 : DType::i32; }

/// A conversion takes a NaN to 0, but for those from double or to long long.
bool needs_function(DType to, DType from) { return from == DType::f64 || to == DType::i64; }

/// Beyond the integers that a float holds, an f16 is infinite, and a bf16 is not.
std::string to_half(DType to, DType from, llvm::StringRef operand) {
  const std::string value = operand.str();
  if (from == DType::f64)
    return fmt::format("{}({})", to == DType::f16 ? "__double2half" : "__double2bfloat16", value);
  if (to == DType::bf16 && is_wide_integer(from))
    return fmt::format("__{}2bfloat16_rn({})", from == DType::i64 ? "ll" : "int", value);
  return cuda_from_float(to, cuda_cast(DType::f32, from, operand, 0));
}

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

bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }

std::string cuda_to_float(DType from, const std::string& operand) {
  return fmt::format("{}({})", from == DType::f16 ? "__half2float" : "__bfloat162float", operand);
}

std::string cuda_from_float(DType to, const std::string& operand) {
  return fmt::format("{}({})", to == DType::f16 ? "__float2half" : "__float2bfloat16", operand);
}

std::string cuda_cast(DType to, DType from, llvm::StringRef operand, int index_bits) {
  if (to == from) return operand.str();
  to = in_memory(to, index_bits);
  from = in_memory(from, index_bits);
  if (is_half(from))
    return cuda_cast(to, DType::f32, cuda_to_float(from, operand.str()), index_bits);
  if (is_half(to)) return to_half(to, from, operand);
  if (is_float(from) && is_integer(to)) return truncated(to, from, operand);
  return fmt::format("({})({})", cuda_type(to), operand.str());
}

std::string cuda_cast_helpers(const KernelFunction& kernel) {
  std::set<DType> used;
  const auto look_at = [&](const Expr& expr) {
    const auto* cast = llvm::dyn_cast<Cast>(expr);
    if (!cast || !is_float(cast->operand.type())) return;
    const DType to = cast->type == DType::index ? DType::i64 : cast->type;
    if (is_integer(to) && needs_function(to, cast->operand.type())) used.insert(computed_as(to));
  };
  walk_exprs(kernel.body, look_at);
  for (const OperatorPtr& op : operators_of(kernel.body)) walk(op->combined, look_at);
  std::string text;
  for (const DType integer : used) text += definition(integer);
  return text;
}

}  // namespace hone
