#include "ir/text/stmt_parser.h"

#include "fmt/format.h"
#include "ir/core/layout_problem.h"
#include "ir/scalar/adapt_literal.h"
#include "ir/target/alignment.h"
#include "ir/text/layout_parser.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone {

/// name := an identifier that is not reserved
Token StmtParser::expect_name(llvm::StringRef what) {
  const Token token = tokens.expect_identifier(what);
  if (is_reserved(token.text))
    tokens.fail(token,
                fmt::format("'{}' is reserved; it cannot be {}", token.text.str(), what.str()));
  return token;
}

void StmtParser::declare(const Token& name, llvm::StringRef what, llvm::StringSet<>& known) const {
  if (!known.insert(name.text).second && has_unique_names_)
    tokens.fail(name, fmt::format("two {} are named {}", what.str(), name.text.str()));
}

/// The name of a loop.
Token StmtParser::declare_axis() {
  const Token name = expect_name("the name of an axis");
  declare(name, "axes", names.all_axes);
  return name;
}

/// signature := identifier ['[' name (',' name)* ']'] '(' [declaration (',' declaration)*] ')'
///              ['@may_alias'] ['@launch_early'] ['@same_order'] ['@run_to_run']
///              ['@batch_invariant'] ['where' expr (',' expr)*]
Signature StmtParser::parse_signature() {
  Signature result;
  result.name = tokens.expect_identifier("a name").text.str();
  if (tokens.accept("[")) {
    do {
      const Token name = expect_name("the name of a param");
      declare(name, "params", names.all_params);
      names.params.push_back(make_param(name.text));
    } while (tokens.accept(","));
    tokens.expect("]");
  }
  tokens.expect("(");
  if (!tokens.at(")")) {
    do {
      const Token name = tokens.peek();
      result.arguments.push_back(checked(name, parse_declaration()));
    } while (tokens.accept(","));
  }
  tokens.expect(")");
  result.may_alias = accept_attribute("may_alias");
  result.launches_early = accept_attribute("launch_early");
  for (size_t number = 0; number < numbers_words.size(); ++number)
    if (accept_attribute(numbers_words[number]))
      result.required.push_back(static_cast<Numbers>(number));
  if (tokens.accept("where")) {
    do result.assumptions.push_back(parse_expr());
    while (tokens.accept(","));
  }
  result.params = names.params;
  names.tensors.assign(result.arguments.begin(), result.arguments.end());
  return result;
}

bool StmtParser::accept_attribute(llvm::StringRef word) {
  if (!tokens.at("@") || !tokens.peek(1).is(word)) return false;
  tokens.next();
  tokens.next();
  return true;
}

void StmtParser::parse_operators() {
  while (tokens.accept("operator")) names.operators.push_back(parse_operator());
}

/// operator := 'operator' name '(' operand ',' operand ')' '=' expr 'identity' expr
OperatorPtr StmtParser::parse_operator() {
  const Token name = expect_name("the name of an operator");
  tokens.expect("(");
  const TensorPtr lhs = parse_operand();
  tokens.expect(",");
  const TensorPtr rhs = parse_operand();
  tokens.expect(")");
  tokens.expect("=");
  names.tensors = {lhs, rhs};
  const Expr combined = parse_expr();
  names.tensors.clear();
  tokens.expect("identity");
  const Expr identity = parse_expr();
  OperatorPtr op = make_operator(name.text, lhs, rhs, adapt_literal(combined, lhs->type),
                                 adapt_literal(identity, lhs->type));
  if (const auto problem = operator_problem(*op)) tokens.fail(name, *problem);
  return op;
}

/// operand := name ':' type
TensorPtr StmtParser::parse_operand() {
  const Token name = expect_name("the name of an operand");
  tokens.expect(":");
  return make_tensor(name.text, parse_element_type(), {});
}

/// declaration := name ':' type '[' [expr (',' expr)*] ']' layout
TensorPtr StmtParser::parse_declaration() {
  const Token name = expect_name("the name of a tensor");
  declare(name, "tensors", names.all_tensors);
  tokens.expect(":");
  const DType type = parse_element_type();
  tokens.expect("[");
  const auto shape = parse_list("]");
  return make_tensor(name.text, type, shape, Scope::global,
                     parse_layout(tokens, [&] { return parse_expr(); }));
}

/// Checks the layout of a tensor at the place of its name.
TensorPtr StmtParser::checked(const Token& name, TensorPtr tensor) const {
  if (const auto problem = layout_problem(*tensor))
    tokens.fail(name, fmt::format("the layout of {}: {}", name.text.str(), *problem));
  if (const auto problem = alignment_problem(*tensor))
    tokens.fail(name, fmt::format("the alignment of {}: {}", name.text.str(), *problem));
  return tensor;
}

