#include "tools/cli/cuda/argument_list.h"

#include <cstring>

#include "ir/core/counted.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

using llvm::StringRef;

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

std::string name_of_argument(const ptx::NamedKernel& kernel, size_t number) {
  const bool is_known = number < kernel.arguments.size() && !kernel.arguments[number].name.empty();
  return is_known ? kernel.arguments[number].name : fmt::format("argument {}", number + 1);
}

/// The members of a struct have its name and number with their own behind a point.
void append(std::vector<RunArgument>& arguments, RunArgument argument) {
  if (argument.given.kind != ArgumentKind::structure) {
    arguments.push_back(std::move(argument));
    return;
  }
  unsigned count = 0;
  for (LaunchArgument& member : argument.given.members) {
    const std::string behind = fmt::format(".{}", ++count);
    const int64_t place = argument.place + member.place;
    append(arguments, {argument.name + behind, argument.number + behind, place, std::move(member)});
  }
}

}  // namespace

std::vector<RunArgument> ArgumentList::read(const LaunchText& launch, uint64_t seed) const {
  if (launch.arguments.size() != kernel_.params.size())
    throw UsageError("{} takes {} ({}), and --arg gives {}", chosen_.kernel.name,
                     counted(kernel_.params.size(), "argument", "arguments"),
                     params_text(chosen_.kernel), launch.arguments.size());
  std::vector<RunArgument> arguments;
  for (size_t n = 0; n < launch.arguments.size(); ++n) {
    LaunchArgument given =
        read_launch_argument(launch.arguments[n], launch.sizes, seed, static_cast<unsigned>(n + 1));
    check(given, n);
    append(arguments, {name_of_argument(chosen_.kernel, n), std::to_string(n + 1),
                       kernel_.params[n].offset, std::move(given)});
  }
  return arguments;
}

std::vector<std::byte> ArgumentList::place(const std::vector<RunArgument>& arguments) {
  std::vector<std::byte> params(kernel_.param_bytes);
  for (const RunArgument& argument : arguments) addresses_.push_back(allocated(argument));
  for (size_t n = 0; n < arguments.size(); ++n) {
    std::vector<std::byte> bytes = arguments[n].given.bytes;
    if (arguments[n].given.kind != ArgumentKind::scalar) {
      const uint64_t address = address_of(arguments, n);
      bytes.resize(sizeof address);
      std::memcpy(bytes.data(), &address, sizeof address);
    }
    std::copy(bytes.begin(), bytes.end(), params.begin() + arguments[n].place);
  }
  return params;
}

void ArgumentList::fetch(std::vector<RunArgument>& arguments) const {
  for (size_t n = 0; n < arguments.size(); ++n) {
    RunArgument& argument = arguments[n];
    if (argument.given.kind != ArgumentKind::array) continue;
    argument.result = argument.given.array;
    device_.read(addresses_[n], argument.result.bytes);
    argument.is_written = device_.is_written(addresses_[n])
                              .value_or(argument.result.bytes != argument.given.array.bytes);
  }
}

std::string ArgumentList::what(size_t n) const {
  if (n >= chosen_.kernel.arguments.size())
    return fmt::format("argument {} of {}", n + 1, chosen_.kernel.name);
  const ptx::KernelArgument& param = chosen_.kernel.arguments[n];
  return fmt::format("argument {} of {}, {}{}{}", n + 1, chosen_.kernel.name, param.type,
                     param.type.empty() ? "" : " ", param.name);
}

void ArgumentList::check(const LaunchArgument& given, size_t n) const {
  if (given.size() != kernel_.params[n].bytes)
    throw UsageError("{}, has {} bytes, and {} has {}", what(n), kernel_.params[n].bytes,
                     given.text, given.size());
  if (n < chosen_.kernel.arguments.size() && given.type) check_type(given, n);
}

/// Sign and bytes alone may differ from what the kernel says.
void ArgumentList::check_type(const LaunchArgument& given, size_t n) const {
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

uint64_t ArgumentList::allocated(const RunArgument& argument) {
  if (argument.given.kind != ArgumentKind::array) return 0;
  const auto& bytes = argument.given.array.bytes;
  const uint64_t address =
      device_.allocate(static_cast<int64_t>(bytes.size()), argument.name, argument.given.is_unset);
  device_.write(address, bytes);
  return address;
}

uint64_t ArgumentList::address_of(const std::vector<RunArgument>& arguments, size_t n) const {
  const LaunchArgument& given = arguments[n].given;
  if (given.kind == ArgumentKind::array) return addresses_[n] + static_cast<uint64_t>(given.offset);
  for (size_t other = 0; other < arguments.size(); ++other) {
    if (!arguments[other].is_called(given.target)) continue;
    if (arguments[other].given.kind != ArgumentKind::array)
      throw UsageError("{} leads to argument {}, which is no array", given.text,
                       arguments[other].number);
    return addresses_[other] + static_cast<uint64_t>(given.offset);
  }
  throw UsageError("{}: there is no argument '{}' of {}", given.text, given.target,
                   chosen_.kernel.name);
}

}  // namespace hone
