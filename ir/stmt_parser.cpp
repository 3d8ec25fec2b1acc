#include "ir/stmt_parser.h"

#include "fmt/format.h"
#include "ir/verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone {

/// name := an identifier that is not reserved
Token StmtParser::expect_name(llvm::StringRef what) {
  const Token token = tokens_.expect_identifier(what);
  if (is_reserved(token.text))
    tokens_.fail(token,
                 fmt::format("'{}' is reserved; it cannot be {}", token.text.str(), what.str()));
  return token;
}

/// signature := identifier ['[' name (',' name)* ']'] '(' [declaration (',' declaration)*] ')'
///              ['@may_alias']
Signature StmtParser::parse_signature() {
  Signature result;
  result.name = tokens_.expect_identifier("a name").text.str();
  if (tokens_.accept("[")) {
    do names_.params.push_back(make_param(expect_name("the name of a param").text));
    while (tokens_.accept(","));
    tokens_.expect("]");
  }
  tokens_.expect("(");
  if (!tokens_.at(")")) {
    do result.arguments.push_back(parse_declaration());
    while (tokens_.accept(","));
  }
  tokens_.expect(")");
  if (tokens_.peek(1).is("may_alias") && tokens_.accept("@")) {
    tokens_.next();
    result.may_alias = true;
  }
  result.params = names_.params;
  names_.tensors.assign(result.arguments.begin(), result.arguments.end());
  return result;
}

/// declaration := name ':' type '[' [expr (',' expr)*] ']' ['@order' '(' integer* ')']
TensorPtr StmtParser::parse_declaration() {
  const Token name = expect_name("the name of a tensor");
  tokens_.expect(":");
  const Token type_name = tokens_.expect_identifier("a type");
  const std::optional<DType> type = parse_dtype(type_name.text);
  if (!type || type == DType::index)
    tokens_.fail(type_name, fmt::format("'{}' is no type of elements; there are f64, f32, f16, "
                                        "bf16, i64, i32, i8, u8 and bool",
                                        type_name.text.str()));
  tokens_.expect("[");
  const auto shape = parse_list("]");
  const Layout layout = parse_layout(shape.size());
  return make_tensor(name.text, *type, shape, Scope::global, layout);
}

/// layout := ['@order' '(' integer (',' integer)* ')']
Layout StmtParser::parse_layout(unsigned rank) {
  Layout layout;
  if (!tokens_.at("@") || !tokens_.peek(1).is("order")) return layout;
  tokens_.next();
  const Token place = tokens_.next();
  tokens_.expect("(");
  do layout.order.push_back(static_cast<int>(tokens_.expect_integer("a dimension")));
  while (tokens_.accept(","));
  tokens_.expect(")");
  if (!is_order(layout.order, rank))
    tokens_.fail(place, fmt::format("the order does not name each of {} dimensions once", rank));
  return layout;
}

/// block := '{' stmt* '}'
Stmt StmtParser::parse_block() {
  tokens_.expect("{");
  const size_t axes = names_.axes.size(), tensors = names_.tensors.size();
  Stmt body = parse_stmts();
  names_.axes.resize(axes);
  names_.tensors.resize(tensors);
  tokens_.expect("}");
  return body;
}

void StmtParser::expect_end() {
  if (!tokens_.at_end()) tokens_.fail_expected("the end of the text");
}

Stmt StmtParser::parse_stmts() {
  llvm::SmallVector<Stmt, 8> stmts;
  while (!tokens_.at("}") && !tokens_.at_end()) stmts.push_back(parse_stmt());
  return Seq::make(stmts);
}

/// stmt := store | for | if | let | alloc | copy | 'barrier'
///
/// A name before '[' is a tensor's, so that no word is reserved here.
Stmt StmtParser::parse_stmt() {
  llvm::SaveAndRestore<unsigned> deeper(block_depth_, block_depth_ + 1);
  const Token token = tokens_.peek();
  if (block_depth_ > max_nesting)
    tokens_.fail(token, fmt::format("blocks nest deeper than {} levels", max_nesting));
  if (token.is_identifier() && tokens_.peek(1).is("[")) return parse_store();
  if (token.is("for") || token.is("reduce")) return parse_for();
  if (token.is("if")) return parse_if();
  if (token.is("let")) return parse_let();
  if (token.is("alloc")) return parse_alloc();
  if (token.is("copy")) return parse_copy();
  if (!tokens_.accept("barrier")) tokens_.fail_expected("a statement");
  return Barrier::make();
}

/// for := ('for' | 'reduce') name 'in' '0' '..' expr [binding] block
Stmt StmtParser::parse_for() {
  const bool is_reduction = tokens_.next().is("reduce");
  const Token name = expect_name("the name of an axis");
  tokens_.expect("in");
  if (tokens_.peek().text != "0") tokens_.fail_expected("'0', where every loop starts");
  tokens_.next();
  tokens_.expect("..");
  const Expr extent = parse_expr();
  const Binding binding = parse_binding();
  AxisPtr axis = make_axis(name.text, is_reduction ? AxisKind::reduction : AxisKind::spatial);
  names_.axes.push_back(axis);
  Stmt body = parse_block();
  names_.axes.pop_back();
  return For::make(std::move(axis), extent, binding, std::move(body));
}

