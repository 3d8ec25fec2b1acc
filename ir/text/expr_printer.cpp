// The expressions of ir/text/printer.h: parentheses by precedence, and only where the tree needs
// them to be read back.
#include "ir/text/literal.h"
#include "ir/text/operators.h"
#include "ir/text/printer.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class ExprPrinter {
 public:
  /// `says_values`: with the value of each named one at its first place.
  explicit ExprPrinter(bool says_values = false) : says_values_(says_values) {}

  void print(const Expr& expr);
  std::string take() { return std::move(text_); }

 private:
  void print(const Unary& unary);
  void print(const Binary& binary, const InfixOperator& infix);
  void print_at(const Expr& expr, int precedence);
  void print_operands(const Expr& expr);
  void print(const Named& named);
  void print_tuple(const Expr& tuple);

  const bool says_values_;
  llvm::SmallVector<Expr, 4> said_ = {};  ///< named values
  std::string text_ = {};
};

int precedence_of(const Expr& expr) {
  if (llvm::isa<Unary>(expr)) return unary_precedence;
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  const InfixOperator* infix = binary ? find_infix(binary->op) : nullptr;
  return infix ? infix->precedence : primary_precedence;
}

/// Index products are written tight: `i.0*32 + i.1`.
bool is_tight(const Binary& binary) {
  return binary.op == BinaryOp::mul && binary.type == DType::index;
}

bool is_quotient(const Expr& expr) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  return binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
}

/// All of a leaf; the text before the operands of a load or a call.
std::string head(const Expr& expr) {
  return visit(
      expr, [](const IntConst& constant) { return spell(constant); },
      [](const FloatConst& constant) { return spell(constant); },
      [](const AxisRef& reference) { return reference.axis->name; },
      [](const ParamRef& reference) { return reference.param->name; },
      [](const ThreadIndex& index) {
        return fmt::format("{}.{}", index.space == IndexSpace::block ? "block" : "thread",
                           "xyz"[index.dim]);
      },
      [](const Load& load) { return load.tensor->name + "["; },
      [](const Unary&) -> std::string { llvm_unreachable("starts with an operator"); },
      [](const Binary& binary) -> std::string {
        return binary.op == BinaryOp::min ? "min(" : "max(";
      },
      [](const Select&) -> std::string { return "select("; },
      [](const Cast& cast) { return name(cast.type).str() + "("; },
      [](const Call& call) { return name(call.intrinsic).str() + "("; },
      [](const MakeTuple&) -> std::string { return "("; },
      [](const Component&) -> std::string { llvm_unreachable("starts with its tuple"); },
      [](const Shuffle& shuffle) { return name(shuffle.mode).str() + "("; },
      [](const Named&) -> std::string { llvm_unreachable("its name is all of it"); });
}

void ExprPrinter::print(const Expr& expr) {
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return print(*unary);
  if (const auto* binary = llvm::dyn_cast<Binary>(expr))
    if (const InfixOperator* infix = find_infix(binary->op)) return print(*binary, *infix);
  if (const auto* named = llvm::dyn_cast<Named>(expr)) return print(*named);
  if (const auto* component = llvm::dyn_cast<Component>(expr)) {
    print_tuple(component->tuple);
    text_ += "." + component_name(component->position).str();
    return;
  }
  const std::string opening = head(expr);
  text_ += opening;
  print_operands(expr);
  if (opening.ends_with('[')) text_ += ']';
  if (opening.ends_with('(')) text_ += ')';
}

/// A name, or in `let(fy, f32(i) * 0.5)` with its value.
void ExprPrinter::print(const Named& named) {
  const auto is_it = [&](const Expr& known) { return is_same_name(known, Expr(&named)); };
  if (!says_values_ || llvm::any_of(said_, is_it)) {
    text_ += named.name;
    return;
  }
  text_ += "let(" + named.name + ", ";
  print(named.value);
  text_ += ")";
  said_.emplace_back(&named);
}

/// A dot right behind a name would be read as a part of it.
void ExprPrinter::print_tuple(const Expr& tuple) {
  const bool is_name = llvm::isa<Named>(tuple);
  if (is_name) text_ += "(";
  print(tuple);
  if (is_name) text_ += ")";
}

/// A minus before a number would be read as a part of it, and two of them as C's decrement.
void ExprPrinter::print(const Unary& unary) {
  if (unary.op != UnaryOp::negate) {
    text_ += unary.op == UnaryOp::bit_not ? "~" : "!";
    print_at(unary.operand, unary_precedence);
    return;
  }
  const auto* nested = llvm::dyn_cast<Unary>(unary.operand);
  const bool starts_with_minus = nested && nested->op == UnaryOp::negate;
  const bool is_number = llvm::isa<IntConst, FloatConst>(unary.operand);
  text_ += "-";
  print_at(unary.operand,
           starts_with_minus || is_number ? primary_precedence + 1 : unary_precedence);
}

void ExprPrinter::print(const Binary& binary, const InfixOperator& infix) {
  // `x / 4*3` would look like x / (4*3), although it is not.
  const bool misleads = is_tight(binary) && is_quotient(binary.lhs);
  print_at(binary.lhs, infix.precedence + (misleads ? 1 : 0));
  const llvm::StringRef blank = is_tight(binary) ? "" : " ";
  for (llvm::StringRef part : {blank, infix.spelling, blank}) text_ += part;
  print_at(binary.rhs, infix.precedence + 1);
}

/// In parentheses unless `expr` binds as tight as `precedence`.
void ExprPrinter::print_at(const Expr& expr, int precedence) {
  const bool parenthesised = precedence_of(expr) < precedence;
  if (parenthesised) text_ += "(";
  print(expr);
  if (parenthesised) text_ += ")";
}

/// With commas between.
void ExprPrinter::print_operands(const Expr& expr) {
  bool is_first = true;
  for_each_operand(expr, [&](const Expr& operand) {
    if (!is_first) text_ += ", ";
    is_first = false;
    print(operand);
  });
}

}  // namespace

std::string to_string(const Expr& expr) {
  ExprPrinter printer;
  printer.print(expr);
  return printer.take();
}

std::string to_string_with_values(const Expr& expr) {
  ExprPrinter printer(true);
  printer.print(with_distinct_names(expr));
  return printer.take();
}

}  // namespace hone
