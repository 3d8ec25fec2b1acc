#include "dsl/tune_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "fmt/ranges.h"
#include "ir/interpret/promised_sizes.h"
#include "ir/text/printer.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hone::tune {
namespace {

namespace json = llvm::json;

constexpr int64_t version_of_tables = 1;
constexpr const char* of_version = "version";
constexpr const char *of_gpu = "gpu", *of_model = "model";  ///< sources of times

template <class... Args>
TableError table_error(fmt::format_string<Args...> format, Args&&... args) {
  return TableError(fmt::format(format, std::forward<Args>(args)...));
}

/// All that a line has, each with its name in JSON.
template <class SomeLine, class Visit>
bool for_each_field(SomeLine& line, Visit visit) {
  return visit("program", line.program) && visit("gpu", line.gpu) && visit("sizes", line.sizes) &&
         visit("parameters", line.parameters) && visit("steps", line.steps) &&
         visit("milliseconds", line.milliseconds) && visit("source", line.is_measured) &&
         visit("by", line.by);
}

/// Reads fields, and reports the first that is missing or wrong.
struct FieldReader {
  json::ObjectMapper& fields;
  json::Path path;

  bool operator()(llvm::StringLiteral name, std::string& value) { return fields.map(name, value); }

  bool operator()(llvm::StringLiteral name, double& milliseconds) {
    if (!fields.map(name, milliseconds)) return false;
    if (milliseconds < 0) path.field(name).report("expected no negative time");
    return milliseconds >= 0;
  }

  bool operator()(llvm::StringLiteral name, Sizes& sizes) {
    std::map<std::string, int64_t> values;
    if (!fields.map(name, values)) return false;
    sizes = Sizes(values.begin(), values.end());
    const bool is_wrong = llvm::any_of(sizes, [](const auto& size) { return size.second < 0; });
    if (is_wrong) path.field(name).report("expected no negative size");
    return !is_wrong;
  }

  bool operator()(llvm::StringLiteral name, bool& is_measured) {
    std::string source;
    if (!fields.map(name, source)) return false;
    is_measured = source == of_gpu;
    if (is_measured || source == of_model) return true;
    path.field(name).report("expected gpu or model");
    return false;
  }
};

/// Writes fields.
struct FieldWriter {
  json::Object& object;

  template <class T>
  bool operator()(llvm::StringLiteral name, const T& value) {
    object[name] = json_of(value);
    return true;
  }

 private:
  static json::Value json_of(const std::string& text) { return text; }
  static json::Value json_of(double number) { return number; }
  static json::Value json_of(bool is_measured) { return is_measured ? of_gpu : of_model; }
  static json::Value json_of(const Sizes& sizes) {
    json::Object object;
    for (const auto& [name, size] : sizes) object[name] = size;
    return object;
  }
};

bool read_fields(const json::Value& value, Line& line, json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && for_each_field(line, FieldReader{fields, path});
}

Line parse_line(llvm::StringRef text, const std::string& place) {
  auto value = json::parse(text);
  if (!value) throw table_error("{}: {}", place, llvm::toString(value.takeError()));
  const json::Object* const object = value->getAsObject();
  if (!object || !object->getInteger(of_version))
    throw table_error("{}: not a line of `hone tune --table`: those have a version", place);
  const int64_t version = *object->getInteger(of_version);
  if (version != version_of_tables)
    throw table_error("{}: the line is of version {} of tables, and this Hone reads version {}",
                      place, version, version_of_tables);
  Line line;
  json::Path::Root root("the line");
  if (!read_fields(*value, line, root))
    throw table_error("{}: {}", place, llvm::toString(root.getError()));
  return line;
}

/// Of the sizes of params: the pitch of a tensor may be in neither. Infinite where one lacks a size
/// that the other has; 1: they are equal, but for 0 and 1.
double ratio(const Function& program, const Sizes& lhs, const Sizes& rhs) {
  double product = 1;
  for (const ParamPtr& param : program.params) {
    const auto one = lhs.find(param->name), other = rhs.find(param->name);
    if ((one == lhs.end()) != (other == rhs.end())) return INFINITY;
    if (one == lhs.end()) continue;
    const auto [less, more] = std::minmax(one->second, other->second);
    product *= static_cast<double>(std::max<int64_t>(more, 1)) /
               static_cast<double>(std::max<int64_t>(less, 1));
  }
  return product;
}

void check_sizes(const Function& program, const Sizes& sizes) {
  for (const auto& [name, size] : sizes) {
    const auto is_it = [&, name = name](const ParamPtr& param) { return param->name == name; };
    if (llvm::none_of(program.params, is_it))
      throw table_error("{} has no size {}", program.name, name);
    if (size < 0) throw table_error("the size {} of {} is {}", name, program.name, size);
  }
}

}  // namespace

