#include "tools/cli/judge/selection.h"

#include <algorithm>

#include "fmt/ranges.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

/// The work of the simulated device in a fraction of a second, in operations of Ladder::flops.
constexpr double simulated_flops = 64e6;
/// The same of rungs that use tensor cores, in seconds.
constexpr double tensor_core_flops = 8e9;
/// The same of a core of the host.
constexpr double host_flops = 512e6;
/// The same of the interpreter, in about a second.
constexpr double interpreted_flops = 5e6;
/// No size is made smaller than this: kernels are about tiles.
constexpr int64_t least_size = 16;

template <class Named>
const Named& find_named(std::string_view what, llvm::ArrayRef<Named> all, std::string_view name,
                        std::string_view where) {
  const auto* found = llvm::find_if(all, [&](const Named& one) { return one.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> known;
  for (const Named& one : all) known.push_back(one.name);
  throw unknown(what, name, known, where);
}

bool is_device(llvm::StringRef text) {
  unsigned ordinal = 0;
  if (text.consume_front("cuda:")) return !text.getAsInteger(10, ordinal);
  return llvm::is_contained(names_of_devices(), text.str());
}

std::string device_text(const Arguments& arguments, const char* otherwise = "auto") {
  const std::string text = arguments.value("--device").value_or(otherwise);
  if (is_device(text)) return text;
  std::vector<std::string> known = names_of_devices();
  known.insert(llvm::find(known, "cuda") + 1, "cuda:N");
  throw unknown("device", text, known);
}

/// Those that the ladder has values for, and pitches, which follow from them where none is given.
std::vector<std::string> sizes_known(const Ladder& ladder) {
  std::vector<std::string> known;
  for (const auto& [name, size] : ladder.sizes) known.push_back(name);
  if (!ladder.program) return known;
  const Program program = ladder.program({});
  for (const ParamPtr& param : program.function().params)
    if (!ladder.sizes.count(param->name)) known.push_back(param->name);
  return known;
}

}  // namespace

const Ladder& find_ladder(llvm::ArrayRef<Ladder> ladders, std::string_view name) {
  if (name.find("->") != std::string_view::npos)
    throw UsageError(
        "a program as text has no schedule; commands that take --steps=FILE take one from there");
  return find_named("ladder", ladders, name, "");
}

RungRef find_rung(llvm::ArrayRef<Ladder> ladders, const std::string& path) {
  const size_t slash = path.find('/');
  const Ladder& ladder = find_ladder(ladders, path.substr(0, slash));
  if (slash == std::string::npos)
    throw UsageError("'{}' is a ladder; name one of its rungs, as in {}/{}", path, path,
                     ladder.rungs.empty() ? "RUNG" : ladder.rungs.front().name);
  const llvm::ArrayRef<Rung> rungs = ladder.rungs;
  return {&ladder, &find_named("rung", rungs, path.substr(slash + 1), ladder.name)};
}

Program program_of(const Ladder& ladder, const Sizes& fixed) {
  if (!ladder.program)
    throw RuntimeError("the ladder {} has no Ladder::program, which its rungs are checked against",
                       ladder.name);
  return ladder.program(fixed);
}

Program program_of(const RungRef& rung, const Sizes& fixed) {
  return rung.rung->program ? rung.rung->program(fixed) : program_of(*rung.ladder, fixed);
}

Function program_for(const RungRef& rung, const Sizes& expected) {
  if (rung.ladder->program) return program_of(*rung.ladder, {}).function();
  if (is_given_as_text(*rung.rung)) return program_of(*rung.ladder, {}).function();
  return rung.rung->build({}, expected).function();
}

Sizes given_sizes(const Arguments& arguments, const Ladder& ladder) {
  return given_sizes(arguments, sizes_known(ladder), ladder.name);
}

Sizes given_sizes(const Arguments& arguments, llvm::ArrayRef<const Ladder*> ladders,
                  const Ladder& ladder) {
  std::vector<std::string> known, names;
  for (const Ladder* one : ladders) {
    if (!llvm::is_contained(names, one->name)) names.push_back(one->name);
    for (const std::string& name : sizes_known(*one))
      if (!llvm::is_contained(known, name)) known.push_back(name);
  }
  const Sizes given = given_sizes(arguments, known, fmt::format("{}", fmt::join(names, " and ")));
  Sizes sizes;
  for (const std::string& name : sizes_known(ladder))
    if (given.count(name)) sizes[name] = given.at(name);
  return sizes;
}

Sizes given_sizes(const Arguments& arguments, llvm::ArrayRef<std::string> known,
                  std::string_view where, std::string_view option) {
  Sizes sizes;
  for (const std::string& text : arguments.values(option)) {
    const auto [name, digits] = split_assignment(option, text);
    if (!llvm::is_contained(known, name)) throw unknown("size", name, known, where);
    int64_t size = 0;
    if (llvm::StringRef(digits).getAsInteger(10, size) || size < 0)
      throw UsageError("the size {} is a number from 0 on, got '{}'", name, digits);
    if (!sizes.emplace(name, size).second)
      throw UsageError("the size {} is given twice, {} and {}", name, sizes.at(name), size);
  }
  return sizes;
}

BuildSizes build_sizes(const Arguments& arguments, const Ladder& ladder) {
  const auto known = sizes_known(ladder);
  const Sizes fixed = given_sizes(arguments, known, ladder.name);
  const Sizes expected = given_sizes(arguments, known, ladder.name, "--expect");
  for (const auto& [name, size] : expected)
    if (fixed.count(name))
      throw UsageError("the size {} is a constant by -D, and a param by --expect", name);
  return {fixed, overlaid(overlaid(ladder.sizes, expected), fixed)};
}

namespace {

void check_constants(const RungRef& rung) {
  for (const std::string& name : rung.rung->constants)
    if (!rung.ladder->sizes.count(name))
      throw RuntimeError("{} has {} as a constant, which is no size of its ladder", rung.name(),
                         name);
}

}  // namespace

Schedule build(const RungRef& rung, const BuildSizes& sizes) {
  check_constants(rung);
  if (is_given_as_text(*rung.rung))
    throw UsageError("{} is given as kernels, and has no schedule; `show --emit=kernel` shows them",
                     rung.name());
  return rung.rung->build(sizes.fixed, sizes.expected);
}

Sizes overlaid(Sizes base, const Sizes& more) {
  for (const auto& [name, size] : more) base[name] = size;
  return base;
}

Sizes sizes_of_params(const Function& program, const Sizes& all) {
  Sizes sizes;
  for (const ParamPtr& param : program.params)
    if (const auto size = all.find(param->name); size != all.end()) sizes.insert(*size);
  return sizes;
}

double work(const Ladder& ladder, const Sizes& sizes) {
  const double flops = ladder.flops ? ladder.flops(sizes) : 0;
  const double words = ladder.bytes ? ladder.bytes(sizes) / 4 : 0;
  return std::max(flops, words);
}

namespace {

/// The largest sizes are halved until there is less work than `most`, but for the constants.
Sizes shrunk(const Ladder& ladder, Sizes sizes, double most,
             llvm::ArrayRef<std::string> constants = {}) {
  while (work(ladder, sizes) > most) {
    int64_t largest = 0;
    for (const auto& [name, size] : sizes)
      if (!llvm::is_contained(constants, name)) largest = std::max(largest, size);
    if (largest / 2 < least_size) break;
    for (auto& [name, size] : sizes)
      if (size == largest && !llvm::is_contained(constants, name)) size /= 2;
  }
  return sizes;
}

}  // namespace

Sizes default_sizes(const Ladder& ladder, const Device& device) {
  const bool is_slow = device.kind() == DeviceKind::simulated;
  return is_slow ? shrunk(ladder, ladder.sizes, simulated_flops) : ladder.sizes;
}

Sizes sizes_for_tensor_cores(const Ladder& ladder) {
  return shrunk(ladder, ladder.sizes, tensor_core_flops);
}

bool takes_a_while(const Ladder& ladder, const Sizes& sizes, const Device& device) {
  return work(ladder, tried_sizes(ladder, sizes, device)) < work(ladder, sizes);
}

Sizes tried_sizes(const Ladder& ladder, const Sizes& sizes, const Device& device) {
  Sizes small;
  for (const auto& [name, size] : sizes)
    if (ladder.sizes.count(name)) small.emplace(name, size);
  return shrunk(ladder, small,
                device.kind() == DeviceKind::simulated ? simulated_flops : host_flops);
}

Sizes checked_sizes(const Ladder& ladder, const Sizes& sizes,
                    llvm::ArrayRef<std::string> constants) {
  Sizes small = tried_sizes(ladder, sizes, Device::simulated());
  for (const std::string& name : constants)
    if (const auto found = sizes.find(name); found != sizes.end()) small[name] = found->second;
  return shrunk(ladder, small, interpreted_flops, constants);
}

std::string to_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  return text;
}

