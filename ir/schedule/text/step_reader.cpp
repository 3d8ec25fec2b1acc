#include "ir/schedule/text/step_reader.h"

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/core/error.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using llvm::StringRef;

/// "; did you mean 'split'?", or "; there are i, j and k".
std::string hint(StringRef word, llvm::ArrayRef<StringRef> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string meant = word.size() > 1 ? closest(word, names) : "";
  if (!meant.empty()) return fmt::format("; did you mean '{}'?", meant);
  return names.empty() ? "" : "; there are " + join_names(names);
}

}  // namespace

std::optional<StepCall> StepReader::read(const Function& function, const StepPrinter& variables) {
  know(function, variables);
  while (!tokens.at_end()) {
    const int line = tokens.line();
    const bool is_param = tokens.at("Param") || (tokens.at("const") && tokens.peek(1).is("Param"));
    if (is_param) {
      read_param();
      continue;
    }
    const Results results = at_results() ? read_results() : Results();
    if (results.size() == 1 && (at_lookup("axis") || at_lookup("tensor"))) {
      read_alias(results.front());
      continue;
    }
    Step step(read_primitive());
    for (const Token& result : results) {
      step.variables.push_back(new_variable(result));
      if (llvm::is_contained(llvm::ArrayRef<std::string>(step.variables).drop_back(),
                             step.variables.back()))
        tokens.fail(result, fmt::format("there is a variable {} already", step.variables.back()));
    }
    read_arguments(step);
    tokens.accept(";");
    return StepCall{std::move(step), line};
  }
  return std::nullopt;
}

/// Param W("W");
void StepReader::read_param() {
  tokens.accept("const");
  tokens.next();
  const Token variable = tokens.expect_identifier("a param");
  tokens.expect("(");
  const StringRef name = tokens.expect_string("the name of a param");
  if (variable.text != name) tokens.fail(variable, "a param and its variable have one name");
  tokens.expect(")");
  tokens.accept(";");
  if (llvm::none_of(names.params, [&](const ParamPtr& param) { return param->name == name; }))
    params_.push_back(make_param(name));
  names.params.append(params_.begin(), params_.end());
}

/// row = s.axis("i.0"); a name that the axis has already is no new one.
void StepReader::read_alias(const Token& name) {
  if (at_lookup("axis")) {
    const AxisPtr axis = read_axis();
    if (find_axis(name.text) != axis) axes_[new_variable(name)] = axis;
  } else {
    const TensorPtr tensor = read_tensor();
    if (find_tensor(name.text) != tensor) tensor_names_[new_variable(name)] = tensor->name;
  }
  tokens.accept(";");
}

void StepReader::know(const Function& function, const StepPrinter& variables) {
  function_ = &function;
  variables_ = &variables;
  names.params.assign(params_.begin(), params_.end());
  names.params.append(function.params.begin(), function.params.end());
}

// ---- Results and primitives ---------------------------------------------------------------------

/// A word behind a word is a variable behind its type.
bool StepReader::at_results() const {
  if (tokens.at("const") || tokens.at("[")) return true;
  return tokens.peek(1).is("=") || tokens.peek(1).is(",") || tokens.peek(1).is("[") ||
         (tokens.peek().is_identifier() && tokens.peek(1).is_identifier());
}

StepReader::Results StepReader::read_results() {
  tokens.accept("const");
  const bool has_type = tokens.peek(1).is("[") || tokens.peek(1).is_identifier();
  if (has_type) tokens.expect_identifier("a type");
  const bool is_list = tokens.accept("[");
  Results results;
  do results.push_back(tokens.expect_identifier("a name for a result"));
  while (tokens.accept(","));
  if (is_list) tokens.expect("]");
  tokens.expect("=");
  return results;
}

