#include "ir/schedule/text/step_reader.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
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

bool StepReader::at_end() {
  while (tokens.at("Param")) read_param();
  return tokens.at_end();
}

void StepReader::read_param() {
  tokens.next();
  const Token variable = tokens.expect_identifier("a param");
  tokens.expect("(");
  const StringRef name = tokens.expect_string("the name of a param");
  if (variable.text != name) tokens.fail(variable, "a param and its variable have one name");
  tokens.expect(")");
  tokens.accept(";");
  params_.push_back(make_param(name));
}

StepCall StepReader::read(const Function& function, const StepPrinter& variables) {
  know(function, variables);
  const int line = tokens.line();
  Step head(split_primitive);  // of which the variables stay
  if (at_results()) read_results(head);
  Step step(read_primitive());
  step.variables = head.variables;
  read_arguments(step);
  tokens.accept(";");
  return {std::move(step), std::move(axis_names), line};
}

void StepReader::know(const Function& function, const StepPrinter& variables) {
  function_ = &function;
  variables_ = &variables;
  axis_names.clear();
  names.params.assign(params_.begin(), params_.end());
  names.params.append(function.params.begin(), function.params.end());
}

// ---- Results and primitives ---------------------------------------------------------------------

bool StepReader::at_results() const {
  if (tokens.at("auto") || tokens.at("Axis") || tokens.at("Tensor") || tokens.at("[")) return true;
  return tokens.peek(1).is("=") || tokens.peek(1).is(",");
}

void StepReader::read_results(Step& step) {
  if (tokens.at("auto") || tokens.at("Axis") || tokens.at("Tensor")) tokens.next();
  const bool is_list = tokens.accept("[");
  do read_result(step);
  while (tokens.accept(","));
  if (is_list) tokens.expect("]");
  tokens.expect("=");
}

void StepReader::read_result(Step& step) {
  const Token token = tokens.expect_identifier("a name for a result");
  const std::string name = token.text.str();
  if (name != as_variable(name) || !may_be_variable(name))
    tokens.fail(token, fmt::format("no variable has the name {}", name));
  if (variables_->is_taken(name) || llvm::is_contained(step.variables, name))
    tokens.fail(token, fmt::format("there is a {} already", name));
  step.variables.push_back(name);
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
  for (const For* loop : loops_of(function_->body))
    if (loop->axis->name == name) return loop->axis;
  return nullptr;
}

Expr StepReader::find_name(StringRef name) {
  if (const AxisPtr axis = find_axis(name)) return AxisRef::make(axis);
  return ExprParser::find_name(name);
}

TensorPtr StepReader::find_tensor(StringRef name) const {
  const std::string tile = variables_->find_tensor(name);
  return hone::find_tensor(*function_, tile.empty() ? name : tile);
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

AxisPtr StepReader::read_axis() {
  const Token token = tokens.peek();
  const bool is_lookup = at_lookup("axis");
  const StringRef name = is_lookup ? read_lookup() : tokens.expect_identifier("an axis").text;
  if (const AxisPtr axis = find_axis(name)) return axis;
  llvm::SmallVector<StringRef, 16> known;
  for (const For* loop : loops_of(function_->body)) known.push_back(loop->axis->name);
  const char* const found = find_tensor(name) ? "{} is a tensor, and no axis{}" : "no axis {}{}";
  tokens.fail(token, fmt::format(fmt::runtime(found), name.str(), hint(name, known)));
}

TensorPtr StepReader::read_tensor() {
  const Token token = tokens.peek();
  const bool is_lookup = at_lookup("tensor");
  const StringRef name = is_lookup ? read_lookup() : tokens.expect_identifier("a tensor").text;
  if (const TensorPtr tensor = find_tensor(name)) return tensor;
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
  const bool is_braced = tokens.accept("{");
  if (!is_braced && !tokens.peek(1).is("=")) return false;
  do read_option(options);
  while (tokens.at(",") && (is_braced || tokens.peek(2).is("=")) && tokens.accept(","));
  if (is_braced) tokens.expect("}");
  return true;
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