/// binding := ['@' ('block' | 'thread') '.' ('x' | 'y' | 'z') | '@parallel'
///             | '@unroll' ['(' integer ')']]
Binding StmtParser::parse_binding() {
  if (!tokens_.accept("@")) return {};
  const Token name = tokens_.expect_identifier("a binding");
  if (name.is("parallel")) return {.kind = Binding::Kind::parallel};
  if (name.is("unroll")) return {.kind = Binding::Kind::unroll, .count = parse_unroll_count()};
  const auto index = parse_index_name(name.text);
  if (!index)
    tokens_.fail(name, fmt::format("unknown binding '@{}'; there are @block.x, .y and .z, "
                                   "@thread.x, .y and .z, @parallel, @unroll and @unroll(n)",
                                   name.text.str()));
  const bool is_block = index->space == IndexSpace::block;
  return {.kind = is_block ? Binding::Kind::block : Binding::Kind::thread,
          .dim = static_cast<uint8_t>(index->dim)};
}

int64_t StmtParser::parse_unroll_count() {
  if (!tokens_.accept("(")) return 0;
  const Token place = tokens_.peek();
  const int64_t count = tokens_.expect_integer("how often to unroll");
  if (count == 0) tokens_.fail(place, "@unroll(0) makes no copies; @unroll unrolls in full");
  tokens_.expect(")");
  return count;
}

/// if := 'if' '(' expr ')' block
Stmt StmtParser::parse_if() {
  tokens_.expect("if");
  tokens_.expect("(");
  const Expr condition = parse_expr();
  tokens_.expect(")");
  return If::make(condition, parse_block());
}

/// let := 'let' name '=' expr stmt*
Stmt StmtParser::parse_let() {
  tokens_.expect("let");
  const Token name = expect_name("the name of an axis");
  tokens_.expect("=");
  const Expr value = parse_expr();
  AxisPtr axis = make_axis(name.text, AxisKind::spatial);
  names_.axes.push_back(axis);
  return Let::make(std::move(axis), value, parse_stmts());
}

/// alloc := 'alloc' declaration scope stmt*
Stmt StmtParser::parse_alloc() {
  tokens_.expect("alloc");
  const TensorPtr declared = parse_declaration();
  TensorPtr tensor =
      make_tensor(declared->name, declared->type, declared->shape, parse_scope(), declared->layout);
  names_.tensors.push_back(tensor);
  return Alloc::make(std::move(tensor), parse_stmts());
}

/// scope := '@global' | '@shared' | '@registers'
Scope StmtParser::parse_scope() {
  if (!tokens_.accept("@")) tokens_.fail_expected("'@global', '@shared' or '@registers'");
  for (Scope scope : {Scope::global, Scope::shared, Scope::registers})
    if (tokens_.accept(name(scope))) return scope;
  tokens_.fail_expected("'global', 'shared' or 'registers'");
}

/// copy := 'copy' region '<-' region
Stmt StmtParser::parse_copy() {
  tokens_.expect("copy");
  const Region destination = parse_region();
  if (!tokens_.at("<") || !tokens_.peek(1).is("-")) tokens_.fail_expected("'<-'");
  tokens_.next();
  tokens_.next();
  return Copy::make(destination, parse_region());
}

/// region := name '[' [range (',' range)*] ']'
Region StmtParser::parse_region() {
  const Token name = tokens_.expect_identifier("a tensor");
  Region region{find_tensor(name), {}};
  tokens_.expect("[");
  if (!tokens_.at("]")) {
    do region.ranges.push_back(parse_range());
    while (tokens_.accept(","));
  }
  tokens_.expect("]");
  if (region.ranges.size() != region.tensor->rank())
    tokens_.fail(name, fmt::format("{} has {} dimensions and is copied with {} ranges",
                                   name.text.str(), region.tensor->rank(), region.ranges.size()));
  return region;
}

/// range := expr ['..' '+' expr]
Range StmtParser::parse_range() {
  const Expr offset = parse_expr();
  if (!tokens_.accept("..")) return {offset, Expr()};
  tokens_.expect("+");
  return {offset, parse_expr()};
}

/// store := name '[' [expr (',' expr)*] ']' update expr
Stmt StmtParser::parse_store() {
  const Token name = tokens_.next();
  TensorPtr tensor = find_tensor(name);
  tokens_.expect("[");
  const auto indices = parse_list("]");
  const Update update = parse_update();
  const Expr value = parse_expr();
  return at_place(name, [&] { return Store::make(tensor, indices, update, value); });
}

/// update := '=' | '+=' | '*=' | ('min' | 'max' | 'and' | 'or') '='
Update StmtParser::parse_update() {
  if (tokens_.accept("=")) return Update::set;
  if (tokens_.accept("+=")) return Update::add;
  if (tokens_.accept("*=")) return Update::mul;
  const bool is_word = tokens_.peek().is_identifier() && tokens_.peek(1).is("=");
  for (Update update : {Update::min, Update::max, Update::logical_and, Update::logical_or})
    if (is_word && tokens_.accept(spelling(update).drop_back())) {
      tokens_.next();
      return update;
    }
  tokens_.fail_expected("'=', '+=', '*=', 'min=', 'max=', 'and=' or 'or='");
}

}  // namespace hone
