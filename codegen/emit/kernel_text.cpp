#include "codegen/emit/kernel_text.h"

#include <set>

#include "codegen/emit/c_text.h"
#include "codegen/shared_memory.h"
#include "fmt/format.h"
#include "ir/text/printer.h"
#include "ir/threads/ordered.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::set<DType> types_of(const KernelFunction& kernel) {
  std::set<DType> types;
  for (const TensorPtr& tensor : kernel.arguments) types.insert(tensor->type);
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) types.insert(alloc->tensor->type);
  });
  const auto look_at = [&](const Expr& expr) { types.insert(expr.type()); };
  walk_exprs(kernel.body, look_at);
  for (const OperatorPtr& op : operators_of(kernel.body)) walk(op->combined, look_at);
  return types;
}

}  // namespace

bool uses_type(const KernelFunction& kernel, DType type) {
  return llvm::any_of(types_of(kernel), [&](DType used) {
    bool found = used == type;
    for (unsigned n = 0; is_tuple(used) && n < component_count(used); ++n)
      found |= component_type(used, n) == type;
    return found;
  });
}

std::string tuple_structs(const KernelFunction& kernel, const Dialect& dialect) {
  std::string text;
  for (const DType type : types_of(kernel))
    if (is_tuple(type)) text += "\n" + dialect.tuple_struct(type);
  return text;
}

std::string tuple_name(DType type) {
  std::string text;
  for (unsigned n = 0; n < component_count(type); ++n)
    text += (n == 0 ? "" : "_") + name(component_type(type, n)).str();
  return text;
}

std::string tuple_members(DType type, const Dialect& dialect) {
  std::string text;
  for (unsigned n = 0; n < component_count(type); ++n)
    text +=
        fmt::format("  {} {};\n", dialect.type(component_type(type, n)), component_name(n).str());
  return text;
}

std::string header_comment(const KernelFunction& kernel, bool with_launch) {
  std::string text;
  for (const std::string& entry : kernel.history) text += "// " + entry + "\n";
  if (!with_launch) return text;
  const auto shape = [](const std::array<Expr, 3>& dims) {
    return fmt::format("({}, {}, {})", dims[0], dims[1], dims[2]);
  };
  const int64_t bytes = shared_memory(kernel).bytes;
  text += fmt::format("//\n// launch: grid {}, {}block {}, {} byte{} of shared memory\n",
                      shape(kernel.grid),
                      kernel.cluster == 1 ? "" : fmt::format("cluster {}, ", kernel.cluster),
                      shape(kernel.block), bytes, bytes == 1 ? "" : "s");
  if (keeps_order(kernel.body)) text += "// ptxas -O1: statements keep their order\n";
  return text;
}

}  // namespace hone
