// Definitions as they were written.

#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

std::string function_name(const Reduction& reduction) {
  switch (reduction.update) {
    case Update::add:
      return "sum";
    case Update::mul:
      return "product";
    case Update::max:
      return "max";
    case Update::min:
      return "min";
    case Update::logical_or:
      return "any";
    case Update::logical_and:
      return "all";
    case Update::set:
      return "reduce";
    case Update::custom:
      return reduction.op->name;
  }
  llvm_unreachable("unknown update");
}

/// Loads read as the DSL writes them: A(i, k).
std::string call_syntax(const Expr& expr) {
  std::string text = to_string_with_values(expr);
  for (char& c : text) c = c == '[' ? '(' : c == ']' ? ')' : c;
  return text;
}

/// The name for the result of a reduction in the text of its epilogue: no name of a user's.
constexpr const char* reduced_name = "@";

std::string replaced(std::string text, llvm::StringRef from, const std::string& to) {
  for (size_t at = text.find(from.str()); at != std::string::npos;
       at = text.find(from.str(), at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The right-hand side. The printer places the parentheses around the operands of the epilogue.
std::string text_of(const Reduction& reduction, DType type) {
  if (!reduction.epilogue) return reduction.text();
  const Expr reduced = Load::make(make_tensor(reduced_name, type, {}), {});
  return replaced(call_syntax(reduction.finished(reduced)), "@()", reduction.text());
}

}  // namespace

std::string Reduction::text() const {
  std::string over;
  for (const ReduceAxis& axis : axes) over += (over.empty() ? "" : ", ") + axis.name();
  if (axes.size() > 1) over = "{" + over + "}";
  return fmt::format("{}({}, {})", function_name(*this), over, call_syntax(value));
}

std::string Definition::text() const {
  std::string list;
  for (const Expr& index : indices) list += (list.empty() ? "" : ", ") + call_syntax(index);
  const std::string element = fmt::format("{}({})", tensor->name, list);
  if (update == Update::max || update == Update::min)
    return fmt::format("{0} = {1}({0}, {2})", element, update == Update::max ? "max" : "min",
                       reduction.text());
  const char* const assigns = update == Update::add ? "+=" : update == Update::mul ? "*=" : "=";
  return fmt::format("{} {} {}", element, assigns,
                     is_reduction() ? text_of(reduction, reduced()->type) : call_syntax(value));
}

}  // namespace hone
