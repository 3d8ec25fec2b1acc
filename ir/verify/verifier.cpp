#include "ir/verify/verifier.h"

#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/core/layout_problem.h"
#include "ir/core/violation.h"
#include "ir/scalar/scalar.h"
#include "ir/target/alignment.h"
#include "ir/text/meaning.h"
#include "ir/text/operators.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/function_size.h"
#include "ir/traverse/visit.h"
#include "ir/verify/verify_kernel_ir.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
namespace {

bool is_device(const Binding& binding) {
  return binding.kind == Binding::Kind::block || binding.kind == Binding::Kind::thread;
}

std::string type_name(const Expr& expr) { return name(expr.type()).str(); }

void check_name(const std::string& name) {
  require(is_identifier(name), "'{}' is not a name", name);
  require(!is_reserved(name), "'{}' is reserved", name);
}

/// Checks one function from top to bottom, keeping what is in scope.
class Verifier {
 public:
  explicit Verifier(IrLevel level)
      : is_kernel_(level == IrLevel::kernel),
        has_kernel_nodes_(level != IrLevel::loops),
        has_clipped_loops_(level == IrLevel::lowering) {}
  void check(const Function& function);

 private:
  void declare_param(const ParamNode& param);
  void declare_axis(const AxisPtr& axis, bool is_loop);
  void declare_tensor(const TensorNode& tensor);

  void check(const Stmt& stmt);
  void check(const For& loop);
  void check(const Let& let);
  void check(const Store& store);
  void check(const OperatorPtr& op);
  void check(const Alloc& alloc);
  void check(const Copy& copy);
  void check_nest(const For& loop);
  void check(const Instr& instr);
  void check_types(const Instr& instr);

  void check(const Region& region);
  void check_index(const TensorNode& tensor, const Expr& index);
  void check_size(const Expr& size, llvm::function_ref<std::string()> what,
                  bool takes_axes = false);
  void check_reference(const TensorNode& tensor);
  void check_value(const Expr& expr);
  void check_node(const Expr& expr);

