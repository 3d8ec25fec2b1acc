#include "tests/support/random/journal.h"

#include <unistd.h>

#include <string_view>

#include "fmt/format.h"
#include "ir/text/expr_parser.h"
#include "ir/text/printer.h"
#include "llvm/Support/JSON.h"

namespace hone {
namespace {

namespace json = llvm::json;

json::Array names_of(llvm::ArrayRef<AxisPtr> axes) {
  json::Array names;
  for (const AxisPtr& axis : axes) names.push_back(axis->name);
  return names;
}

json::Value to_json(const Layout& layout) {
  json::Array order, swizzles;
  for (const IndexDigit& digit : layout.digits)
    order.push_back(json::Array{digit.dim, digit.stride, digit.count});
  for (const Swizzle& swizzle : layout.swizzles)
    swizzles.push_back(
        json::Array{swizzle.chunk, swizzle.period, swizzle.rows, swizzle.digit, swizzle.by});
  return json::Object{
      {"order", std::move(order)}, {"padding", layout.padding}, {"swizzles", std::move(swizzles)}};
}

json::Value to_json(const CombineLevels& levels) {
  json::Array list;
  for (const CombineLevel& level : levels.list())
    list.push_back(json::Object{{"unit", static_cast<int>(level.unit)},
                                {"means", static_cast<int>(level.means)},
                                {"unrolled", static_cast<int>(level.unrolled)}});
  return list;
}

json::Value to_json(const Step& step) {
  json::Array factors;
  for (const Expr& factor : step.factors) factors.push_back(to_string(factor));
  json::Array element;
  for (const Expr& index : step.element) element.push_back(to_string(index));
  const WarpRoles& roles = step.binding.roles;
  return json::Object{{"primitive", std::string(step.primitive->name)},
                      {"axes", names_of(step.axes)},
                      {"factors", std::move(factors)},
                      {"element", std::move(element)},
                      {"tensor", step.tensor ? step.tensor->name : ""},
                      {"kind", static_cast<int>(step.binding.kind)},
                      {"dim", static_cast<int>(step.binding.dim)},
                      {"unit", static_cast<int>(step.binding.digit.unit)},
                      {"combine", to_json(step.binding.combine)},
                      {"producers", roles.producer_warps},
                      {"producer_registers", roles.producer_registers},
                      {"consumer_registers", roles.consumer_registers},
                      {"in_flight", roles.in_flight},
                      {"tail", static_cast<int>(step.tail)},
                      {"count", step.count},
                      {"layout", to_json(step.layout)},
                      {"direction", static_cast<int>(step.direction)},
                      {"scope", step.scope ? static_cast<int>(*step.scope) : -1},
                      {"names", json::Array(step.names)},
                      {"name", step.name}};
}

std::string text_of(const json::Object& object, llvm::StringRef key) {
  const auto text = object.getString(key);
  return text ? text->str() : "";
}

int64_t number_of(const json::Object& object, llvm::StringRef key) {
  const auto number = object.getInteger(key);
  return number ? *number : 0;
}

/// Reads an expression over params, which it makes.
class FactorParser : public ExprParser {
 public:
  explicit FactorParser(llvm::StringRef text) : ExprParser(text) {
    for (TokenStream rest(text); !rest.at_end();)
      if (const Token token = rest.next(); token.is_identifier())
        names.params.push_back(make_param(token.text));
  }
};

/// Reads an expression over axes, which it makes.
class IndexParser : public ExprParser {
 public:
  explicit IndexParser(llvm::StringRef text) : ExprParser(text) {
    for (TokenStream rest(text); !rest.at_end();)
      if (const Token token = rest.next(); token.is_identifier())
        names.axes.push_back(make_axis(token.text, AxisKind::spatial));
  }
};

CombineLevel level_of(const json::Object& object) {
  return {static_cast<CombineUnit>(number_of(object, "unit")),
          static_cast<CombineMeans>(number_of(object, "means")),
          number_of(object, "unrolled") != 0};
}

Layout layout_of(const json::Object& object) {
  Layout layout;
  const auto number = [](const json::Value& numbers, size_t n) {
    return *(*numbers.getAsArray())[n].getAsInteger();
  };
  const auto small = [&](const json::Value& numbers, size_t n) {
    return static_cast<int>(number(numbers, n));
  };
  for (const json::Value& digit : *object.getArray("order"))
    layout.digits.push_back({small(digit, 0), number(digit, 1), number(digit, 2)});
  layout.padding = number_of(object, "padding");
  for (const json::Value& swizzle : *object.getArray("swizzles"))
    layout.swizzles.push_back({number(swizzle, 0), number(swizzle, 1), number(swizzle, 2),
                               small(swizzle, 3), small(swizzle, 4)});
  return layout;
}

Step step_of(const json::Object& object) {
  Step step(find_primitive(text_of(object, "primitive")));
  for (const json::Value& axis : *object.getArray("axes"))
    step.axes.push_back(make_axis(*axis.getAsString(), AxisKind::spatial));
  for (const json::Value& factor : *object.getArray("factors"))
    step.factors.push_back(FactorParser(*factor.getAsString()).parse_expr());
  for (const json::Value& index : *object.getArray("element"))
    step.element.push_back(IndexParser(*index.getAsString()).parse_expr());
  const std::string tensor = text_of(object, "tensor");
  if (!tensor.empty()) step.tensor = make_tensor(tensor, f32, {});
  step.binding.kind = static_cast<Binding::Kind>(number_of(object, "kind"));
  step.binding.dim = static_cast<uint8_t>(number_of(object, "dim"));
  step.binding.digit.unit = static_cast<ThreadUnit>(number_of(object, "unit"));
  for (const json::Value& level : *object.getArray("combine"))
    step.binding.combine.add(level_of(*level.getAsObject()));
  step.binding.roles = {number_of(object, "producers"), number_of(object, "producer_registers"),
                        number_of(object, "consumer_registers"), number_of(object, "in_flight")};
  step.tail = static_cast<Tail>(number_of(object, "tail"));
  step.count = number_of(object, "count");
  step.layout = layout_of(*object.getObject("layout"));
  step.direction = static_cast<Direction>(number_of(object, "direction"));
  if (const int64_t scope = number_of(object, "scope"); scope >= 0)
    step.scope = static_cast<Scope>(scope);
  for (const json::Value& name : *object.getArray("names"))
    step.names.push_back(name.getAsString()->str());
  step.name = text_of(object, "name");
  return step;
}

void write_line(int file, json::Object object) {
  const std::string line =
      fmt::format("{}\n", llvm::formatv("{0}", json::Value(std::move(object))).str());
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(file, line.data() + written, line.size() - written);
    if (count <= 0) _exit(1);
    written += static_cast<size_t>(count);
  }
}

std::string read_all(int file) {
  std::string text;
  char chunk[4096];
  for (ssize_t count; (count = read(file, chunk, sizeof(chunk))) > 0;)
    text.append(chunk, static_cast<size_t>(count));
  return text;
}

/// The step at hand, and how it combines.
void count(CaseReport& report, const char* what) {
  const Step& step = *report.failed;
  ++report.counts[std::string(step.primitive->name) + what];
  if (!step.binding.combine) return;
  const char* index = step.binding.kind == Binding::Kind::block ? "blocks" : "threads";
  const std::string method = to_string(step.binding.combine);
  ++report.counts[fmt::format("combine: {} by {}{}", index, method, what)];
}

void add_line(CaseReport& report, const json::Object& line) {
  if (const auto* choices = line.getArray("choices"))
    for (const json::Value& choice : *choices)
      report.choices.push_back(static_cast<uint32_t>(*choice.getAsInteger()));
  if (const auto* step = line.getObject("tries")) {
    report.failed = step_of(*step);
    count(report, " tried");
  }
  if (line.get("accepts")) {
    count(report, " accepted");
    report.steps.push_back(*report.failed);
  }
  if (line.get("accepts") || line.get("refuses")) report.failed.reset();
  if (const auto what = line.getString("counts")) ++report.counts[what->str()];
  if (const auto source = line.getString("makes")) report.source = source->str();
  if (!line.get("fails")) return;
  report.check = text_of(line, "fails");
  report.message = text_of(line, "message");
}

}  // namespace

