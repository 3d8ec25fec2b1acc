#include "tools/cli/measured_launch.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"
#include "runtime/sim/finding.h"
#include "tools/cli/user_text.h"

namespace hone {
namespace {

constexpr const char* way_out =
    "ncu --csv --page raw --print-units base --metrics NAME,... --log-file FILE.csv PROGRAM";

using Cells = std::vector<std::string>;

/// A line of comma-separated values. In quotes, a comma is one, and two quotes are one.
Cells cells_of(llvm::StringRef line) {
  Cells cells(1);
  bool is_quoted = false;
  for (size_t n = 0; n < line.size(); ++n) {
    if (line[n] == '"' && is_quoted && line.substr(n + 1).take_front() == "\"")
      cells.back() += line[++n];
    else if (line[n] == '"')
      is_quoted = !is_quoted;
    else if (line[n] == ',' && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += line[n];
  }
  return cells;
}

/// "gemm" of "void gemm<128, float>(const float *)".
std::string name_of(llvm::StringRef kernel) {
  kernel.consume_front("void ");
  return kernel.take_front(kernel.find_first_of("<(")).str();
}

/// "gemm<128, float>" of "void gemm<(int)128, float>(const float *)"; nothing of no template.
std::string instance_of(llvm::StringRef kernel) {
  kernel.consume_front("void ");
  const size_t begin = kernel.find('<');
  if (begin > kernel.find('(')) return "";
  int depth = 0;
  for (size_t n = begin; n < kernel.size(); ++n) {
    depth += kernel[n] == '<' ? 1 : kernel[n] == '>' ? -1 : 0;
    if (depth == 0) return kernel.take_front(n + 1).str();
  }
  return "";
}

/// Writes types in one form: without blanks and casts, "const" and "volatile" after the type.
class PlainWriter {
 public:
  void write_word(llvm::StringRef word) {
    if (word == "const" || word == "volatile")
      (word == "const" ? open_.back().is_const : open_.back().is_volatile) = true;
    else if (llvm::isDigit(word.front()))
      text_ += word.rtrim("uUlL");
    else
      text_ += word == "true" ? "1" : word == "false" ? "0" : word;
  }

  void write_sign(char sign) {
    if (sign == '<') {
      open_.emplace_back();
    } else if (sign != ':') {
      end_type();
      if (sign == '>' && open_.size() > 1) open_.pop_back();
    }
    text_ += sign;
  }

  const std::string& text() const { return text_; }

 private:
  struct Qualifiers {
    bool is_const = false, is_volatile = false;
  };

  void end_type() {
    text_ += open_.back().is_const ? " const" : "";
    text_ += open_.back().is_volatile ? " volatile" : "";
    open_.back() = {};
  }

  std::string text_;
  /// Of the types that have begun, from the outermost inwards.
  std::vector<Qualifiers> open_ = std::vector<Qualifiers>(1);
};

/// "gemm<128,float const*,1>" of "gemm<(int)128, const float *, (bool)1>" as Nsight Compute writes
/// it, and of "gemm<128u, float const*, true>".
std::string plain_instance(llvm::StringRef instance) {
  PlainWriter writer;
  while (!instance.empty()) {
    if (instance.front() == '(') {
      instance = instance.drop_front(std::min(instance.find(')'), instance.size() - 1) + 1);
      continue;
    }
    const llvm::StringRef word =
        instance.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!word.empty())
      writer.write_word(word);
    else if (instance.front() != ' ')
      writer.write_sign(instance.front());
    instance = instance.drop_front(std::max<size_t>(word.size(), 1));
  }
  return writer.text();
}

/// "1,024.5", as Nsight Compute groups digits.
std::optional<double> number_of(const std::string& cell) {
  std::string digits = cell;
  llvm::erase_value(digits, ',');
  double value = 0;
  if (llvm::StringRef(digits).getAsDouble(value)) return std::nullopt;
  return value;
}

/// The table of one file.
class Table {
 public:
  explicit Table(const std::string& path) : path_(path) {
    const std::string text = read_user_text(path).text;
    llvm::SmallVector<llvm::StringRef, 0> lines;
    llvm::StringRef(text).split(lines, '\n', -1, false);
    for (const llvm::StringRef line : lines) add(cells_of(line.rtrim()));
    if (names_.empty()) fail("has no table with a column \"Kernel Name\"");
  }

  /// One at least.
  std::vector<MeasuredLaunch> launches() const {
    std::vector<MeasuredLaunch> all;
    std::string last;
    for (const Cells& row : rows_) {
      const std::string id = at(row, "ID");
      if (id.empty()) continue;  // the units of a page of raw values
      if (id != last) all.push_back(launch_in(row));
      is_raw() ? add_all(row, all.back()) : add_one(row, all.back());
      last = id;
    }
    if (all.empty()) fail("has a table without a launch");
    return all;
  }

 private:
  void add(Cells cells) {
    if (names_.empty() && llvm::is_contained(cells, "Kernel Name"))
      names_ = std::move(cells);
    else if (cells.size() == names_.size())
      rows_.push_back(std::move(cells));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw RuntimeError("{} {}; a table is made by {}", path_, problem, way_out);
  }

