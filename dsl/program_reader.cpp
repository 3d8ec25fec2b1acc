// Programs as text: definitions as they print, behind the arguments that they read.
#include "dsl/name.h"
#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/text/layout_parser.h"
#include "ir/text/printer.h"
#include "ir/text/tensor_parser.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringMap.h"

namespace hone {
namespace {

using llvm::StringRef;

using MakeReduction = Reduction (*)(const ReduceAxis& axis, const Expr& value);

/// Without a place in the code, as errors have that of the text.
template <Reduction (*function)(const ReduceAxis&, const Expr&, Location)>
Reduction make(const ReduceAxis& axis, const Expr& value) {
  return function(axis, value, {});
}

/// `value` is a number, or, as it prints, the pair of that and its index.
template <Reduction (*function)(const ReduceAxis&, const Expr&, DType, Location)>
Reduction make_place(const ReduceAxis& axis, const Expr& value) {
  if (const auto* pair = llvm::dyn_cast<MakeTuple>(value))
    return function(axis, pair->components[0], pair->components[1].type(), {});
  return function(axis, value, i32, {});
}

/// The function of a word; null where it is none for a reduction.
MakeReduction find_reduction(StringRef word) {
  static const llvm::StringMap<MakeReduction> functions = {
      {"sum", make<sum>},
      {"product", make<product>},
      {"max", make<max>},
      {"min", make<min>},
      {"any", make<any>},
      {"all", make<all>},
      {"argmax", make_place<argmax>},
      {"argmin", make_place<argmin>},
  };
  const auto found = functions.find(word);
  return found == functions.end() ? nullptr : found->second;
}

/// An axis of a definition, whose extent is known behind the definition.
struct OpenAxis {
  AxisPtr axis;
  Token name;
  Expr extent = {};
  bool is_said = false;  ///< in the text, and not found in the shape of a tensor
};

/// A reduction, whose result stands as an element of `result` in the value of the definition.
struct OpenReduction {
  MakeReduction make;
  Token name;
  llvm::SmallVector<std::string, 2> axes;
  Expr value;
  TensorPtr result;
};

/// program    := name '(' [argument (',' argument)*] ')' '->' definition ([';'] definition)*
/// argument   := name ':' type '[' [expr (',' expr)*] ']' layout
/// definition := 'output' '(' definition ')' | element ('=' | '+=' | '*=') expr
/// element    := name '(' [expr (',' expr)*] ')' [':' type '[' [expr (',' expr)*] ']' layout]
/// let        := 'let' '(' name ',' expr ')'                                  within an expr
/// reduction  := word '(' (axis | '{' axis (',' axis)* '}') ',' expr ')'      within an expr
/// axis       := name [':' expr]
class ProgramReader : TensorParser {
 public:
  ProgramReader(StringRef text, const Sizes& fixed) : TensorParser(text), fixed_(fixed) {}

  Program read() {
    const Token name = tokens.expect_identifier("the name of a program");
    read_arguments();
    tokens.expect("-"), tokens.expect(">");
    llvm::SmallVector<Definition, 4> definitions;
    do {
      definitions.push_back(read_output_or_definition());
      tokens.accept(";");
    } while (!tokens.at_end());
    return at_place(name, [&] { return Program(name.text, definitions); });
  }

 private:
  // ---- Tensors ----------------------------------------------------------------------------------

  void read_arguments() {
    tokens.expect("(");
    if (tokens.accept(")")) return;
    do {
      const Token name = tokens.expect_identifier("an argument");
      tokens.expect(":");
      read_tensor(name);
    } while (tokens.accept(","));
    tokens.expect(")");
  }

  /// f32[M, K]; names that are new are params.
  TensorPtr read_tensor(const Token& name) {
    const DType type = parse_element_type();
    tokens.expect("[");
    llvm::SmallVector<Expr, 4> shape;
    in_shape_ = true;
    if (!tokens.accept("]")) shape = parse_list("]");
    const Layout layout = parse_layout(tokens, [&] { return parse_expr(); });
    in_shape_ = false;
    return declare(name, make_tensor(name.text, type, shape, Scope::global, layout));
  }

