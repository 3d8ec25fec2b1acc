#include "ir/text/tensor_parser.h"

#include "fmt/format.h"

namespace hone {

/// type := name | '(' name (',' name)+ ')'
DType TensorParser::parse_element_type() {
  const Token place = tokens.peek();
  if (!tokens.accept("(")) return parse_number_type();
  llvm::SmallVector<DType, 4> types = {parse_number_type()};
  while (tokens.accept(",")) types.push_back(parse_number_type());
  tokens.expect(")");
  if (types.size() == 1 || types.size() > most_components)
    tokens.fail(place, fmt::format("a tuple of {} is no type of elements; there are those of two "
                                   "to {}",
                                   types.size(), most_components));
  return tuple_of(types.data(), types.size());
}

DType TensorParser::parse_number_type() {
  const Token type_name = tokens.expect_identifier("a type");
  const std::optional<DType> type = parse_dtype(type_name.text);
  if (!type || type == DType::index)
    tokens.fail(type_name, fmt::format("'{}' is no type of elements; there are bool, {}",
                                       type_name.text.str(), names_of_numbers()));
  return *type;
}

/// scope := '@global' | '@shared' | '@registers'
Scope TensorParser::parse_scope() {
  if (!tokens.accept("@")) tokens.fail_expected("'@global', '@shared' or '@registers'");
  for (Scope scope : {Scope::global, Scope::shared, Scope::registers})
    if (tokens.accept(name(scope))) return scope;
  tokens.fail_expected("'global', 'shared' or 'registers'");
}

/// address := ['(' integer ')']          of a shared tensor, in bytes
int64_t TensorParser::parse_address(Scope scope) {
  if (scope != Scope::shared || !tokens.accept("(")) return -1;
  const int64_t address = tokens.expect_integer("an address in bytes");
  tokens.expect(")");
  return address;
}

/// region := name '[' [range (',' range)*] ']'
Region TensorParser::parse_region() {
  const Token name = tokens.expect_identifier("a tensor");
  Region region{find_tensor(name), {}};
  tokens.expect("[");
  if (!tokens.at("]")) {
    do region.ranges.push_back(parse_range());
    while (tokens.accept(","));
  }
  tokens.expect("]");
  if (region.ranges.size() != region.tensor->rank())
    tokens.fail(name, fmt::format("{} has {} dimensions and is copied with {} ranges",
                                  name.text.str(), region.tensor->rank(), region.ranges.size()));
  return region;
}

/// range := expr ['..' '+' expr ['by' integer]]
Range TensorParser::parse_range() {
  Range range{parse_expr()};
  if (!tokens.accept("..")) return range;
  tokens.expect("+");
  range.extent = parse_expr();
  if (!tokens.accept("by")) return range;
  const Token place = tokens.peek();
  range.stride = tokens.expect_integer("a stride");
  if (range.stride < 1) tokens.fail(place, "a stride is 1 or more");
  return range;
}

/// update := '=' | '+=' | '*=' | name '='
TensorParser::UpdateName TensorParser::parse_update() {
  if (tokens.accept("=")) return {Update::set};
  if (tokens.accept("+=")) return {Update::add};
  if (tokens.accept("*=")) return {Update::mul};
  if (!tokens.peek().is_identifier() || !tokens.peek(1).is("="))
    tokens.fail_expected("'=', '+=', '*=', 'min=', 'max=', 'and=', 'or=' or a declared operator");
  const UpdateName result = parse_update_word();
  tokens.next();
  return result;
}

TensorParser::UpdateName TensorParser::parse_update_word() {
  if (tokens.accept("min")) return {Update::min};
  if (tokens.accept("max")) return {Update::max};
  if (tokens.accept("and")) return {Update::logical_and};
  if (tokens.accept("or")) return {Update::logical_or};
  const Token word = tokens.next();
  std::string known = "min, max, and, or";
  for (const OperatorPtr& op : names.operators) {
    if (word.is(op->name)) return {Update::custom, op};
    known += ", " + op->name;
  }
  tokens.fail(word, fmt::format("unknown operator '{}'; there are {}", word.text.str(), known));
}

}  // namespace hone