std::string StepReader::new_variable(const Token& token) const {
  const std::string name = token.text.str();
  if (name != as_variable(name) || !may_be_variable(name))
    tokens.fail(token, fmt::format("no variable has the name {}", name));
  if (variables_->is_taken(name) || axes_.count(name) || tensor_names_.count(name))
    tokens.fail(token, fmt::format("there is a variable {} already", name));
  return name;
}

const Primitive& StepReader::read_primitive() {
  const Token token = tokens.expect_identifier("a primitive");
  StringRef name = token.text;
  name.consume_front("s.");
  llvm::SmallVector<StringRef, 40> known;
  for (const Primitive* primitive : all_primitives()) {
    if (name == StringRef(primitive->name)) return *primitive;
    known.push_back(primitive->name);
  }
  tokens.fail(token, fmt::format("there is no primitive {}{}", name.str(), hint(name, known)));
}

/// Arguments that a call cannot do without say so where it ends.
void StepReader::read_arguments(Step& step) {
  tokens.expect("(");
  bool may_go_on = true;
  for (const StepArgument& argument : step.primitive->arguments) {
    if (!argument.read || !(may_go_on || tokens.at(")"))) break;
    if (argument.read(*this, step)) may_go_on = tokens.accept(",");
  }
  if (!tokens.accept(")")) tokens.fail_expected(may_go_on ? "')'" : "',' or ')'");
}

// ---- Axes and tensors ---------------------------------------------------------------------------

/// A variable, or the loop of that name.
AxisPtr StepReader::find_axis(StringRef name) const {
  if (const AxisPtr axis = variables_->find_axis(name)) return axis;
  if (const auto named = axes_.find(name); named != axes_.end()) return named->second;
  return find_loop(name);
}

AxisPtr StepReader::find_loop(StringRef name) const {
  for (const For* loop : loops_of(function_->body))
    if (loop->axis->name == name) return loop->axis;
  return nullptr;
}

Expr StepReader::find_name(StringRef name) {
  if (const AxisPtr axis = find_axis(name)) return AxisRef::make(axis);
  return ExprParser::find_name(name);
}

/// Axis("int", 1): an axis that no variable has the name of, by what it descends from.
std::optional<ExprParser::Tree> StepReader::parse_own_call() {
  if (!tokens.at("Axis")) return std::nullopt;
  tokens.next();
  tokens.expect("(");
  const StringRef name = tokens.expect_string("the name of an axis");
  tokens.expect(",");
  tokens.expect_integer("any extent");
  tokens.expect(")");
  return Tree{AxisRef::make(make_axis(name, AxisKind::spatial))};
}

TensorPtr StepReader::find_tensor(StringRef name) const {
  const std::string tile = variables_->find_tensor(name);
  const std::string named = tensor_names_.lookup(name);
  return hone::find_tensor(*function_, !tile.empty() ? tile : !named.empty() ? named : name.str());
}

/// s.axis("i.0") or axis("i.0")
bool StepReader::at_lookup(StringRef method) const {
  StringRef name = tokens.peek().text;
  name.consume_front("s.");
  return tokens.peek().is_identifier() && name == method && tokens.peek(1).is("(");
}

bool StepReader::names_axis() const {
  return at_lookup("axis") || (!at_lookup("tensor") && find_axis(tokens.peek().text));
}

StringRef StepReader::read_lookup() {
  tokens.next();
  tokens.expect("(");
  const StringRef name = tokens.expect_string("a name in double quotes");
  tokens.expect(")");
  return name;
}

/// The variable that holds it, or else its own name.
std::string StepReader::name_of(const AxisPtr& axis) const {
  for (const auto& named : axes_)
    if (named.second == axis) return named.first().str();
  const std::string variable = variables_->variable(axis);
  return may_be_variable(variable) ? variable : axis->name;
}

