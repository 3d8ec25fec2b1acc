#include "ir/text/expr_parser.h"

#include "fmt/format.h"
#include "ir/text/literal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone {
namespace {

template <class Pointer>
Pointer find_last(llvm::ArrayRef<Pointer> declared, llvm::StringRef name) {
  for (const Pointer& candidate : llvm::reverse(declared))
    if (candidate->name == name) return candidate;
  return nullptr;
}

template <class Pointer>
void append_names(llvm::ArrayRef<Pointer> declared, std::string& list) {
  for (const Pointer& each : declared) list += (list.empty() ? "" : ", ") + std::string(each->name);
}

std::string in_scope(const std::string& list) { return list.empty() ? "nothing" : list; }

template <class Trees>
llvm::SmallVector<Expr, 4> exprs_of(const Trees& trees) {
  llvm::SmallVector<Expr, 4> exprs;
  for (const auto& tree : trees) exprs.push_back(tree.expr);
  return exprs;
}

void check_count(llvm::StringRef name, llvm::ArrayRef<Expr> arguments, size_t count) {
  if (arguments.size() != count)
    throw DefinitionError(fmt::format("{} takes {} argument{}, found {}", name.str(), count,
                                      count == 1 ? "" : "s", arguments.size()));
}

constexpr ShuffleMode shuffle_modes[] = {ShuffleMode::down, ShuffleMode::exchange};

/// The expression that `name(arguments)` means. Throws DefinitionError.
Expr make_call(llvm::StringRef name, llvm::ArrayRef<Expr> arguments) {
  if (name == "min" || name == "max") {
    check_count(name, arguments, 2);
    return Binary::make(name == "min" ? BinaryOp::min : BinaryOp::max, arguments[0], arguments[1]);
  }
  if (name == "select") {
    check_count(name, arguments, 3);
    return Select::make(arguments[0], arguments[1], arguments[2]);
  }
  if (const auto type = parse_dtype(name)) {
    check_count(name, arguments, 1);
    return Cast::make(*type, arguments[0]);
  }
  if (const auto intrinsic = parse_intrinsic(name)) {
    check_count(name, arguments, arity(*intrinsic));
    return Call::make(*intrinsic, arguments);
  }
  for (const ShuffleMode mode : shuffle_modes)
    if (hone::name(mode) == name) {
      check_count(name, arguments, 3);
      return Shuffle::make(mode, arguments[0], arguments[1], arguments[2]);
    }
  throw DefinitionError(fmt::format(
      "unknown function '{}'; there are min, max, select, {}shuffle_down, shuffle_exchange and the "
      "types",
      name.str(), list_of_intrinsics()));
}

constexpr const char* too_deep = "the expression nests deeper than {} levels";

}  // namespace

bool is_function(llvm::StringRef name) {
  const bool is_word = name == "min" || name == "max" || name == "select" || name == "cast";
  return is_word || parse_dtype(name) || parse_intrinsic(name) ||
         llvm::any_of(shuffle_modes, [&](ShuffleMode mode) { return hone::name(mode) == name; });
}

ExprParser::Tree ExprParser::build(const Token& place, llvm::ArrayRef<Tree> operands,
                                   llvm::function_ref<Expr()> make) const {
  unsigned height = 0;
  for (const Tree& operand : operands) height = std::max(height, operand.height);
  if (height >= max_nesting) tokens.fail(place, fmt::format(too_deep, max_nesting));
  return {at_place(place, make), height + 1};
}

/// expr := unary (operator unary)*           by the precedences of ir/text/operators.h
ExprParser::Tree ExprParser::parse_binary(int least_precedence) {
  Tree lhs = parse_unary();
  while (true) {
    const Token token = tokens.peek();
    const InfixOperator* infix =
        token.kind == Token::Kind::symbol ? find_infix(token.text) : nullptr;
    if (!infix || infix->precedence < least_precedence) return lhs;
    tokens.next();
    const Tree rhs = parse_binary(infix->precedence + 1);
    lhs = build(token, {lhs, rhs}, [&] { return Binary::make(infix->op, lhs.expr, rhs.expr); });
  }
}

/// unary := '-' number | '-' unary | '!' unary | '~' unary | primary
ExprParser::Tree ExprParser::parse_unary() {
  llvm::SaveAndRestore<unsigned> deeper(depth_, depth_ + 1);
  if (depth_ > max_nesting) tokens.fail(tokens.peek(), fmt::format(too_deep, max_nesting));
  const Token token = tokens.peek();
  if (!token.is("-") && !token.is("!") && !token.is("~")) return parse_primary();
  tokens.next();
  if (token.is("-") && at_number()) return {parse_number(true)};
  const UnaryOp op = token.is("-")   ? UnaryOp::negate
                     : token.is("~") ? UnaryOp::bit_not
                                     : UnaryOp::logical_not;
  const Tree operand = parse_unary();
  return build(token, operand, [&] { return Unary::make(op, operand.expr); });
}

