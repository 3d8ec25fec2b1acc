#include "ir/text/printer.h"

#include "ir/core/layout.h"
#include "ir/text/operators.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

template <class Elements, class Spell>
std::string join(const Elements& elements, Spell spell) {
  std::string text;
  for (const auto& element : elements) {
    if (!text.empty()) text += ", ";
    text += spell(element);
  }
  return text;
}

std::string join(llvm::ArrayRef<Expr> exprs) {
  return join(exprs, [](const Expr& expr) { return to_string(expr); });
}

std::string to_text(const Range& range) {
  if (range.is_point()) return to_string(range.offset);
  const auto* sum = llvm::dyn_cast<Binary>(range.extent);
  const InfixOperator* infix = sum ? find_infix(sum->op) : nullptr;
  const bool parenthesised = infix && infix->precedence < product_precedence;
  const std::string extent = to_string(range.extent);
  const std::string stride = range.stride == 1 ? "" : fmt::format(" by {}", range.stride);
  return fmt::format("{} .. +{}{}", range.offset, parenthesised ? "(" + extent + ")" : extent,
                     stride);
}

std::string to_text(const Region& region) {
  const std::string ranges = join(region.ranges, [](const Range& range) { return to_text(range); });
  return fmt::format("{}[{}]", region.tensor->name, ranges);
}

std::string to_text(const CopyExecution& execution) {
  if (execution.opcode) return " @" + execution.opcode->word();
  const std::string_view word = word_of(execution.engine);
  const std::string engine = word.empty() ? "" : fmt::format(" @{}", word);
  if (execution.kind == CopyExecution::Kind::thread) return engine;
  if (execution.kind == CopyExecution::Kind::producers)
    return engine + " @by(producers)" +
           (execution.blocks == 1 ? "" : fmt::format(" @multicast({})", execution.blocks));
  std::vector<std::string> threads;
  for (const Binding& digit : execution.digits) threads.push_back(to_string_with_count(digit));
  return fmt::format("{} @by({})", engine, fmt::join(threads, ", "));
}

/// A digit says its count where that is not the extent.
std::string to_text(const Binding& binding, const Expr& extent) {
  const bool is_full = is_int(extent, binding.digit.count);
  const std::string place = is_full ? to_string(binding) : to_string_with_count(binding);
  std::string text = binding.is_serial() ? "" : " @" + place;
  for (const auto& [attribute, number] : binding.attributes.all())
    text += text_of(*attribute, number);
  return text;
}

std::string header(const For& loop) {
  const std::string binding = to_text(loop.binding, loop.extent);
  const CombineLevels& combine = loop.binding.combine;
  return fmt::format("{} {} in 0..{}{}{} {{", loop.is_reduction() ? "reduce" : "for",
                     loop.axis->name, loop.extent, binding,
                     combine ? fmt::format(" combine({})", to_string(combine)) : "");
}

std::string to_text(const Store& store) {
  return fmt::format("{}{}[{}] {} {}", store.is_atomic ? "atomic " : "", store.tensor->name,
                     join(store.indices), update_text(store), store.value);
}

/// 128 x 16 swizzle 64, of the constants from `first` on.
std::string box_text(llvm::ArrayRef<int64_t> constants) {
  const int64_t swizzle = constants.back();
  return fmt::format("{}{}", fmt::join(constants.drop_back(), " x "),
                     swizzle == 0 ? "" : fmt::format(" swizzle {}", swizzle));
}

/// Writes the parts of an instruction's format.
class InstrPrinter {
 public:
  explicit InstrPrinter(const Instr& instr) : instr_(instr) {}

  std::string text() {
    std::string text;
    for (const FormatPart& part : instr_.opcode.format) text += text_of(part);
    return text;
  }

