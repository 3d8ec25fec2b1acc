#include "dsl/program.h"

#include "dsl/name.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/site.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "ir/verify/verifier.h"

namespace hone {
namespace {

/// Unique elements in the order of their first use.
template <class Pointer>
void add_unique(llvm::SmallVectorImpl<Pointer>& set, const Pointer& element) {
  if (!llvm::is_contained(set, element)) set.push_back(element);
}

using Tensors = llvm::SmallVector<TensorPtr, 4>;
using Params = llvm::SmallVector<ParamPtr, 4>;

/// Calls `use` on all expressions that the definition is computed from, in the order of its text,
/// but for the element itself.
void walk_definition(const Definition& definition, llvm::function_ref<void(const Expr&)> use) {
  for (const Expr& index : definition.indices) walk(index, use);
  if (!definition.is_reduction()) return walk(definition.value, use);
  const Reduction& reduction = definition.reduction;
  const Expr accumulator = Load::make(definition.reduced(), definition.indices);
  const auto walk_reduced = [&] {
    walk(reduction.identity, use);
    walk(reduction.combined(accumulator), [&](const Expr& part) {
      if (!part.same_as(accumulator)) use(part);
    });
  };
  bool is_reduced = false;
  walk(reduction.finished(accumulator), [&](const Expr& part) {
    if (!part.same_as(accumulator)) return use(part);
    if (!is_reduced) walk_reduced();
    is_reduced = true;
  });
  if (!is_reduced) walk_reduced();
}

/// But for the one that is defined.
Tensors tensors_read(const Definition& definition) {
  Tensors tensors;
  walk_definition(definition, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (load && load->tensor != definition.tensor) add_unique(tensors, load->tensor);
  });
  return tensors;
}

void add_param(Params& params, const Expr& part) {
  if (const auto* reference = llvm::dyn_cast<ParamRef>(part)) add_unique(params, reference->param);
}

void add_params(Params& params, const Expr& expr) {
  walk(expr, [&](const Expr& part) { add_param(params, part); });
}

/// Loops of a definition, outermost first: the spatial axes, then those of the reduction.
llvm::SmallVector<Axis, 4> all_axes(const Definition& definition) {
  llvm::SmallVector<Axis, 4> axes = definition.axes;
  for (const ReduceAxis& axis : definition.reduction.axes) axes.push_back(axis);
  return axes;
}

void check_axes(const Definition& definition) {
  const auto axes = all_axes(definition);
  llvm::SmallVector<const AxisNode*, 4> seen;
  for (const ReduceAxis& axis : definition.reduction.axes) {
    if (llvm::is_contained(seen, axis.node().get()))
      throw DefinitionError(
          fmt::format("{} reduces over {} twice", definition.text(), axis.name()));
    seen.push_back(axis.node().get());
  }
  walk_definition(definition, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return;
    const auto is_it = [&](const Axis& axis) { return axis.node() == reference->axis; };
    if (llvm::none_of(axes, is_it))
      throw DefinitionError(
          fmt::format("{} uses {}, which is neither an index of {} nor reduced over",
                      definition.text(), reference->axis->name, definition.tensor->name));
  });
}

/// Loops over the dimensions of the tensor that no axis of the definition runs through, around what
/// `make` makes of the element.
Stmt for_each_element(const Definition& definition, llvm::StringRef suffix, Names& names,
                      llvm::function_ref<Stmt(llvm::ArrayRef<Expr>)> make) {
  llvm::SmallVector<Expr, 4> element = definition.indices;
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 2> loops;
  for (size_t dim = 0; dim < element.size(); ++dim) {
    const auto* reference = llvm::dyn_cast<AxisRef>(element[dim]);
    const auto is_it = [&](const Axis& axis) { return axis.node() == reference->axis; };
    if (reference && llvm::any_of(definition.axes, is_it)) continue;
    const std::string name = fmt::format("{}.{}{}", definition.tensor->name, dim, suffix.str());
    loops.push_back(
        {make_axis(names.fresh(name), AxisKind::spatial), definition.tensor->shape[dim]});
    element[dim] = AxisRef::make(loops.back().first);
  }
  Stmt nest = make(element);
  for (const auto& [axis, extent] : llvm::reverse(loops)) nest = For::make(axis, extent, {}, nest);
  return nest;
}

