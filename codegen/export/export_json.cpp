// The launch contract as JSON: see docs/launch-contract.md.
#include "codegen/export/export.h"
#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/text/operators.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hone {
namespace {

namespace json = llvm::json;

/// A number, the name of a size, or [operator, operand...].
json::Value formula(const Expr& expr) {
  using Value = json::Value;
  return visit(
      expr, [](const IntConst& n) -> Value { return n.value; },
      [](const ParamRef& n) -> Value { return n.param->name; },
      [](const Unary& n) -> Value {
        return json::Array{n.op == UnaryOp::logical_not ? "!" : "negate", formula(n.operand)};
      },
      [](const Binary& n) -> Value {
        const InfixOperator* infix = find_infix(n.op);
        const std::string name = infix                   ? infix->spelling.str()
                                 : n.op == BinaryOp::min ? "min"
                                                         : "max";
        return json::Array{name, formula(n.lhs), formula(n.rhs)};
      },
      [](const Select& n) -> Value {
        return json::Array{"select", formula(n.condition), formula(n.if_true), formula(n.if_false)};
      },
      [](const Cast& n) -> Value { return formula(n.operand); },
      [](const auto&) -> Value { llvm_unreachable("no formula over sizes"); });
}

template <class List, class Convert>
json::Array each(const List& list, Convert convert) {
  json::Array array;
  for (const auto& entry : list) array.push_back(convert(entry));
  return array;
}

json::Array formulas(llvm::ArrayRef<Expr> list) { return each(list, formula); }

json::Array names(llvm::ArrayRef<ParamPtr> params) {
  return each(params, [](const ParamPtr& param) { return json::Value(param->name); });
}

json::Array checks(llvm::ArrayRef<SizeCheck> list) {
  return each(list, [](const SizeCheck& check) {
    return json::Object{{"holds", formula(check.holds)},
                        {"message", check.message},
                        {"values", formulas(check.values)}};
  });
}

json::Object argument(const ContractArgument& argument) {
  const TensorNode& tensor = *argument.tensor;
  json::Object object{{"name", tensor.name},
                      {"type", name(tensor.type)},
                      {"shape", formulas(tensor.shape)},
                      {"order", each(storage_order(tensor), [](int dim) { return dim; })},
                      {"pitch", tensor.rank() == 0 ? json::Value(1) : formula(row_pitch(tensor))},
                      {"bytes", formula(storage_size(tensor) * size_of(tensor.type))},
                      {"written", argument.is_written}};
  return object;
}

json::Object workspace(const LaunchContract& contract) {
  const Expr zero_offset = workspace_bytes(contract.temporaries);
  json::Array parts;
  const auto add = [&](llvm::ArrayRef<WorkspacePart> list, const Expr& start, bool is_zero) {
    for (const auto& [tensor, offset, bytes] : list)
      parts.push_back(json::Object{{"name", tensor->name},
                                   {"type", name(tensor->type)},
                                   {"offset", formula(start + offset)},
                                   {"bytes", formula(bytes)},
                                   {"zero", is_zero}});
  };
  add(contract.temporaries, 0, false);
  add(contract.counters, zero_offset, true);
  return json::Object{{"bytes", formula(zero_offset + workspace_bytes(contract.counters))},
                      {"zero_offset", formula(zero_offset)},
                      {"parts", std::move(parts)}};
}

json::Object operand(const LaunchContract& contract, const KernelOperand& operand) {
  const auto number = static_cast<int64_t>(operand.number);
  json::Object object{{"written", operand.is_written}};
  if (operand.kind == KernelOperand::Kind::argument)
    object["argument"] = number;
  else
    object["workspace"] = operand.kind == KernelOperand::Kind::temporary
                              ? number
                              : number + static_cast<int64_t>(contract.temporaries.size());
  return object;
}

json::Array named_formula(const NamedFormula& value) {
  return json::Array{value.name->name, formula(value.formula)};
}

json::Object tensor_map(const TensorMap& map) {
  return json::Object{{"operand", static_cast<int64_t>(map.operand)},
                      {"element_bytes", size_of(map.type)},
                      {"extents", formulas(map.extents)},
                      {"strides", formulas(map.strides)},
                      {"box", each(map.box, [](int64_t extent) { return extent; })},
                      {"swizzle", map.swizzle}};
}

json::Object kernel(const LaunchContract& contract, const KernelContract& kernel) {
  const auto as_operand = [&](const KernelOperand& one) { return operand(contract, one); };
  const int64_t dynamic = kernel.dynamic_shared_bytes();
  json::Object object{{"symbol", kernel.symbol},
                      {"operands", each(kernel.operands, as_operand)},
                      {"sizes", names(kernel.params)},
                      {"size_bits", kernel.index_bits},
                      {"tensor_maps", each(kernel.tensor_maps, tensor_map)},
                      {"grid", formulas(kernel.grid)},
                      {"block", formulas(kernel.block)},
                      {"static_shared_bytes", kernel.shared_bytes - dynamic},
                      {"dynamic_shared_bytes", dynamic},
                      {"limits", checks(kernel.limits)},
                      {"values", each(kernel.values, named_formula)},
                      {"index_limits", checks(kernel.index_limits)}};
  if (kernel.cluster > 1) object["cluster"] = kernel.cluster;
  if (kernel.starts_early) object["starts_early"] = true;
  return object;
}

json::Object alignment(const AlignmentCheck& check) {
  return json::Object{{"argument", static_cast<int64_t>(check.argument)},
                      {"bytes", check.bytes},
                      {"message", check.message}};
}

json::Object overlap(const OverlapCheck& check) {
  return json::Object{{"arguments", json::Array{static_cast<int64_t>(check.first),
                                                static_cast<int64_t>(check.second)}},
                      {"may_be_one", check.may_be_one},
                      {"message", check.message}};
}

}  // namespace

std::string export_json(const LaunchContract& contract) {
  const auto as_kernel = [&](const KernelContract& one) { return kernel(contract, one); };
  const json::Value value = json::Object{{"format", "hone launch contract"},
                                         {"version", 2},
                                         {"name", contract.name},
                                         {"sizes", names(contract.params)},
                                         {"size_checks", checks(contract.sizes)},
                                         {"promises", checks(contract.promises)},
                                         {"arguments", each(contract.arguments, argument)},
                                         {"alignments", each(contract.alignments, alignment)},
                                         {"overlaps", each(contract.overlaps, overlap)},
                                         {"workspace", workspace(contract)},
                                         {"kernels", each(contract.kernels, as_kernel)}};
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0:2}", value);
  return out.str() + "\n";
}

}  // namespace hone