 private:
  std::string text_of(const FormatPart& part) {
    using Kind = FormatPart::Kind;
    switch (part.kind) {
      case Kind::literal:
        return part.text;
      case Kind::tensor:
        return next_place().tensor->name;
      case Kind::value:
        return to_string(instr_.values[values_++]);
      case Kind::integer:
        return std::to_string(instr_.constants[constants_++]);
      case Kind::box:
        return box_text(llvm::ArrayRef<int64_t>(instr_.constants).drop_front(constants_));
      case Kind::word:
        return instr_.constants[constants_++] == 0 ? "" : " " + part.text;
      default:
        const ElementRef& place = next_place();
        return fmt::format("{}[{}]", place.tensor->name, join(place.indices));
    }
  }

  const ElementRef& next_place() { return instr_.places[places_++]; }

  const Instr& instr_;
  size_t places_ = 0, values_ = 0, constants_ = 0;
};

std::string to_text(const Alloc& alloc) {
  const TensorNode& tensor = *alloc.tensor;
  const std::string place = tensor.address < 0 ? "" : fmt::format("({})", tensor.address);
  const std::string alignment =
      tensor.alignment == 0 ? "" : fmt::format(" @align({})", tensor.alignment);
  const llvm::StringRef scope = tensor.is_in_parts ? "cluster"
                                : tensor.is_value  ? "value"
                                                   : name(tensor.scope);
  return fmt::format("alloc {} @{}{}{}", declaration(tensor), scope.str(), place, alignment);
}

std::string to_text(const Copy& copy) {
  const std::string fill = copy.fills_zero() ? "" : fmt::format(" fill {}", copy.fill);
  const std::string vector = copy.vector == 0 ? "" : fmt::format(" @vector({})", copy.vector);
  return fmt::format("copy {} <- {}{}{}{}", to_text(copy.destination), to_text(copy.source), fill,
                     vector, to_text(copy.execution));
}

/// The line that a statement begins with; none for a sequence.
std::string first_line(const Stmt& stmt) {
  return visit(
      stmt, [](const For& loop) { return header(loop); },
      [](const Seq&) -> std::string { return ""; },
      [](const If& branch) { return fmt::format("if ({}) {{", branch.condition); },
      [](const Let& let) { return fmt::format("let {} = {}", let.axis->name, let.value); },
      [](const Store& store) { return to_text(store); },
      [](const Alloc& alloc) { return to_text(alloc); },
      [](const Copy& copy) { return to_text(copy); },
      [](const Instr& instr) { return InstrPrinter(instr).text(); });
}

/// The statement in braces below the first line of `stmt`; null for a statement without braces.
Stmt braced_body(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->body;
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) return branch->body;
  return {};
}

class StmtPrinter {
 public:
  explicit StmtPrinter(unsigned level, unsigned first_line = 1)
      : level_(level), next_line_(first_line) {}

  void print(const Stmt& stmt) {
    if (!has_names(stmt)) return print(stmt, stmt.get());
    const Stmt distinct = with_distinct_names(stmt);
    for (const Expr& value : named_values(distinct)) {
      const auto* named = llvm::cast<Named>(value);
      line(fmt::format("let {} = {}", named->name, named->value));
    }
    print(distinct, stmt.get());
  }

  void print_block(llvm::StringRef head, const Stmt& body) {
    line(head);
    ++level_;
    print(body);
    --level_;
    line("}");
  }

  std::string take() { return std::move(text_); }
  StatementLines take_lines() { return std::move(lines_); }

 private:
  /// `original` is what the lines are those of.
  void print(const Stmt& stmt, const StmtNode* original) {
    if (!llvm::isa<Seq>(stmt)) lines_[original].push_back(next_line_);
    if (const Stmt body = braced_body(stmt); body.defined()) {
      print_block(first_line(stmt), body);
      return;
    }
    if (!llvm::isa<Seq>(stmt)) line(first_line(stmt));
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { print(nested); });
  }

  void line(llvm::StringRef line) {
    if (!text_.empty()) text_ += '\n';
    text_.append(size_t{2} * level_, ' ');
    text_.append(line.begin(), line.end());
    ++next_line_;
  }

  std::string text_;
  StatementLines lines_;
  unsigned level_;
  unsigned next_line_;
};

}  // namespace