/// block := '{' stmt* '}'
Stmt StmtParser::parse_block() {
  tokens.expect("{");
  const size_t axes = names.axes.size(), tensors = names.tensors.size();
  Stmt body = parse_stmts();
  names.axes.resize(axes);
  names.tensors.resize(tensors);
  tokens.expect("}");
  return body;
}

void StmtParser::expect_end() {
  if (!tokens.at_end()) tokens.fail_expected("the end of the text");
}

/// Named values are known in the statement behind them, and not in those in it or behind it.
Stmt StmtParser::parse_stmts() {
  const llvm::SaveAndRestore<decltype(names.values)> hidden(names.values, {});
  llvm::SmallVector<Stmt, 8> stmts;
  while (!tokens.at("}") && !tokens.at_end()) stmts.push_back(parse_stmt());
  return Seq::make(stmts);
}

/// stmt := ['atomic'] store | for | if | let | alloc | copy
///         | instr | named
///
/// A name before '[' is a tensor's, so that no word is reserved here.
Stmt StmtParser::parse_stmt() {
  llvm::SaveAndRestore<unsigned> deeper(block_depth_, block_depth_ + 1);
  const Token token = tokens.peek();
  if (block_depth_ > max_nesting)
    tokens.fail(token, fmt::format("blocks nest deeper than {} levels", max_nesting));
  if (token.is_identifier() && tokens.peek(1).is("[")) return parse_store();
  if (token.is("for") || token.is("reduce")) return parse_for();
  if (token.is("if")) return parse_if();
  if (token.is("let")) return parse_let();
  if (token.is("alloc")) return parse_alloc();
  if (token.is("copy")) return parse_copy();
  if (tokens.accept("atomic")) return parse_store(true);
  return parse_instr();
}

/// for := ('for' | 'reduce') name 'in' '0' '..' expr [binding] [combine] block
Stmt StmtParser::parse_for() {
  const bool is_reduction = tokens.next().is("reduce");
  const Token name = declare_axis();
  tokens.expect("in");
  if (tokens.peek().text != "0") tokens.fail_expected("'0', where every loop starts");
  tokens.next();
  tokens.expect("..");
  const Expr extent = parse_expr();
  Binding binding = parse_binding(extent);
  if (tokens.accept("combine")) binding.combine = parse_combine();
  AxisPtr axis = make_axis(name.text, is_reduction ? AxisKind::reduction : AxisKind::spatial);
  names.axes.push_back(axis);
  Stmt body = parse_block();
  names.axes.pop_back();
  return For::make(std::move(axis), extent, binding, std::move(body));
}

/// if := 'if' '(' expr ')' block
Stmt StmtParser::parse_if() {
  tokens.expect("if");
  tokens.expect("(");
  const Expr condition = parse_expr();
  tokens.expect(")");
  return If::make(condition, parse_block());
}

/// let   := 'let' name '=' expr stmt*            of an index
/// named := 'let' name '=' expr stmt             of any other value
Stmt StmtParser::parse_let() {
  tokens.expect("let");
  const Token name = expect_name("the name of an axis");
  tokens.expect("=");
  const Expr value = parse_expr();
  if (value.type() != DType::index) return parse_named(name, value);
  declare(name, "axes", names.all_axes);
  AxisPtr axis = make_axis(name.text, AxisKind::spatial);
  names.axes.push_back(axis);
  return Let::make(std::move(axis), value, parse_stmts());
}

Stmt StmtParser::parse_named(const Token& name, const Expr& value) {
  const Expr named = Named::make(name.text, value);
  names.values.push_back(named);
  const Stmt stmt = parse_stmt();
  names.values.pop_back();
  bool is_used = false;
  for_each_operand(
      stmt,
      [&](const Expr& expr) {
        is_used |= any_of(expr, [&](const Expr& part) { return part.same_as(named); });
      },
      [](const Stmt&) {});
  if (!is_used)
    tokens.fail(name,
                fmt::format("the statement behind the value {} does not use it", name.text.str()));
  return stmt;
}

/// alloc := 'alloc' declaration (scope | '@cluster' | '@value') alignment stmt*
Stmt StmtParser::parse_alloc() {
  tokens.expect("alloc");
  const Token name = tokens.peek();
  const TensorPtr declared = parse_declaration();
  if (accept_attribute("value")) return parse_value(name, *declared);
  const bool is_in_parts = tokens.at("@") && tokens.peek(1).is("cluster");
  if (is_in_parts) tokens.next(), tokens.next();
  const Scope scope = is_in_parts ? Scope::shared : parse_scope();
  TensorPtr placed = make_tensor(declared->name, declared->type, declared->shape, scope,
                                 declared->layout, parse_address(scope));
  if (is_in_parts) placed = in_parts(*placed);
  TensorPtr tensor = checked(name, with_alignment(*placed, parse_alignment()));
  names.tensors.push_back(tensor);
  return Alloc::make(std::move(tensor), parse_stmts());
}

