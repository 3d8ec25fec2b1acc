#include "ir/traverse/equal.h"

#include <bit>
#include <cmath>

#include "ir/traverse/scopes.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/Hashing.h"

namespace hone {
namespace {

/// Of two axes, or of two tensors.
template <class Node>
bool same_name(const Node& lhs, const Node& rhs) {
  return lhs.name == rhs.name && (!lhs.name.empty() || lhs.id == rhs.id);
}

/// A reference: the declaration tells the rest.
bool same_tensor(const TensorNode& lhs, const TensorNode& rhs) {
  if (&lhs == &rhs) return true;
  return same_name(lhs, rhs) && lhs.type == rhs.type && lhs.scope == rhs.scope;
}

bool same_value(double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs)) return std::isnan(lhs) && std::isnan(rhs);
  return lhs == rhs && std::signbit(lhs) == std::signbit(rhs);
}

/// Compares two nodes of one kind and type.
bool same_node(const Expr& lhs, const Expr& rhs) {
  return visit(
      lhs, [&](const IntConst& left) { return left.value == llvm::cast<IntConst>(rhs)->value; },
      [&](const FloatConst& left) {
        return same_value(left.value, llvm::cast<FloatConst>(rhs)->value);
      },
      [&](const AxisRef& left) { return same_name(*left.axis, *llvm::cast<AxisRef>(rhs)->axis); },
      [&](const ParamRef& left) {
        return left.param->name == llvm::cast<ParamRef>(rhs)->param->name;
      },
      [&](const ThreadIndex& left) {
        const auto& right = *llvm::cast<ThreadIndex>(rhs);
        return left.space == right.space && left.dim == right.dim;
      },
      [&](const Load& left) {
        const auto& right = *llvm::cast<Load>(rhs);
        return same_tensor(*left.tensor, *right.tensor) && all_equal(left.indices, right.indices);
      },
      [&](const Unary& left) {
        const auto& right = *llvm::cast<Unary>(rhs);
        return left.op == right.op && equal(left.operand, right.operand);
      },
      [&](const Binary& left) {
        const auto& right = *llvm::cast<Binary>(rhs);
        return left.op == right.op && equal(left.lhs, right.lhs) && equal(left.rhs, right.rhs);
      },
      [&](const Select& left) {
        const auto& right = *llvm::cast<Select>(rhs);
        return equal(left.condition, right.condition) && equal(left.if_true, right.if_true) &&
               equal(left.if_false, right.if_false);
      },
      [&](const Cast& left) { return equal(left.operand, llvm::cast<Cast>(rhs)->operand); },
      [&](const Call& left) {
        const auto& right = *llvm::cast<Call>(rhs);
        return left.intrinsic == right.intrinsic && all_equal(left.arguments, right.arguments);
      },
      [&](const MakeTuple& left) {
        return all_equal(left.components, llvm::cast<MakeTuple>(rhs)->components);
      },
      [&](const Component& left) {
        const auto& right = *llvm::cast<Component>(rhs);
        return left.position == right.position && equal(left.tuple, right.tuple);
      },
      [&](const Shuffle& left) {
        const auto& right = *llvm::cast<Shuffle>(rhs);
        return left.mode == right.mode && equal(left.value, right.value) &&
               equal(left.offset, right.offset) && equal(left.lanes, right.lanes);
      },
      [&](const Named& left) { return equal(left.value, llvm::cast<Named>(rhs)->value); });
}

bool same_region(const Region& lhs, const Region& rhs) {
  const auto same_range = [](const Range& left, const Range& right) {
    if (left.is_point() != right.is_point()) return false;
    return equal(left.offset, right.offset) &&
           (left.is_point() || (left.stride == right.stride && equal(left.extent, right.extent)));
  };
  return same_tensor(*lhs.tensor, *rhs.tensor) &&
         std::equal(lhs.ranges.begin(), lhs.ranges.end(), rhs.ranges.begin(), rhs.ranges.end(),
                    same_range);
}

bool same_operator(const OperatorPtr& lhs, const OperatorPtr& rhs) {
  return lhs == rhs || (lhs && rhs && equal(*lhs, *rhs));
}

bool same_place(const ElementRef& lhs, const ElementRef& rhs) {
  return same_tensor(*lhs.tensor, *rhs.tensor) && all_equal(lhs.indices, rhs.indices);
}