std::string declaration(const TensorNode& tensor) {
  std::string text =
      fmt::format("{}: {}[{}]", tensor.name, name(tensor.type).str(), join(tensor.shape));
  return text + to_string(tensor.layout);
}

std::string signature(llvm::StringRef name, llvm::ArrayRef<ParamPtr> params,
                      llvm::ArrayRef<TensorPtr> arguments, llvm::StringRef attributes,
                      llvm::ArrayRef<Expr> assumptions) {
  std::string text = name.str();
  if (!params.empty())
    text += fmt::format("[{}]", join(params, [](const ParamPtr& param) { return param->name; }));
  text += fmt::format(
      "({})", join(arguments, [](const TensorPtr& argument) { return declaration(*argument); }));
  text += attributes.str();
  if (!assumptions.empty()) text += " where " + join(assumptions);
  return text;
}

std::string to_string(const OperatorNode& op) {
  const auto operand = [](const TensorNode& tensor) {
    return fmt::format("{}: {}", tensor.name, name(tensor.type).str());
  };
  return fmt::format("operator {}({}, {}) = {} identity {}", op.name, operand(*op.lhs),
                     operand(*op.rhs), op.combined, op.identity);
}

std::string operator_lines(const Stmt& body) {
  std::string lines;
  for (const OperatorPtr& op : operators_of(body)) lines += to_string(*op) + "\n";
  return lines;
}

std::string to_string(const Stmt& stmt, unsigned level) {
  StmtPrinter printer(level);
  printer.print(stmt);
  return printer.take();
}

LinedText print_with_lines(const Stmt& stmt, unsigned level, unsigned first_line) {
  StmtPrinter printer(level, first_line);
  printer.print(stmt);
  return {printer.take(), printer.take_lines()};
}

std::string to_string(const Function& function) {
  StmtPrinter printer(0);
  std::string attributes = fmt::format("{}{}", function.may_alias ? " @may_alias" : "",
                                       function.launches_early ? " @launch_early" : "");
  for (const Numbers numbers : function.required)
    attributes += fmt::format(" @{}", name(numbers).str());
  const std::string head = signature(function.name, function.params, function.arguments, attributes,
                                     function.assumptions);
  printer.print_block(fmt::format("func {} {{", head), function.body);
  return operator_lines(function.body) + printer.take();
}

namespace {

std::string marked(llvm::StringRef line) {
  constexpr size_t column = 37, gap = 2;
  return fmt::format("{:<{}}<-- here", line.str(), std::max(column, line.size() + gap));
}

/// The first lines of `stmt`, marked, closing braces left out.
void append_culprit(const Stmt& stmt, unsigned level, llvm::SmallVectorImpl<std::string>& lines) {
  constexpr unsigned most = 3;
  const std::string text = to_string(stmt, level);
  llvm::SmallVector<llvm::StringRef, 16> printed;
  llvm::StringRef(text).split(printed, '\n', -1, false);
  llvm::erase_if(printed, [](llvm::StringRef line) { return line.trim() == "}"; });
  for (llvm::StringRef line : llvm::ArrayRef<llvm::StringRef>(printed).take_front(most))
    lines.push_back(line == printed.front() ? marked(line) : line.str());
}

}  // namespace

std::string excerpt(const Function& function, const StmtNode* culprit) {
  const auto path = path_to(function.body, [&](const Stmt& stmt) { return stmt.get() == culprit; });
  if (path.empty()) return "";
  llvm::SmallVector<std::string, 8> lines;
  unsigned level = 1;
  for (const Stmt& stmt : llvm::ArrayRef<Stmt>(path).drop_back())
    if (braced_body(stmt).defined())
      lines.push_back(std::string(size_t{2} * level++, ' ') + first_line(stmt));
  append_culprit(path.back(), level, lines);
  return llvm::join(lines, "\n");
}

}  // namespace hone