void Journal::begins() const { write_line(file_, json::Object{{"begins", true}}); }

void Journal::choices(llvm::ArrayRef<uint32_t> choices) const {
  json::Array array;
  for (const uint32_t choice : choices) array.push_back(static_cast<int64_t>(choice));
  write_line(file_, json::Object{{"choices", std::move(array)}});
}

void Journal::tries(const Step& step) const {
  write_line(file_, json::Object{{"tries", to_json(step)}});
}
void Journal::accepts() const { write_line(file_, json::Object{{"accepts", true}}); }
void Journal::refuses() const { write_line(file_, json::Object{{"refuses", true}}); }
void Journal::counts(const std::string& what) const {
  write_line(file_, json::Object{{"counts", what}});
}
void Journal::makes(const std::string& source) const {
  write_line(file_, json::Object{{"makes", source}});
}
void Journal::fails(const std::string& check, const std::string& message) const {
  write_line(file_, json::Object{{"fails", check}, {"message", message}});
}
void Journal::ends() const { write_line(file_, json::Object{{"ends", true}}); }

namespace {

/// The lines of one case, and what came of it.
class CaseReader {
 public:
  void add(llvm::StringRef line) {
    const bool is_ours = std::string_view(line).starts_with("{\"");
    auto value = is_ours ? json::parse(line) : json::Value(nullptr);
    if (value && value->getAsObject()) {
      add_line(report_, *value->getAsObject());
      ended_ |= value->getAsObject()->get("ends") != nullptr;
      return;
    }
    if (!value) llvm::consumeError(value.takeError());
    other_ += line.str() + "\n";
  }

  CaseReport take() {
    if (ended_ || report_.has_failed()) return std::move(report_);
    report_.check = "crash";
    report_.message = other_;
    return std::move(report_);
  }

 private:
  CaseReport report_;
  std::string other_;
  bool ended_ = false;
};

}  // namespace

std::vector<CaseReport> read_journal(int file) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  const std::string text = read_all(file);
  llvm::StringRef(text).split(lines, '\n', -1, false);
  std::vector<CaseReader> readers;
  for (const llvm::StringRef line : lines)
    if (line == "{\"begins\":true}")
      readers.emplace_back();
    else if (!readers.empty())
      readers.back().add(line);
  std::vector<CaseReport> reports;
  for (CaseReader& reader : readers) reports.push_back(reader.take());
  return reports;
}

}  // namespace hone