  TensorPtr declare(const Token& name, TensorPtr tensor) {
    at_place(name, [&] { check_name("a tensor", name.text); });
    if (known_tensor(name.text))
      tokens.fail(name, fmt::format("there is a tensor {} already", name.text.str()));
    names.tensors.push_back(tensor);
    return tensor;
  }

  TensorPtr known_tensor(StringRef name) const {
    for (const TensorPtr& tensor : names.tensors)
      if (tensor->name == name) return tensor;
    return nullptr;
  }

  // ---- Definitions ------------------------------------------------------------------------------

  Definition read_output_or_definition() {
    if (!tokens.at("output") || !tokens.peek(1).is("(")) return read_definition();
    tokens.next(), tokens.next();
    const Definition definition = output(read_definition());
    tokens.expect(")");
    return definition;
  }

  Definition read_definition() {
    axes_.clear();
    reduction_.reset();
    names.values.clear();
    const Token name = tokens.expect_identifier("a definition, C(i, j) = ...");
    tokens.expect("(");
    declare_axes();
    const llvm::SmallVector<Expr, 4> indices = parse_list(")");
    TensorPtr tensor = known_tensor(name.text);
    if (tokens.accept(":")) tensor = read_tensor(name);
    const Token sign = tokens.next();
    if (!sign.is("=") && !sign.is("+=") && !sign.is("*="))
      tokens.fail(sign, "expected '=', '+=' or '*='");
    Expr value = parse_expr();
    find_extents(tensor, indices, value);
    if (!tensor) tensor = declare(name, new_tensor(name, indices, value.type()));
    return at_place(name, [&] { return define(tensor, indices, sign, value); });
  }

  Definition define(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, const Token& sign,
                    const Expr& value) {
    const Element element(tensor, indices, plain_axes(indices));
    if (reduction_) return assign(element, sign, reduction_of(value));
    return assign(element, sign, value);
  }

  template <class Value>
  static Definition assign(const Element& element, const Token& sign, const Value& value) {
    if (sign.is("+=")) return element += value;
    if (sign.is("*=")) return element *= value;
    return element = value;
  }

  /// A tensor that no argument is, of the shape that its axes run through.
  TensorPtr new_tensor(const Token& name, llvm::ArrayRef<Expr> indices, DType type) {
    const auto axes = plain_axes(indices);
    if (axes.size() != indices.size() || type == DType::index)
      tokens.fail(name, fmt::format("the type and the shape of {0} are not known; say them: "
                                    "{0}(...): f32[M, N] = ...",
                                    name.text.str()));
    llvm::SmallVector<Expr, 4> shape;
    for (const Axis& axis : axes) shape.push_back(axis.extent());
    return make_tensor(name.text, type, shape);
  }

  // ---- Axes -------------------------------------------------------------------------------------

  /// Indices that are names are spatial axes, unless a reduction is over them.
  void declare_axes() {
    size_t ahead = 0;
    for (int depth = 1; depth > 0 && tokens.peek(ahead).kind != Token::Kind::end; ++ahead) {
      const Token token = tokens.peek(ahead);
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      const bool ends = tokens.peek(ahead + 1).is(",") || tokens.peek(ahead + 1).is(")");
      if (depth == 1 && token.is_identifier() && ends) declare_axis(token, AxisKind::spatial);
    }
    for (; tokens.peek(ahead).kind != Token::Kind::end && !tokens.peek(ahead).is(";"); ++ahead)
      if (find_reduction(tokens.peek(ahead).text) && tokens.peek(ahead + 1).is("("))
        declare_reduction_axes(ahead + 2);
  }