bool same_instr(const Instr& lhs, const Instr& rhs) {
  return &lhs.opcode == &rhs.opcode && lhs.constants == rhs.constants &&
         all_equal(lhs.values, rhs.values) &&
         std::equal(lhs.places.begin(), lhs.places.end(), rhs.places.begin(), rhs.places.end(),
                    same_place);
}

/// Compares two lines of one kind with what stands in their braces.
bool same_line(const Stmt& lhs, const Stmt& rhs) {
  if (lhs.same_as(rhs)) return true;
  if (lhs.kind() != rhs.kind()) return false;
  return visit(
      lhs,
      [&](const For& left) {
        const auto& right = *llvm::cast<For>(rhs);
        return left.axis->name == right.axis->name && left.axis->kind == right.axis->kind &&
               left.binding == right.binding && equal(left.extent, right.extent) &&
               equal(left.body, right.body);
      },
      [](const Seq&) -> bool { llvm_unreachable("a sequence is not a line"); },
      [&](const If& left) {
        const auto& right = *llvm::cast<If>(rhs);
        return equal(left.condition, right.condition) && equal(left.body, right.body);
      },
      [&](const Let& left) {
        const auto& right = *llvm::cast<Let>(rhs);
        return left.axis->name == right.axis->name && equal(left.value, right.value);
      },
      [&](const Store& left) {
        const auto& right = *llvm::cast<Store>(rhs);
        return left.update == right.update && left.is_atomic == right.is_atomic &&
               same_operator(left.op, right.op) && same_tensor(*left.tensor, *right.tensor) &&
               all_equal(left.indices, right.indices) && equal(left.value, right.value);
      },
      [&](const Alloc& left) { return equal(*left.tensor, *llvm::cast<Alloc>(rhs)->tensor); },
      [&](const Copy& left) {
        const auto& right = *llvm::cast<Copy>(rhs);
        return left.vector == right.vector && left.execution == right.execution &&
               equal(left.fill, right.fill) && same_region(left.destination, right.destination) &&
               same_region(left.source, right.source);
      },
      [&](const Instr& left) { return same_instr(left, *llvm::cast<Instr>(rhs)); });
}

}  // namespace

bool equal(const Expr& lhs, const Expr& rhs) {
  if (lhs.same_as(rhs)) return true;
  return lhs.kind() == rhs.kind() && lhs.type() == rhs.type() && same_node(lhs, rhs);
}

bool all_equal(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs) {
  return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                    [](const Expr& left, const Expr& right) { return equal(left, right); });
}

bool equal(const Layout& lhs, const Layout& rhs) {
  const bool same_pitch = lhs.row_pitch.defined() == rhs.row_pitch.defined() &&
                          (!lhs.row_pitch.defined() || equal(lhs.row_pitch, rhs.row_pitch));
  return lhs.digits == rhs.digits && lhs.padding == rhs.padding && same_pitch &&
         lhs.swizzles == rhs.swizzles;
}

bool equal(const TensorNode& lhs, const TensorNode& rhs) {
  if (&lhs == &rhs) return true;
  return same_tensor(lhs, rhs) && lhs.address == rhs.address && lhs.alignment == rhs.alignment &&
         lhs.is_in_parts == rhs.is_in_parts && lhs.is_value == rhs.is_value &&
         equal(lhs.layout, rhs.layout) && all_equal(lhs.shape, rhs.shape);
}

bool equal(const OperatorNode& lhs, const OperatorNode& rhs) {
  return lhs.name == rhs.name && equal(*lhs.lhs, *rhs.lhs) && equal(*lhs.rhs, *rhs.rhs) &&
         equal(lhs.combined, rhs.combined) && equal(lhs.identity, rhs.identity);
}

bool equal(const Stmt& lhs, const Stmt& rhs) {
  if (lhs.same_as(rhs)) return true;
  const auto left = lines_of(lhs), right = lines_of(rhs);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_line);
}

bool equal(const Function& lhs, const Function& rhs) {
  const auto same_param = [](const ParamPtr& left, const ParamPtr& right) {
    return left->name == right->name;
  };
  const auto same_argument = [](const TensorPtr& left, const TensorPtr& right) {
    return equal(*left, *right);
  };
  return lhs.name == rhs.name && lhs.may_alias == rhs.may_alias &&
         lhs.launches_early == rhs.launches_early && lhs.required == rhs.required &&
         std::equal(lhs.params.begin(), lhs.params.end(), rhs.params.begin(), rhs.params.end(),
                    same_param) &&
         std::equal(lhs.arguments.begin(), lhs.arguments.end(), rhs.arguments.begin(),
                    rhs.arguments.end(), same_argument) &&
         equal(lhs.body, rhs.body);
}