std::vector<std::string> names_of_devices() { return {"auto", "cuda", "sim", "host"}; }

std::vector<std::string> names_of_kernel_devices() {
  std::vector<std::string> names = names_of_devices();
  llvm::erase_value(names, "host");
  return names;
}

Device chosen_device(const Arguments& arguments) { return parse_device(device_text(arguments)); }

Device device_for_file(const Arguments& arguments) {
  const std::string text = device_text(arguments, "sim");
  if (text == "host")
    throw UsageError(
        "kernels of files run on a GPU or on the simulated device, not on host; use --device=cuda "
        "or --device=sim");
  return parse_device(text);
}

Device device_for(const Arguments& arguments, const RungRef& rung) {
  const std::string text = device_text(arguments);
  if (rung.rung->target == RungTarget::gpu) return parse_device(text);
  if (text != "auto" && text != "host")
    throw UsageError("{} runs on the host, not on {}; use --device=host", rung.name(), text);
  return Device::host();
}

namespace {

uint64_t chosen_number(const Arguments& arguments, const std::string& option, uint64_t otherwise) {
  const std::optional<std::string> text = arguments.value(option);
  uint64_t number = otherwise;
  if (text && llvm::StringRef(*text).getAsInteger(10, number))
    throw UsageError("{} takes a number from 0 on, got '{}'", option, *text);
  return number;
}

}  // namespace

uint64_t chosen_seed(const Arguments& arguments) { return chosen_number(arguments, "--seed", 1); }
uint64_t chosen_order(const Arguments& arguments) { return chosen_number(arguments, "--order", 0); }

}  // namespace hone