  void declare_reduction_axes(size_t ahead) {
    const bool is_list = tokens.peek(ahead).is("{");
    for (ahead += is_list; tokens.peek(ahead).is_identifier(); ahead += 2) {
      const Token after = tokens.peek(ahead + 1);
      if (after.is(",") || after.is(":") || after.is("}"))
        declare_axis(tokens.peek(ahead), AxisKind::reduction);
      if (!is_list || !after.is(",")) return;
    }
  }

  void declare_axis(const Token& name, AxisKind kind) {
    if (find_open(name.text) || ExprParser::find_name(name.text).defined()) return;
    at_place(name, [&] { check_name_of_value("an axis", name.text); });
    axes_.push_back({make_axis(name.text, kind), name});
  }

  OpenAxis* find_open(StringRef name) {
    auto* found =
        llvm::find_if(axes_, [&](const OpenAxis& axis) { return axis.axis->name == name; });
    return found == axes_.end() ? nullptr : found;
  }

  /// An axis runs through the dimensions that it is the index of by itself.
  void find_extents(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, const Expr& value) {
    const auto use = [&](const TensorNode& node, llvm::ArrayRef<Expr> used) {
      for (size_t dim = 0; dim < std::min<size_t>(used.size(), node.rank()); ++dim)
        if (const auto* reference = llvm::dyn_cast<AxisRef>(used[dim]))
          set_extent(reference->axis->name, node, dim);
    };
    const auto use_loads = [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part)) use(*load->tensor, load->indices);
    };
    if (tensor) use(*tensor, indices);
    for (OpenAxis& open : axes_) open.is_said |= open.extent.defined();  // by the result's shape
    for (const Expr& index : indices) walk(index, use_loads);
    if (reduction_) walk(reduction_->value, use_loads);
    walk(value, use_loads);
    for (const OpenAxis& open : axes_)
      if (!open.extent.defined())
        tokens.fail(open.name,
                    fmt::format("nothing says how far {0} runs: it is no index by itself; say it: "
                                "sum({0}: N, ...), or C({0}): f32[N] = ...",
                                open.axis->name));
  }

  void set_extent(StringRef name, const TensorNode& tensor, size_t dim) {
    OpenAxis* const open = find_open(name);
    const Expr& extent = tensor.shape[dim];
    if (!open || open->is_said) return;
    if (open->extent.defined() && !equal(open->extent, extent))
      tokens.fail(open->name, fmt::format("{} runs to {}, and to {} as an index of {}", name.str(),
                                          open->extent, extent, tensor.name));
    open->extent = extent;
  }

  llvm::SmallVector<Axis, 4> plain_axes(llvm::ArrayRef<Expr> indices) {
    llvm::SmallVector<Axis, 4> axes;
    for (const Expr& index : indices)
      if (const auto* reference = llvm::dyn_cast<AxisRef>(index))
        if (reference->axis->kind == AxisKind::spatial)
          axes.push_back({reference->axis, find_open(reference->axis->name)->extent});
    return axes;
  }

  // ---- Expressions ------------------------------------------------------------------------------

  Expr find_name(StringRef name) override {
    for (const Expr& value : llvm::reverse(names.values))
      if (llvm::cast<Named>(value)->name == name) return value;
    if (const OpenAxis* open = find_open(name)) return AxisRef::make(open->axis);
    if (const Expr known = ExprParser::find_name(name); known.defined() || !in_shape_) return known;
    if (const auto size = fixed_.find(name.str()); size != fixed_.end()) return Expr(size->second);
    const Expr param = Param(name);
    names.params.push_back(llvm::cast<ParamRef>(param)->param);
    return param;
  }

  /// A(i, k), reductions, and let.
  std::optional<Tree> parse_own_call() override {
    const Token name = tokens.peek();
    if (known_tensor(name.text)) return parse_element();
    if (name.is("let")) return parse_let();
    const MakeReduction make = find_reduction(name.text);
    if (!make && !is_function(name.text))
      tokens.fail(name, fmt::format("there is no tensor {}, and no function of that name",
                                    name.text.str()));
    const Token first = tokens.peek(2);
    const OpenAxis* open = find_open(first.text);
    const bool is_over_axis = open && open->axis->kind == AxisKind::reduction &&
                              (tokens.peek(3).is(",") || tokens.peek(3).is(":"));
    if (!make || !(first.is("{") || is_over_axis)) return std::nullopt;
    return parse_reduction(make);
  }