/// The statements under the spatial loops.
Stmt innermost(const Definition& definition, Names& names) {
  const TensorPtr& tensor = definition.tensor;
  const auto& indices = definition.indices;
  if (!definition.is_reduction())
    return Store::make(tensor, indices, definition.update, definition.value);
  const Reduction& reduction = definition.reduction;
  const TensorPtr& reduced = definition.reduced();
  Stmt update = Store::make(reduced, indices, reduction.update,
                            reduction.combined(Load::make(reduced, indices)), reduction.op);
  for (const ReduceAxis& axis : llvm::reverse(reduction.axes))
    update = For::make(axis.node(), axis.extent(), {}, update);
  if (definition.is_in_place()) return update;
  llvm::SmallVector<Stmt, 3> stmts;
  stmts.push_back(for_each_element(definition, ".init", names, [&](llvm::ArrayRef<Expr> element) {
    return Store::make(reduced, element, Update::set, reduction.identity);
  }));
  stmts.push_back(update);
  if (reduction.epilogue)
    stmts.push_back(for_each_element(definition, ".post", names, [&](llvm::ArrayRef<Expr> element) {
      return Store::make(tensor, element, Update::set,
                         reduction.finished(Load::make(reduced, element)));
    }));
  return Seq::make(stmts);
}

/// The nest of one definition. Axes that an earlier definition uses get a name of their own: "i.S".
Stmt nest_of(const Definition& definition, Names& names) {
  check_axes(definition);
  Stmt nest = innermost(definition, names);
  for (const Axis& axis : llvm::reverse(definition.axes))
    nest = For::make(axis.node(), axis.extent(), {}, nest);
  if (definition.accumulator) nest = Alloc::make(definition.accumulator, nest);
  for (const Axis& axis : all_axes(definition)) {
    const AxisNode& node = *axis.node();
    if (names.fresh(node.name) == node.name) continue;
    const AxisPtr own =
        make_axis(names.fresh(node.name + "." + definition.tensor->name), node.kind, node.roots);
    nest = transform_stmts(nest, [&](const Stmt& stmt) {
      const auto* loop = llvm::dyn_cast<For>(stmt);
      if (!loop || loop->axis != axis.node()) return Stmt();
      return For::make(own, loop->extent, {}, substitute(loop->body, &node, AxisRef::make(own)));
    });
  }
  return nest;
}

/// Null for a tensor that is only read.
const Definition* first_of(llvm::ArrayRef<Definition> definitions, const TensorPtr& tensor) {
  const auto* first =
      llvm::find_if(definitions, [&](const Definition& d) { return d.tensor == tensor; });
  return first == definitions.end() ? nullptr : first;
}

/// An element is made of its own value, once, and of no other one of its tensor, which may have
/// become another one.
void check_own_elements(const Definition& definition) {
  walk_definition(definition, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (!load || load->tensor != definition.tensor) return;
    const std::string& name = definition.tensor->name;
    if (!definition.is_own_element(part))
      throw DefinitionError(
          fmt::format("{} reads {}, which is another element of what it defines; define {} from a "
                      "tensor of its own",
                      definition.text(), part, name));
    if (definition.is_reduction())
      throw DefinitionError(
          fmt::format("{} reads {} beside a reduction into it; define the reduction as a tensor of "
                      "its own, and {} from that",
                      definition.text(), part, name));
  });
}

void check_definition(const Definition& definition) {
  if (!definition.tensor)
    throw DefinitionError("a definition defines nothing; write it as C(i, j) = ...");
  if (definition.is_reduction() && !definition.reduction.value.defined())
    throw DefinitionError(
        fmt::format("the definition of {} has no value", definition.tensor->name));
  check_own_elements(definition);
}

/// `definition`, one of the definitions, reads what stands before it.
void check_order(llvm::ArrayRef<Definition> definitions, const Definition& definition) {
  for (const TensorPtr& tensor : tensors_read(definition)) {
    const Definition* first = first_of(definitions, tensor);
    if (first && !first->is_in_place() && first >= &definition)
      throw DefinitionError(fmt::format("{} reads {}, which is not defined before it",
                                        definition.text(), tensor->name));
  }
}