Table Table::read(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw table_error("cannot read the table {0}; `hone tune --table={0}` writes one", path);
  Table table(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty()) table.add(parse_line(line, fmt::format("{}:{}", path, number)));
  }
  return table;
}

void Table::add(Line line) {
  llvm::erase_if(lines_, [&](const Line& one) {
    return one.program == line.program && one.gpu == line.gpu && one.sizes == line.sizes;
  });
  lines_.push_back(std::move(line));
}

const Line* Table::find(const Function& program, llvm::StringRef gpu, const Sizes& sizes) const {
  const auto lines = nearest(program, sizes, gpu);
  const auto its = llvm::find_if(lines, [&](const Line* line) { return line->sizes == sizes; });
  return its != lines.end() ? *its : nullptr;
}

/// Those for the program on the GPU, the nearest first.
std::vector<const Line*> Table::nearest(const Function& program, const Sizes& sizes,
                                        llvm::StringRef gpu) const {
  const std::string text = to_string(program);
  std::vector<const Line*> found;
  for (const Line& line : llvm::reverse(lines_))
    if (line.program == text && line.gpu == gpu && ratio(program, sizes, line.sizes) < INFINITY)
      found.push_back(&line);
  std::stable_sort(found.begin(), found.end(), [&](const Line* lhs, const Line* rhs) {
    return ratio(program, sizes, lhs->sizes) < ratio(program, sizes, rhs->sizes);
  });
  return found;
}

Schedule Table::replayed(const Line& line, const Program& program) const {
  Schedule schedule(program);
  try {
    schedule.replay(line.steps, "tuned");
  } catch (const std::exception& error) {
    throw table_error("{}: the steps for {} on {} do not fit it: {}", name_,
                      program.function().name, line.gpu, error.what());
  }
  return schedule;
}

TableError Table::nothing_for(const Function& program, llvm::StringRef gpu) const {
  const std::string text = to_string(program);
  std::set<std::string> gpus;
  for (const Line& line : lines_)
    if (line.program == text) gpus.insert(line.gpu);
  if (gpus.count(gpu.str()) > 0)
    return table_error(
        "{} has no schedule of {} whose sizes are these, and whose promises they keep", name_,
        program.name);
  return table_error(
      "{} has no schedule of {} for {}; it has {}", name_, program.name, gpu.str(),
      gpus.empty() ? "none of this program" : fmt::format("some for {}", fmt::join(gpus, ", ")));
}

Schedule Table::schedule(const Program& program, const Sizes& sizes, llvm::StringRef gpu) const {
  check_sizes(program.function(), sizes);
  for (const Line* const line : nearest(program.function(), sizes, gpu)) {
    Schedule schedule = replayed(*line, program);
    if (keeps_promises(schedule.function(), sizes)) return schedule;
  }
  throw nothing_for(program.function(), gpu);
}

std::string to_json(const Line& line) {
  json::Object object{{of_version, version_of_tables}};
  for_each_field(line, FieldWriter{object});
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object)) << '\n';
  return text;
}

}  // namespace hone::tune