/// A scalar of a kernel.
Stmt StmtParser::parse_value(const Token& name, const TensorNode& declared) {
  if (declared.rank() > 0)
    tokens.fail(name, fmt::format("{} is a value, and has no dimensions", declared.name));
  TensorPtr tensor = make_value(declared.name, declared.type);
  names.tensors.push_back(tensor);
  return Alloc::make(std::move(tensor), parse_stmts());
}

/// alignment := ['@align' '(' integer ')']          of a shared tensor, in bytes
int64_t StmtParser::parse_alignment() {
  if (!tokens.accept("@")) return 0;
  if (!tokens.accept("align")) tokens.fail_expected("'align'");
  tokens.expect("(");
  const Token place = tokens.peek();
  const int64_t bytes = tokens.expect_integer("an alignment in bytes");
  if (bytes == 0) tokens.fail(place, "@align(0) aligns nothing; leave it out");
  tokens.expect(")");
  return bytes;
}

/// multicast := ['@multicast' '(' integer ')']
void StmtParser::parse_multicast(CopyExecution& execution) {
  if (!tokens.accept("@")) return;
  if (!tokens.accept("multicast")) tokens.fail_expected("'multicast'");
  tokens.expect("(");
  execution.blocks = tokens.expect_integer("how many blocks");
  tokens.expect(")");
}

/// makers := '@by' '(' ('producers' ')' multicast | [threads (',' threads)*] ')')
void StmtParser::parse_execution(CopyExecution& execution) {
  execution.kind = CopyExecution::Kind::threads;
  tokens.expect("(");
  if (tokens.accept("producers")) {
    execution.kind = CopyExecution::Kind::producers;
    tokens.expect(")");
    return parse_multicast(execution);
  }
  while (!tokens.accept(")")) {
    if (!execution.digits.empty()) tokens.expect(",");
    const Token name = tokens.expect_identifier("a dimension of threads");
    const auto threads = parse_threads(name, {});
    if (!threads)
      tokens.fail(name,
                  "the threads that make a copy are thread.x, thread.y and thread.z, or "
                  "digits of their numbers, as lane(1, 32)");
    execution.digits.push_back(*threads);
  }
}

void StmtParser::expect_arrow() {
  if (!tokens.at("<") || !tokens.peek(1).is("-")) tokens.fail_expected("'<-'");
  tokens.next();
  tokens.next();
}

/// copy := 'copy' region '<-' region ['fill' expr] ['@vector' '(' integer ')'] ['@async' | '@bulk']
///         [makers]
Stmt StmtParser::parse_copy() {
  tokens.expect("copy");
  const Region destination = parse_region();
  expect_arrow();
  const Region source = parse_region();
  CopyOptions options;
  const Token fill = tokens.peek(1);
  const bool is_tensor = fill.is("[");  // of that name, which the next statement writes
  if (!is_tensor && tokens.accept("fill")) options.fill = parse_expr();
  if (options.fill.defined() && !is_constant(options.fill))
    tokens.fail(fill, "the fill of a copy is a constant");
  parse_copy_attributes(options);
  return Copy::make(destination, source, options);
}

void StmtParser::parse_copy_attributes(CopyOptions& options) {
  bool is_at_end = !tokens.accept("@");
  if (!is_at_end && tokens.accept("vector")) {
    tokens.expect("(");
    options.vector = tokens.expect_integer("how many elements move together");
    tokens.expect(")");
    is_at_end = !tokens.accept("@");
  }
  for (const CopyEngine engine : {CopyEngine::async, CopyEngine::boxes}) {
    if (is_at_end || !tokens.accept(word_of(engine))) continue;
    options.execution.engine = engine;
    is_at_end = !tokens.accept("@");
  }
  if (is_at_end) return;
  if ((options.execution.opcode = find_opcode_with_lanes(tokens.peek().text))) {
    tokens.next();
    return;
  }
  if (!tokens.accept("by"))
    tokens.fail_expected(fmt::format("'vector', '{}', '{}' or 'by'", word_of(CopyEngine::async),
                                     word_of(CopyEngine::boxes)));
  parse_execution(options.execution);
}

/// store := name '[' [expr (',' expr)*] ']' update expr
Stmt StmtParser::parse_store(bool is_atomic) {
  const Token name = tokens.next();
  TensorPtr tensor = find_tensor(name);
  tokens.expect("[");
  const auto indices = parse_list("]");
  const UpdateName name_of_update = parse_update();
  const Expr value = parse_expr();
  return at_place(name, [&] {
    return Store::make(tensor, indices, name_of_update.update, value, name_of_update.op, is_atomic);
  });
}

}  // namespace hone