  Tree parse_element() {
    const Token name = tokens.next();
    const TensorPtr tensor = known_tensor(name.text);
    tokens.expect("(");
    const Trees indices = parse_trees(")");
    llvm::SmallVector<Expr, 4> exprs;
    for (const Tree& index : indices) exprs.push_back(index.expr);
    return build(name, indices, [&] { return Load::make(tensor, exprs); });
  }

  /// let(fy, value): from here on, fy is that value.
  Tree parse_let() {
    tokens.next();
    tokens.expect("(");
    const Token name = tokens.expect_identifier("the name of a value");
    tokens.expect(",");
    const Expr value = parse_expr();
    tokens.expect(")");
    names.values.push_back(at_place(name, [&] { return let(name.text, value, {}); }));
    return {names.values.back(), names.values.back().get()->size.depth};
  }

  Tree parse_reduction(MakeReduction make) {
    OpenReduction open = {make, tokens.next(), {}, {}, nullptr};
    tokens.expect("(");
    const bool is_list = tokens.accept("{");
    do open.axes.push_back(parse_reduction_axis());
    while (is_list && tokens.accept(","));
    if (is_list) tokens.expect("}");
    tokens.expect(",");
    open.value = parse_expr();
    tokens.expect(")");
    const DType type = at_place(open.name, [&] { return made(open, true).value.type(); });
    if (reduction_ && !is_same(*reduction_, open))
      tokens.fail(open.name, "a definition has one reduction");
    if (!reduction_) reduction_ = std::move(open);
    if (!reduction_->result) reduction_->result = make_tensor("", type, {});
    return {Load::make(reduction_->result, {})};
  }

  /// The result of a reduction may stand in a definition several times.
  static bool is_same(const OpenReduction& one, const OpenReduction& other) {
    return one.make == other.make && one.axes == other.axes && equal(one.value, other.value);
  }

  std::string parse_reduction_axis() {
    const Token name = tokens.expect_identifier("an axis");
    OpenAxis* const open = find_open(name.text);
    if (!open || open->axis->kind != AxisKind::reduction)
      tokens.fail(name, fmt::format("{} is no axis that is reduced over", name.text.str()));
    if (tokens.accept(":")) {
      in_shape_ = open->is_said = true;
      open->extent = parse_expr();
      in_shape_ = false;
    }
    return open->axis->name;
  }

  /// `early`: its extents do not count yet.
  Reduction made(const OpenReduction& open, bool early) {
    llvm::SmallVector<ReduceAxis, 2> axes;
    for (const std::string& name : open.axes) {
      const OpenAxis& axis = *find_open(name);
      axes.emplace_back(Axis(axis.axis, early ? Expr(1) : axis.extent));
    }
    Reduction reduction = open.make(axes.front(), open.value);
    reduction.axes = std::move(axes);
    return reduction;
  }

  /// The reduction, with what is done to its result.
  Reduction reduction_of(const Expr& value) {
    const Reduction reduction = made(*reduction_, false);
    const auto is_result = [result = reduction_->result](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      return load && load->tensor == result;
    };
    if (is_result(value)) return reduction;
    return reduction.then([value, is_result](const Expr& reduced) {
      return transform(value, [&](const Expr& part) { return is_result(part) ? reduced : Expr(); });
    });
  }

  const Sizes& fixed_;
  llvm::SmallVector<OpenAxis, 4> axes_;
  std::optional<OpenReduction> reduction_;
  bool in_shape_ = false;  ///< where names that are new are params
};

}  // namespace

Program parse_program(llvm::StringRef text, const Sizes& fixed) {
  return ProgramReader(text, fixed).read();
}

}  // namespace hone