  const bool is_kernel_;
  const bool has_kernel_nodes_;
  const bool has_clipped_loops_;  ///< extents may depend on the loops around
  std::string function_name_;
  llvm::StringSet<> params_;
  llvm::StringMap<const AxisNode*> axes_;  ///< all so far, by name
  llvm::DenseSet<const AxisNode*> axes_in_scope_;
  llvm::StringSet<> tensors_;  ///< all names so far
  llvm::StringMap<const TensorNode*> tensors_in_scope_;
  llvm::StringMap<OperatorPtr> operators_;  ///< all so far, by name
  llvm::SmallVector<const For*, 8> nest_;
};

void Verifier::check(const Function& function) {
  function_name_ = function.name;
  require(is_identifier(function.name), "'{}' is not a name", function.name);
  for (const ParamPtr& param : function.params) declare_param(*param);
  for (const TensorPtr& argument : function.arguments) {
    if (argument->scope != Scope::global)
      fail("argument {} is @{}, and arguments are @global", argument->name,
           name(argument->scope).str());
    declare_tensor(*argument);
    tensors_in_scope_[argument->name] = argument.get();
  }
  for (const Expr& assumption : function.assumptions) {
    check_value(assumption);
    if (assumption.type() != DType::boolean)
      fail("the assumption {} is {}", assumption, type_name(assumption));
  }
  check(function.body);
}

void Verifier::declare_param(const ParamNode& param) {
  check_name(param.name);
  require(params_.insert(param.name).second, "two params are named {}", param.name);
}

void Verifier::declare_axis(const AxisPtr& axis, bool is_loop) {
  check_name(axis->name);
  require(!params_.contains(axis->name), "an axis and a param are named {}", axis->name);
  const auto [known, is_new] = axes_.try_emplace(axis->name, axis.get());
  if (is_new) return;
  require(known->second == axis.get(), "two axes are named {}", axis->name);
  require(!is_loop, "axis {} has two loops", axis->name);
  fail("axis {} has two values", axis->name);
}

void Verifier::declare_tensor(const TensorNode& tensor) {
  check_name(tensor.name);
  require(tensors_.insert(tensor.name).second, "two tensors are named {}", tensor.name);
  require(tensor.type != DType::index, "the elements of {} have type index", tensor.name);
  for (const Expr& extent : tensor.shape)
    check_size(extent, [&] { return fmt::format("the extent {} of {}", extent, tensor.name); });
  if (const auto problem = layout_problem(tensor))
    fail("the layout of {}: {}", tensor.name, *problem);
  if (const auto problem = alignment_problem(tensor))
    fail("the alignment of {}: {}", tensor.name, *problem);
}

void Verifier::check(const Stmt& stmt) {
  visit(
      stmt, [&](const For& loop) { check(loop); },
      [&](const Seq& seq) {
        for (const Stmt& nested : seq.stmts) check(nested);
      },
      [&](const If& branch) {
        check_value(branch.condition);
        if (branch.condition.type() != DType::boolean)
          fail("the condition {} of an if is {}", branch.condition, type_name(branch.condition));
        check(branch.body);
      },
      [&](const Let& let) { check(let); }, [&](const Store& store) { check(store); },
      [&](const Alloc& alloc) { check(alloc); }, [&](const Copy& copy) { check(copy); },
      [&](const Instr& instr) { check(instr); });
}

void Verifier::check(const Instr& instr) {
  require(has_kernel_nodes_, "{} stands in loop IR", instr.opcode.word());
  for (const ElementRef& place : instr.places) check_reference(*place.tensor);
  for_each_operand(
      Stmt(&instr), [&](const Expr& operand) { check_value(operand); }, [](const Stmt&) {});
  for (const auto& [place, kind] : llvm::zip(instr.places, instr.opcode.place_kinds()))
    if (kind != FormatPart::Kind::slot)
      for (const Expr& index : place.indices) check_index(*place.tensor, index);
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    require(place.tensor->scope == spread.scope, "{} of {} is not in {}", place.tensor->name,
            instr.opcode.word(), spread.scope == Scope::registers ? "registers" : "shared memory");
  if (instr.opcode.rules.meaning) check_types(instr);
  if (instr.opcode.rules.check) instr.opcode.rules.check(instr);
}

/// The types of the places are those of the arguments of the meaning.
void Verifier::check_types(const Instr& instr) {
  for (const auto& [place, argument] : llvm::zip(instr.places, meaning_of(instr.opcode).arguments))
    require(place.tensor->type == argument->type, "{} of {} is {}, and not {}", place.tensor->name,
            instr.opcode.word(), name(place.tensor->type).str(), name(argument->type).str());
}

void Verifier::check(const For& loop) {
  declare_axis(loop.axis, true);
  check_size(
      loop.extent, [&] { return fmt::format("the extent {} of {}", loop.extent, loop.axis->name); },
      has_clipped_loops_);
  const ThreadDigit& digit = loop.binding.digit;
  const bool is_dimension = loop.binding.dim < 3 || (loop.binding.is_cluster() && digit.is_whole());
  require(is_dimension && loop.binding.count >= 0 && digit.stride >= 1 && digit.count >= 0,
          "{} has an impossible binding", loop.axis->name);
  require(!loop.binding.combine || (loop.is_reduction() && is_device(loop.binding)),
          "{} combines, and is no reduction over blocks or threads", loop.axis->name);
  for (const auto& [attribute, number] : loop.binding.attributes.all())
    require(attribute->is_for(loop.binding), "{} is @{}, and is no loop that may be",
            loop.axis->name, attribute->word);
  is_kernel_ ? check_in_kernel(loop) : check_nest(loop);
  nest_.push_back(&loop);
  axes_in_scope_.insert(loop.axis.get());
  check(loop.body);
  axes_in_scope_.erase(loop.axis.get());
  nest_.pop_back();
}

/// The bindings of the loops around `loop` allow its own.
void Verifier::check_nest(const For& loop) {
  const Binding& inner = loop.binding;
  if (!inner.is_parallel()) return;
  for (const For* around : nest_) {
    const Binding& outer = around->binding;
    require(
        !(inner.kind == Binding::Kind::block && outer.kind == inner.kind && outer.dim == inner.dim),
        "{} is bound twice: to {} and, inside it, to {}", to_string(inner), around->axis->name,
        loop.axis->name);
    require(inner.kind != Binding::Kind::block || outer.kind == Binding::Kind::block,
            "the {} loop {} stands inside {}, which is {}", to_string(inner), loop.axis->name,
            around->axis->name, to_string(outer));
    require(!outer.is_parallel() || is_device(inner) == is_device(outer),
            "the {} loop {} stands inside the {} loop {}", to_string(inner), loop.axis->name,
            to_string(outer), around->axis->name);
  }
}

void Verifier::check(const Let& let) {
  check_value(let.value);
  require(let.value.type() == DType::index, "the value {} of {} is {}, not an index", let.value,
          let.axis->name, type_name(let.value));
  declare_axis(let.axis, false);
  axes_in_scope_.insert(let.axis.get());
  check(let.body);
  axes_in_scope_.erase(let.axis.get());
}

/// `op=` combines elements of the type.
bool takes(const Store& store, DType type) {
  if (store.update == Update::set) return true;
  if (store.op) return store.op->lhs->type == type;
  if (!has_arithmetic(type)) return false;
  const bool is_logical = store.update == Update::logical_and || store.update == Update::logical_or;
  return is_logical == (type == DType::boolean);
}

void Verifier::check(const Store& store) {
  const TensorNode& tensor = *store.tensor;
  check_reference(tensor);
  require(!store.is_atomic || has_kernel_nodes_, "an atomic store to {} stands in loop IR",
          tensor.name);
  require(!store.is_atomic || tensor.scope != Scope::registers,
          "an atomic store to {}, which is in registers", tensor.name);
  require(!store.is_atomic || store.update != Update::set,
          "an atomic store to {} without an update", tensor.name);
  for (const Expr& index : store.indices) check_index(tensor, index);
  check_value(store.value);
  if (store.op) check(store.op);
  require(takes(store, tensor.type), "{} is {}, which '{}' does not take", tensor.name,
          name(tensor.type).str(), update_text(store));
}

void Verifier::check(const OperatorPtr& op) {
  const auto [known, is_new] = operators_.try_emplace(op->name, op);
  if (!is_new) {
    require(equal(*known->second, *op), "two operators are named {}", op->name);
    return;
  }
  const auto problem = operator_problem(*op);
  require(!problem, "{}", problem.value_or(""));
}

void Verifier::check(const Alloc& alloc) {
  const TensorNode& tensor = *alloc.tensor;
  declare_tensor(tensor);
  require(has_kernel_nodes_ || !tensor.is_value, "{} is @value, and stands in loop IR",
          tensor.name);
  if (is_kernel_) check_in_kernel(tensor);
  tensors_in_scope_[tensor.name] = &tensor;
  check(alloc.body);
  tensors_in_scope_.erase(tensor.name);
}

void Verifier::check(const Copy& copy) {
  const Region &to = copy.destination, &from = copy.source;
  check(to);
  check(from);
  require(to.tensor->type == from.tensor->type, "a copy to {} ({}) from {} ({}) changes the type",
          to.tensor->name, name(to.tensor->type).str(), from.tensor->name,
          name(from.tensor->type).str());
  const auto to_extents = to.extents(), from_extents = from.extents();
  require(all_equal(to_extents, from_extents), "a copy to {} extents [{}] from {} extents [{}]",
          to.tensor->name, fmt::join(to_extents, ", "), from.tensor->name,
          fmt::join(from_extents, ", "));
  require(is_constant(copy.fill) && copy.fill.type() == from.tensor->type,
          "the fill {} of a copy from {} is not a constant of type {}", copy.fill,
          from.tensor->name, name(from.tensor->type).str());
  require(copy.vector >= 0, "a copy moves vectors of {} elements", copy.vector);
  require(has_kernel_nodes_ || (copy.execution.kind != CopyExecution::Kind::threads &&
                                copy.execution.digits.empty()),
          "loop IR says who makes the copy to {}", to.tensor->name);
  require(copy.execution.blocks == 1 || (copy.is_by_producers() && copy.moves_boxes()),
          "a copy to {} is one for {} blocks, and none of boxes by producers", to.tensor->name,
          copy.execution.blocks);
  if (is_kernel_) check_in_kernel(copy);
}

void Verifier::check(const Region& region) {
  check_reference(*region.tensor);
  for (const Range& range : region.ranges) {
    check_index(*region.tensor, range.offset);
    require(range.stride >= 1, "the stride {} of a region of {}", range.stride,
            region.tensor->name);
    if (!range.is_point())
      check_size(range.extent, [&] {
        return fmt::format("the extent {} of a region of {}", range.extent, region.tensor->name);
      });
  }
}

void Verifier::check_index(const TensorNode& tensor, const Expr& index) {
  check_value(index);
  if (index.type() != DType::index)
    fail("the index {} of {} is {}, not an index", index, tensor.name, type_name(index));
}

/// `what` names the size in messages.
void Verifier::check_size(const Expr& size, llvm::function_ref<std::string()> what,
                          bool takes_axes) {
  check_value(size);
  if (size.type() != DType::index) fail("{} is {}, not an index", what(), type_name(size));
  walk(size, [&](const Expr& part) {
    if (llvm::isa<Load, ThreadIndex, Shuffle>(part) || (llvm::isa<AxisRef>(part) && !takes_axes))
      fail("{} depends on {}; it may contain params and constants", what(), part);
  });
}

void Verifier::check_reference(const TensorNode& tensor) {
  const auto found = tensors_in_scope_.find(tensor.name);
  require(found != tensors_in_scope_.end(),
          "{} is neither an argument nor allocated around its use", tensor.name);
  const TensorNode& declared = *found->second;
  if (&declared == &tensor || equal(declared, tensor)) return;
  fail("{} @{} is used as {} @{}", declaration(declared), name(declared.scope).str(),
       declaration(tensor), name(tensor.scope).str());
}

void Verifier::check_value(const Expr& expr) {
  walk(expr, [&](const Expr& part) { check_node(part); });
}

void Verifier::check_node(const Expr& expr) {
  visit(
      expr,
      [](const IntConst& constant) {
        if (wrap_to(constant.type, constant.value) != constant.value)
          fail("{} does not fit {}", constant.value, name(constant.type).str());
      },
      [&](const AxisRef& reference) {
        const std::string& name = reference.axis->name;
        if (axes_in_scope_.contains(reference.axis.get())) return;
        const auto known = axes_.find(name);
        const bool is_other = known != axes_.end() && axes_in_scope_.contains(known->second);
        require(!is_other, "a reference to {} is to another axis of that name", name);
        fail("{} is used outside its loop", name);
      },
      [&](const ParamRef& reference) {
        require(params_.contains(reference.param->name), "{} is not a param of {}",
                reference.param->name, function_name_);
      },
      [&](const ThreadIndex&) {
        if (!has_kernel_nodes_) fail("{} stands in loop IR", expr);
      },
      [&](const Shuffle&) {
        if (!has_kernel_nodes_) fail("{} stands in loop IR", expr);
      },
      [&](const Load& load) { check_reference(*load.tensor); }, [](const auto&) {});
}

}  // namespace

std::optional<std::string> verify(const Function& function, IrLevel level) {
  if (!function.body.defined()) return function.name + " has no body";
  if (auto problem = size_problem(function)) return problem;
  try {
    Verifier(level).check(function);
  } catch (const Violation& violation) {
    return violation.message;
  }
  return std::nullopt;
}

}  // namespace hone