void check_definitions(llvm::ArrayRef<Definition> definitions) {
  if (definitions.empty()) throw DefinitionError("a program has at least one definition");
  Tensors defined;
  for (const Definition& definition : definitions)
    located<DefinitionError>(definition.location, [&] {
      check_definition(definition);
      if (llvm::is_contained(defined, definition.tensor) && !definition.is_in_place())
        throw DefinitionError(fmt::format("{} is defined twice", definition.tensor->name));
      defined.push_back(definition.tensor);
    });
  for (const Definition& definition : definitions)
    located<DefinitionError>(definition.location, [&] { check_order(definitions, definition); });
}

struct Roles {
  Tensors arguments, temporaries;
};

Roles roles_of(llvm::ArrayRef<Definition> definitions) {
  Tensors defined, read, seen;
  for (const Definition& definition : definitions) {
    for (const TensorPtr& tensor : tensors_read(definition)) add_unique(read, tensor);
    add_unique(defined, definition.tensor);
    if (definition.is_output) add_unique(seen, definition.tensor);
  }
  const auto is_temporary = [&](const TensorPtr& tensor) {
    const Definition* first = first_of(definitions, tensor);
    return first && llvm::is_contained(read, tensor) && !llvm::is_contained(seen, tensor) &&
           !first->is_in_place();
  };
  Roles roles;
  for (const TensorPtr& tensor : read)
    if (is_temporary(tensor))
      roles.temporaries.push_back(tensor);
    else if (!llvm::is_contained(defined, tensor))
      roles.arguments.push_back(tensor);
  for (const TensorPtr& tensor : defined)
    if (!is_temporary(tensor)) roles.arguments.push_back(tensor);
  return roles;
}

/// In the order of the definitions: the extents of their elements, then of their reductions.
/// The pitches of tensors come last.
Params params_of(const Roles& roles, llvm::ArrayRef<Definition> definitions) {
  Params params;
  for (const Definition& definition : definitions) {
    for (const Axis& axis : all_axes(definition)) add_params(params, axis.extent());
    walk_definition(definition, [&](const Expr& part) { add_param(params, part); });
  }
  for (const Tensors& tensors : {roles.arguments, roles.temporaries})
    for (const TensorPtr& tensor : tensors)
      for (const Expr& extent : tensor->shape) add_params(params, extent);
  for (const Tensors& tensors : {roles.arguments, roles.temporaries})
    for (const TensorPtr& tensor : tensors)
      if (tensor->layout.row_pitch.defined()) add_params(params, tensor->layout.row_pitch);
  return params;
}

void add_condition(SizeCheck check, Function& function) {
  check.holds = simplify(check.holds, facts_of(function.assumptions));
  if (is_int(check.holds, 1)) return;
  function.assumptions.push_back(check.holds);
  function.index_checks.push_back(std::move(check));
}

}  // namespace

Program::Program(const Name& name, llvm::ArrayRef<Definition> definitions) {
  located<DefinitionError>(name.location, [&] {
    check_name("a program", name.text);
    function_.name = name.text.str();
    add(definitions);
  });
}

void Program::add(llvm::ArrayRef<Definition> definitions) {
  check_definitions(definitions);
  const Roles roles = roles_of(definitions);
  function_.arguments.assign(roles.arguments.begin(), roles.arguments.end());
  function_.params = params_of(roles, definitions);
  function_.body = Seq::make({});
  Names names(function_);
  for (const TensorPtr& temporary : roles.temporaries) names.fresh(temporary->name);
  llvm::SmallVector<Stmt, 4> nests;
  for (const Definition& definition : definitions)
    located<DefinitionError>(definition.location, [&] {
      nests.push_back(nest_of(definition, names));
      for (const SizeCheck& condition : definition.conditions) add_condition(condition, function_);
      function_.history.push_back(definition.text());
    });
  Stmt body = Seq::make(nests);
  for (const TensorPtr& temporary : llvm::reverse(roles.temporaries))
    body = Alloc::make(temporary, body);
  function_.body = simplify(body);
  if (const auto problem = verify(function_)) throw DefinitionError(*problem);
}

}  // namespace hone
