#include "dsl/tune_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "fmt/ranges.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hone::tune {
namespace {

namespace json = llvm::json;

constexpr int64_t version_of_tables = 1;
constexpr const char *of_gpu = "gpu", *of_model = "model";  ///< sources of times

template <class... Args>
TableError table_error(fmt::format_string<Args...> format, Args&&... args) {
  return TableError(fmt::format(format, std::forward<Args>(args)...));
}

bool read_fields(const json::Value& value, Line& line, json::Path path) {
  std::map<std::string, int64_t> sizes;
  std::string source;
  json::ObjectMapper fields(value, path);
  const bool has_all =
      fields && fields.map("program", line.program) && fields.map("gpu", line.gpu) &&
      fields.map("sizes", sizes) && fields.map("parameters", line.parameters) &&
      fields.map("steps", line.steps) && fields.map("milliseconds", line.milliseconds) &&
      fields.map("source", source) && fields.map("by", line.by);
  line.sizes = Sizes(sizes.begin(), sizes.end());
  line.is_measured = source == of_gpu;
  if (!has_all) return false;
  if (source != of_gpu && source != of_model)
    path.field("source").report("expected gpu or model");
  else if (line.milliseconds < 0)
    path.field("milliseconds").report("expected no negative time");
  else if (llvm::any_of(line.sizes, [](const auto& size) { return size.second < 0; }))
    path.field("sizes").report("expected no negative size");
  else
    return true;
  return false;
}

Line parse_line(llvm::StringRef text, const std::string& place) {
  auto value = json::parse(text);
  if (!value) throw table_error("{}: {}", place, llvm::toString(value.takeError()));
  const json::Object* const object = value->getAsObject();
  if (!object || !object->getInteger("version"))
    throw table_error("{}: not a line of `hone tune --table`: those have a version", place);
  const int64_t version = *object->getInteger("version");
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

bool keeps_promises(const Function& function, const Sizes& sizes) {
  return llvm::all_of(function.assumptions,
                      [&](const Expr& promise) { return evaluate(promise, sizes) != 0; });
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
  json::Object sizes;
  for (const auto& [name, size] : line.sizes) sizes[name] = size;
  json::Object object{{"version", version_of_tables},
                      {"program", line.program},
                      {"gpu", line.gpu},
                      {"sizes", std::move(sizes)},
                      {"parameters", line.parameters},
                      {"steps", line.steps},
                      {"milliseconds", line.milliseconds},
                      {"source", line.is_measured ? of_gpu : of_model},
                      {"by", line.by}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object)) << '\n';
  return text;
}

}  // namespace hone::tune