namespace {

llvm::hash_code hash_operands(const Expr& expr) {
  llvm::hash_code result = 0;
  for_each_operand(
      expr, [&](const Expr& operand) { result = llvm::hash_combine(result, hash(operand)); });
  return result;
}

size_t hash_value_of(double value) {
  return std::isnan(value) ? 0 : std::bit_cast<uint64_t>(value);
}

/// The hash of a node's fields beside its operands.
llvm::hash_code hash_fields(const Expr& expr) {
  return visit(
      expr, [](const IntConst& constant) { return llvm::hash_value(constant.value); },
      [](const FloatConst& constant) { return llvm::hash_value(hash_value_of(constant.value)); },
      [](const AxisRef& reference) { return llvm::hash_value(reference.axis->name); },
      [](const ParamRef& reference) { return llvm::hash_value(reference.param->name); },
      [](const ThreadIndex& index) { return llvm::hash_combine(index.space, index.dim); },
      [](const Load& load) { return llvm::hash_value(load.tensor->name); },
      [](const Unary& unary) { return llvm::hash_value(unary.op); },
      [](const Binary& binary) { return llvm::hash_value(binary.op); },
      [](const Select&) { return llvm::hash_code(0); },
      [](const Cast&) { return llvm::hash_code(0); },
      [](const Call& call) { return llvm::hash_value(call.intrinsic); },
      [](const MakeTuple&) { return llvm::hash_code(0); },
      [](const Component& component) { return llvm::hash_value(component.position); },
      [](const Shuffle& shuffle) { return llvm::hash_value(shuffle.mode); },
      [](const Named&) { return llvm::hash_code(0); });
}

llvm::hash_code hash(const CombineLevels& levels) {
  llvm::hash_code result = 0;
  for (const CombineLevel& level : levels.list())
    result = llvm::hash_combine(result, level.unit, level.means, level.unrolled);
  return result;
}

llvm::hash_code hash_fields(const Stmt& line) {
  return visit(
      line,
      [](const For& loop) {
        return llvm::hash_combine(loop.axis->name, loop.axis->kind, loop.binding.kind,
                                  loop.binding.dim, loop.binding.count, hash(loop.binding.combine),
                                  loop.binding.digit.stride, loop.binding.digit.count,
                                  hash(loop.body));
      },
      [](const Seq&) -> llvm::hash_code { llvm_unreachable("a sequence is not a line"); },
      [](const If& branch) { return llvm::hash_code(hash(branch.body)); },
      [](const Let& let) { return llvm::hash_value(let.axis->name); },
      [](const Store& store) {
        return llvm::hash_combine(store.tensor->name, store.update,
                                  store.op ? store.op->name : std::string());
      },
      [](const Alloc& alloc) {
        const TensorNode& tensor = *alloc.tensor;
        const Layout& layout = tensor.layout;
        return llvm::hash_combine(tensor.name, tensor.type, tensor.scope, layout.padding,
                                  layout.digits.size(), layout.swizzles.size());
      },
      [](const Copy& copy) {
        return llvm::hash_combine(copy.destination.tensor->name, copy.source.tensor->name,
                                  copy.vector, copy.execution.digits.size(), copy.execution.engine,
                                  hash(copy.fill));
      },
      [](const Instr& instr) {
        llvm::hash_code result = llvm::hash_value(&instr.opcode);
        for (const ElementRef& place : instr.places)
          result = llvm::hash_combine(result, place.tensor->name);
        return result;
      });
}

}  // namespace

/// A node keeps its hash, since nodes never change.
size_t hash(const Expr& expr) {
  std::atomic<size_t>& known = expr.get()->known_hash;
  size_t result = known.load(std::memory_order_relaxed);
  if (result != 0) return result;
  result = llvm::hash_combine(expr.kind(), expr.type(), hash_fields(expr), hash_operands(expr));
  known.store(result, std::memory_order_relaxed);
  return result;
}

size_t hash(const Stmt& stmt) {
  llvm::hash_code result = 0;
  for (const Stmt& line : lines_of(stmt)) {
    result = llvm::hash_combine(result, line.kind(), hash_fields(line));
    for_each_operand(
        line, [&](const Expr& operand) { result = llvm::hash_combine(result, hash(operand)); },
        [](const Stmt&) {});
  }
  return result;
}

}  // namespace hone