  bool is_raw() const { return !llvm::is_contained(names_, "Metric Name"); }

  /// Empty where there is no such column.
  std::string at(const Cells& row, const char* name) const {
    const auto found = llvm::find(names_, name);
    return found == names_.end() ? "" : row[found - names_.begin()];
  }

  MeasuredLaunch launch_in(const Cells& row) const {
    const std::string kernel = at(row, "Kernel Name");
    return {name_of(kernel), instance_of(kernel), at(row, "Grid Size"), at(row, "Block Size"), {}};
  }

  void add_one(const Cells& row, MeasuredLaunch& launch) const {
    add_metric(at(row, "Metric Name"), at(row, "Metric Unit"), at(row, "Metric Value"), launch);
  }

  void add_all(const Cells& row, MeasuredLaunch& launch) const {
    for (size_t n = 0; n < names_.size(); ++n)
      if (names_[n].find("__") != std::string::npos || names_[n].find("memory_") == 0)
        add_metric(names_[n], rows_.front()[n], row[n], launch);
  }

  void add_metric(const std::string& name, const std::string& unit, const std::string& value,
                  MeasuredLaunch& launch) const {
    const auto number = number_of(value);
    if (!number) return;
    if (unit.size() > 1 && llvm::StringRef("KMGT").contains(unit.front()))
      fail(fmt::format("has {} in units of {}, which are rounded", name, unit));
    launch.metrics[name] = *number;
  }

  std::string path_;
  Cells names_;
  std::vector<Cells> rows_;
};

void check_shape(const MeasuredLaunch& launch, const char* what, const std::string& measured,
                 const std::string& counted) {
  if (!measured.empty() && measured != counted)
    throw RuntimeError("{} was measured with a {} of {}, and counted with {}: give its sizes by -D",
                       launch.kernel, what, measured, counted);
}

/// True also where the table has the name of a template without its arguments.
bool is_same_instance(const std::string& measured, const std::string& counted) {
  return measured.empty() || plain_instance(measured) == plain_instance(counted);
}

/// The names of the launched kernels, each once.
std::string names_of(llvm::ArrayRef<MeasuredLaunch> launches) {
  std::vector<std::string> names;
  for (const MeasuredLaunch& one : launches) {
    const std::string& name = one.instance.empty() ? one.kernel : one.instance;
    if (!llvm::is_contained(names, name)) names.push_back(name);
  }
  return llvm::join(names, ", ");
}

}  // namespace

std::vector<MeasuredLaunch> given_launches(const Arguments& arguments) {
  const auto path = arguments.value(ncu_option.name);
  return path ? read_measured_launches(*path) : std::vector<MeasuredLaunch>();
}

std::vector<MeasuredLaunch> read_measured_launches(const std::string& path) {
  return Table(path).launches();
}

const MeasuredLaunch& launch_of(const CountReport& counted,
                                llvm::ArrayRef<MeasuredLaunch> launches) {
  std::string symbol = name_of(counted.kernel);
  std::replace(symbol.begin(), symbol.end(), '.', '_');
  const std::string instance = instance_of(counted.kernel);
  const auto* const found = llvm::find_if(launches, [&](const MeasuredLaunch& launch) {
    return launch.kernel == symbol && is_same_instance(launch.instance, instance);
  });
  if (found == launches.end())
    throw RuntimeError("no launch of {} was measured; those that were: {}",
                       instance.empty() ? symbol : instance, names_of(launches));
  check_shape(*found, "grid", found->grid, triple(counted.grid));
  check_shape(*found, "block", found->block, triple(counted.block));
  return *found;
}

std::vector<MeasuredCounter> measured_counters(const CountReport& counted,
                                               const MeasuredLaunch& launch) {
  std::vector<MeasuredCounter> all;
  for (const Counter& counter : counters()) {
    const auto found = launch.metrics.find(counter.metric);
    if (found != launch.metrics.end())
      all.push_back({&counter, counter.value(counted), found->second});
  }
  if (all.empty())
    throw RuntimeError(
        "no metric that was measured of {} is a counter; `counters --all` names them",
        launch.kernel);
  return all;
}

std::string measured_text(llvm::ArrayRef<MeasuredCounter> counters) {
  if (counters.empty()) return "";
  std::string text = fmt::format("{:<27} {:>13} {:>13}\n", "", "counted", "measured");
  for (const auto& [counter, counted, measured] : counters) {
    const std::string difference =
        counted == measured ? ""
        : counted == 0      ? "only measured"
                            : fmt::format("{:+.1f} %", 100 * (measured - counted) / counted);
    text += fmt::format("{:<27} {:>13} {:>13} {:>14}  {}\n", counter->name, counter_digits(counted),
                        counter_digits(measured), difference, counter->metric);
  }
  return text + "\n";
}

llvm::json::Object measured_json(llvm::ArrayRef<MeasuredCounter> counters) {
  llvm::json::Object object;
  for (const MeasuredCounter& one : counters) object[one.counter->name] = one.measured;
  return object;
}

}  // namespace hone