AxisPtr StepReader::read_axis() {
  const Token token = tokens.peek();
  const bool is_lookup = at_lookup("axis");
  const StringRef name = is_lookup ? read_lookup() : tokens.expect_identifier("an axis").text;
  if (const AxisPtr axis = is_lookup ? find_loop(name) : find_axis(name)) return axis;
  std::vector<std::string> names_of_loops;
  for (const For* loop : loops_of(function_->body))
    names_of_loops.push_back(is_lookup ? loop->axis->name : name_of(loop->axis));
  const llvm::SmallVector<StringRef, 16> known(names_of_loops.begin(), names_of_loops.end());
  const char* const found = find_tensor(name) ? "{} is a tensor, and no axis{}" : "no axis {}{}";
  tokens.fail(token, fmt::format(fmt::runtime(found), name.str(), hint(name, known)));
}

TensorPtr StepReader::read_tensor() {
  const Token token = tokens.peek();
  const bool is_lookup = at_lookup("tensor");
  const StringRef name = is_lookup ? read_lookup() : tokens.expect_identifier("a tensor").text;
  const TensorPtr tensor = is_lookup ? hone::find_tensor(*function_, name) : find_tensor(name);
  if (tensor) return tensor;
  llvm::SmallVector<StringRef, 16> known;
  for (const TensorPtr& argument : function_->arguments) known.push_back(argument->name);
  walk(function_->body, [&](const Stmt& stmt) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) known.push_back(alloc->tensor->name);
  });
  const char* const found = find_axis(name) ? "{} is an axis, and no tensor{}" : "no tensor {}{}";
  tokens.fail(token, fmt::format(fmt::runtime(found), name.str(), hint(name, known)));
}

// ---- Forms of arguments -------------------------------------------------------------------------

void StepReader::read_list(llvm::function_ref<void()> read_part) {
  const char* const close = tokens.at("[") ? "]" : "}";
  if (!tokens.accept("[")) tokens.expect("{");
  if (tokens.accept(close)) return;
  do read_part();
  while (tokens.accept(","));
  tokens.expect(close);
}

Token StepReader::read_word(StringRef type, StringRef what) {
  if (tokens.accept(type)) tokens.expect(":"), tokens.expect(":");
  return tokens.expect_identifier(what);
}

size_t StepReader::read_number_of_word(StringRef type, StringRef what,
                                       llvm::ArrayRef<const char*> words) {
  const Token word = read_word(type, what);
  const llvm::SmallVector<StringRef, 4> known(words.begin(), words.end());
  const auto* found = llvm::find(known, word.text);
  if (found == known.end())
    tokens.fail(word, fmt::format("{} is no word for {}{}", word.text.str(), what.str(),
                                  hint(word.text, known)));
  return found - known.begin();
}

bool StepReader::read_options(llvm::ArrayRef<Option> options) {
  if (!at_options()) return false;
  if (tokens.at("{") && tokens.peek(1).kind == Token::Kind::number) {
    read_values(options);
    return true;
  }
  const bool is_braced = tokens.accept("{");
  do read_option(options);
  while (tokens.at(",") && (is_braced || tokens.peek(2).is("=")) && tokens.accept(","));
  if (is_braced) tokens.expect("}");
  return true;
}

/// {1, 32}: the first options in their order.
void StepReader::read_values(llvm::ArrayRef<Option> options) {
  tokens.expect("{");
  for (const Option& option : options) {
    option.read();
    if (!tokens.accept(",")) break;
  }
  tokens.expect("}");
}

void StepReader::read_option(llvm::ArrayRef<Option> options) {
  tokens.accept(".");
  const Token name = tokens.expect_identifier("an option");
  const auto* known =
      llvm::find_if(options, [&](const Option& option) { return name.text == option.name; });
  llvm::SmallVector<StringRef, 4> names_of_options;
  for (const Option& option : options) names_of_options.push_back(option.name);
  if (known == options.end())
    tokens.fail(name,
                fmt::format("no option {}{}", name.text.str(), hint(name.text, names_of_options)));
  tokens.expect("=");
  known->read();
}

}  // namespace hone
