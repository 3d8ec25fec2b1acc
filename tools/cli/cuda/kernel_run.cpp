#include "tools/cli/cuda/kernel_run.h"

#include <bit>
#include <cstring>

#include "llvm/ADT/StringExtras.h"
#include "runtime/files.h"
#include "runtime/ptx/machine/program.h"
#include "runtime/ptx/text/demangle.h"

namespace hone {
namespace {

using llvm::StringRef;

/// Addresses of the device are those of the host.
std::byte* at_address(uint64_t address) { return std::bit_cast<std::byte*>(address); }

std::string name_of_argument(const ptx::NamedKernel& kernel, size_t number) {
  const bool is_known = number < kernel.arguments.size() && !kernel.arguments[number].name.empty();
  return is_known ? kernel.arguments[number].name : fmt::format("argument {}", number + 1);
}

/// "float const*" as "float", and whether it is a pointer; of pointers to pointers nothing.
std::pair<std::string, bool> pointee(StringRef type) {
  std::string plain;
  for (StringRef word : llvm::split(type, ' ')) {
    bool is_pointer = false;
    while (word.consume_back("*")) is_pointer = true;
    if (is_pointer) plain += "*";
    if (word.empty() || word == "const" || word == "volatile" || word.startswith("__restrict"))
      continue;
    const size_t star = plain.find('*');
    const std::string joint = plain.empty() || star == 0 ? "" : " ";
    plain.insert(star == std::string::npos ? plain.size() : star, joint + word.str());
  }
  const StringRef text = plain;
  const StringRef base = text.take_until([](char c) { return c == '*'; });
  if (text.size() > base.size() + 1) return {"", true};
  return {base.str(), text.size() > base.size()};
}

// ---- The shape ----------------------------------------------------------------------------------

std::array<int64_t, 3> triple(StringRef option, const std::string& text, const Sizes& sizes) {
  const std::vector<int64_t> values = values_of_formulas(text, sizes);
  if (values.size() > 3)
    throw UsageError("{} takes one to three extents, got '{}'", option.str(), text);
  std::array<int64_t, 3> result = {1, 1, 1};
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

ptx::LaunchShape shape_of(const LaunchText& launch, const ptx::KernelInfo& kernel) {
  if (launch.grid.empty() || launch.block.empty())
    throw UsageError(
        "a launch needs its shape: {} is missing, as in --grid='cdiv(N, 256)' --block=256 "
        "-D N=1000",
        launch.grid.empty() ? "--grid" : "--block");
  ptx::LaunchShape shape;
  shape.grid = triple("--grid", launch.grid, launch.sizes);
  shape.block = triple("--block", launch.block, launch.sizes);
  for (size_t dim = 0; dim < 3; ++dim) shape.cluster[dim] = std::max(kernel.cluster[dim], 1);
  if (!launch.cluster.empty()) shape.cluster = triple("--cluster", launch.cluster, launch.sizes);
  if (!launch.shared.empty()) shape.dynamic_shared = value_of_formula(launch.shared, launch.sizes);
  return shape;
}

// ---- Arguments ----------------------------------------------------------------------------------

/// The arguments of a launch in the memory of the device.
class ArgumentList {
 public:
  ArgumentList(const ChosenKernel& chosen, const ptx::KernelInfo& kernel, ptx::Memory& memory)
      : chosen_(chosen), kernel_(kernel), memory_(memory) {}

  void read(const LaunchText& launch, uint64_t seed, std::vector<RunArgument>& arguments) const {
    if (launch.arguments.size() != kernel_.params.size())
      throw UsageError("{} takes {} arguments ({}), and {} are given by --arg", chosen_.kernel.name,
                       kernel_.params.size(), params_text(chosen_.kernel), launch.arguments.size());
    for (size_t n = 0; n < launch.arguments.size(); ++n) {
      arguments.push_back({name_of_argument(chosen_.kernel, n),
                           read_launch_argument(launch.arguments[n], launch.sizes, seed,
                                                static_cast<unsigned>(n + 1))});
      check(arguments.back().given, n);
    }
  }

  /// As the kernel has them in memory.
  std::vector<std::byte> place(std::vector<RunArgument>& arguments) {
    std::vector<std::byte> params(kernel_.param_bytes);
    for (RunArgument& argument : arguments) addresses_.push_back(allocated(argument));
    for (size_t n = 0; n < arguments.size(); ++n) {
      std::vector<std::byte> bytes = arguments[n].given.bytes;
      if (arguments[n].given.kind != ArgumentKind::scalar) {
        const uint64_t address = address_of(arguments, n);
        bytes.resize(sizeof address);
        std::memcpy(bytes.data(), &address, sizeof address);
      }
      std::copy(bytes.begin(), bytes.end(), params.begin() + kernel_.params[n].offset);
    }
    return params;
  }

  void fetch(std::vector<RunArgument>& arguments) const {
    for (size_t n = 0; n < arguments.size(); ++n) {
      RunArgument& argument = arguments[n];
      if (argument.given.kind != ArgumentKind::array) continue;
      argument.result = argument.given.array;
      std::memcpy(argument.result.bytes.data(), at_address(addresses_[n]),
                  argument.result.bytes.size());
      argument.is_written = argument.result.bytes != argument.given.array.bytes;
    }
  }

 private:
  std::string what(size_t n) const {
    if (n >= chosen_.kernel.arguments.size())
      return fmt::format("argument {} of {}", n + 1, chosen_.kernel.name);
    const ptx::KernelArgument& param = chosen_.kernel.arguments[n];
    return fmt::format("argument {} of {}, {}{}{}", n + 1, chosen_.kernel.name, param.type,
                       param.type.empty() ? "" : " ", param.name);
  }

  void check(const LaunchArgument& given, size_t n) const {
    const int64_t bytes = given.kind == ArgumentKind::scalar
                              ? static_cast<int64_t>(given.bytes.size())
                              : static_cast<int64_t>(sizeof(uint64_t));
    if (bytes != kernel_.params[n].bytes)
      throw UsageError("{}, has {} bytes, and {} has {}", what(n), kernel_.params[n].bytes,
                       given.text, bytes);
    if (n < chosen_.kernel.arguments.size() && given.type) check_type(given, n);
  }

  /// Sign and bytes alone may differ from what the kernel says.
  void check_type(const LaunchArgument& given, size_t n) const {
    const auto [type, is_pointer] = pointee(chosen_.kernel.arguments[n].type);
    const ElementType* const wanted = element_type_of_cuda(type);
    if (!wanted) return;
    if (is_pointer != (given.kind == ArgumentKind::array))
      throw UsageError("{}, is {}, and {} is {}", what(n), is_pointer ? "a pointer" : "a number",
                       given.text, is_pointer ? "a number" : "an array");
    if (wanted->bytes != given.type->bytes || wanted->is_real() != given.type->is_real())
      throw UsageError("{}, {} {}, and {} has {}", what(n), is_pointer ? "leads to" : "is",
                       wanted->name.str(), given.text, given.type->name.str());
  }

  uint64_t allocated(const RunArgument& argument) {
    if (argument.given.kind != ArgumentKind::array) return 0;
    const auto& bytes = argument.given.array.bytes;
    const uint64_t address = memory_.allocate(static_cast<int64_t>(bytes.size()), argument.name,
                                              argument.given.is_unset);
    if (!bytes.empty()) std::memcpy(at_address(address), bytes.data(), bytes.size());
    return address;
  }

  uint64_t address_of(const std::vector<RunArgument>& arguments, size_t n) const {
    const LaunchArgument& given = arguments[n].given;
    if (given.kind == ArgumentKind::array) return addresses_[n];
    for (size_t other = 0; other < arguments.size(); ++other) {
      const bool is_meant =
          given.target == arguments[other].name || given.target == std::to_string(other + 1);
      if (!is_meant) continue;
      if (arguments[other].given.kind != ArgumentKind::array)
        throw UsageError("{} leads to argument {}, which is no array", given.text, other + 1);
      return addresses_[other] + static_cast<uint64_t>(given.offset);
    }
    throw UsageError("{}: there is no argument '{}' of {}", given.text, given.target,
                     chosen_.kernel.name);
  }

  const ChosenKernel& chosen_;
  const ptx::KernelInfo& kernel_;
  ptx::Memory& memory_;
  std::vector<uint64_t> addresses_;
};

/// The variable of that name in the text; its name in PTX may be mangled.
const ptx::Variable& find_variable(const ptx::LoadedModule& module, const std::string& name) {
  std::vector<std::string> known;
  for (const ptx::Variable& variable : module.program().module->variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::string plain = ptx::demangled(variable.name);
    if (name == variable.name || name == plain) return variable;
    if (!StringRef(plain).startswith("$")) known.push_back(plain);
  }
  throw unknown("variable", name, known);
}

void set_variables(const ptx::LoadedModule& module, const LaunchText& launch, uint64_t seed) {
  unsigned number = 0;
  for (const std::string& text : launch.variables) {
    const auto [name, words] = split_assignment("--set", text);
    const ptx::Variable& found = find_variable(module, name);
    // Numbers of arguments are below those of variables.
    const LaunchArgument value = read_launch_argument(words, launch.sizes, seed, 1000 + ++number);
    const bool is_array = value.kind == ArgumentKind::array;
    const std::vector<std::byte>& bytes = is_array ? value.array.bytes : value.bytes;
    if (value.kind == ArgumentKind::alias)
      throw UsageError("--set takes numbers and arrays, got '{}'", words);
    if (static_cast<int64_t>(bytes.size()) > found.bytes)
      throw UsageError("the variable {} has {} bytes, and {} has {}", name, found.bytes, words,
                       bytes.size());
    std::copy(bytes.begin(), bytes.end(), at_address(module.variable(found.name).first));
  }
}

}  // namespace

bool RunArgument::is_set(int64_t index) const {
  const size_t bytes = result.type->bytes, first = index * bytes;
  return !given.is_unset ||
         !std::equal(&result.bytes[first], &result.bytes[first] + bytes, &given.array.bytes[first]);
}

const RunArgument& KernelRun::argument(const std::string& which) const {
  std::vector<std::string> known;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (which == arguments[n].name || which == std::to_string(n + 1)) return arguments[n];
    known.push_back(arguments[n].name);
  }
  throw unknown("argument", which, known, chosen.kernel.name);
}

KernelRun run_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                     const ptx::LaunchOptions& options) {
  KernelRun run{choose_kernel(path, launch), {}, {}, {}};
  ptx::Memory memory;
  const ptx::LoadedModule module(run.chosen.text.ptx, memory);
  const ptx::KernelInfo* const kernel = module.find(run.chosen.kernel.entry);
  if (!kernel) throw RuntimeError("{} is not in the PTX of {}", run.chosen.kernel.entry, path);
  run.shape = shape_of(launch, *kernel);
  ArgumentList arguments(run.chosen, *kernel, memory);
  arguments.read(launch, seed, run.arguments);
  set_variables(module, launch, seed);
  const std::vector<std::byte> params = arguments.place(run.arguments);
  run.report = ptx::launch(module, *kernel, run.shape, params, options);
  arguments.fetch(run.arguments);
  for (ptx::Report::Finding& finding : run.report.findings)
    for (ptx::Site& site : finding.sites) site.file = short_path(site.file);
  return run;
}

}  // namespace hone