/// primary := value ('.first' | '.second' | '.third' | '.fourth')*
ExprParser::Tree ExprParser::parse_primary() {
  Tree tree = parse_value();
  while (tokens.at(".")) {
    const Token place = tokens.next();
    unsigned position = 0;
    while (position < most_components && !tokens.at(component_name(position))) ++position;
    if (position == most_components) tokens.fail_expected("'first', 'second', 'third' or 'fourth'");
    tokens.next();
    tree = build(place, tree, [&] { return Component::make(tree.expr, position); });
  }
  return tree;
}

/// value := '(' expr (',' expr)* ')' | number | call | load | name
ExprParser::Tree ExprParser::parse_value() {
  const Token place = tokens.peek();
  if (tokens.accept("(")) {
    Trees trees = {parse_binary(1)};
    while (tokens.accept(",")) trees.push_back(parse_binary(1));
    tokens.expect(")");
    if (trees.size() == 1) return trees.front();
    return build(place, trees, [&] { return MakeTuple::make(exprs_of(trees)); });
  }
  const Token token = tokens.peek();
  if (at_number()) return {parse_number(false)};
  if (!token.is_identifier()) tokens.fail_expected("an expression");
  if (tokens.peek(1).is("(")) return parse_call();
  if (tokens.peek(1).is("[")) return parse_load();
  return {parse_name()};
}

/// A digit comes, or a word for a float.
bool ExprParser::at_number() const {
  const Token& token = tokens.peek();
  return token.kind == Token::Kind::number || is_float_word(token.text);
}

Expr ExprParser::parse_number(bool negative) {
  const Token token = tokens.next();
  return at_place(token, [&] { return hone::parse_number(token.text, negative); });
}

/// The names that stand for themselves: constants and thread indices, axes, params.
Expr ExprParser::parse_name() {
  const Token token = tokens.next();
  const llvm::StringRef name = token.text;
  if (name == "true" || name == "false") return IntConst::make(name == "true", DType::boolean);
  if (const auto index = parse_index_name(name)) return ThreadIndex::make(index->space, index->dim);
  if (const Expr known = find_name(name); known.defined()) return known;
  if (find_last<TensorPtr>(names.tensors, name))
    tokens.fail(token,
                fmt::format("{} is a tensor; its elements are {}[...]", name.str(), name.str()));
  std::string known;
  append_names<AxisPtr>(names.axes, known);
  append_names<ParamPtr>(names.params, known);
  tokens.fail(token,
              fmt::format("unknown axis or param '{}'; in scope: {}", name.str(), in_scope(known)));
}

/// load := name '[' [expr (',' expr)*] ']'
ExprParser::Tree ExprParser::parse_load() {
  const Token name = tokens.next();
  const TensorPtr tensor = find_tensor(name);
  tokens.expect("[");
  const Trees indices = parse_trees("]");
  return build(name, indices, [&] { return Load::make(tensor, exprs_of(indices)); });
}

/// cast := 'cast' '(' type ',' expr ')'      as C++ has it
ExprParser::Tree ExprParser::parse_cast() {
  tokens.next();
  tokens.expect("(");
  const Token name = tokens.expect_identifier("a type");
  const auto type = parse_dtype(name.text);
  if (!type) tokens.fail(name, fmt::format("there is no type {}", name.text.str()));
  tokens.expect(",");
  const Tree operand = parse_binary(1);
  tokens.expect(")");
  return build(name, operand, [&] { return Cast::make(*type, operand.expr); });
}

/// call := ('min' | 'max' | 'select' | type | intrinsic) '(' expr (',' expr)* ')'
ExprParser::Tree ExprParser::parse_call() {
  if (const auto own = parse_own_call()) return *own;
  if (tokens.at("cast")) return parse_cast();
  const Token name = tokens.next();
  tokens.expect("(");
  const Trees arguments = parse_trees(")");
  return build(name, arguments, [&] { return make_call(name.text, exprs_of(arguments)); });
}

/// trees := [expr (',' expr)*] close
ExprParser::Trees ExprParser::parse_trees(llvm::StringRef close) {
  Trees trees;
  if (tokens.accept(close)) return trees;
  do trees.push_back(parse_binary(1));
  while (tokens.accept(","));
  tokens.expect(close);
  return trees;
}

llvm::SmallVector<Expr, 4> ExprParser::parse_list(llvm::StringRef close) {
  return exprs_of(parse_trees(close));
}

Expr ExprParser::find_name(llvm::StringRef name) {
  for (const Expr& value : llvm::reverse(names.values))
    if (llvm::cast<Named>(value)->name == name) return value;
  if (AxisPtr axis = find_last<AxisPtr>(names.axes, name)) return AxisRef::make(axis);
  if (ParamPtr param = find_last<ParamPtr>(names.params, name)) return ParamRef::make(param);
  return {};
}

TensorPtr ExprParser::find_tensor(const Token& name) const {
  if (TensorPtr tensor = find_last<TensorPtr>(names.tensors, name.text)) return tensor;
  std::string known;
  append_names<TensorPtr>(names.tensors, known);
  tokens.fail(name,
              fmt::format("unknown tensor '{}'; in scope: {}", name.text.str(), in_scope(known)));
}

}  // namespace hone
