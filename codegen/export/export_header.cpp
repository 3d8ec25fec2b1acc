// The launch contract as a C++ header.
#include "codegen/export/export.h"
#include "codegen/export/launch_text.h"
#include "codegen/export/templates.h"
#include "fmt/format.h"

namespace hone {

std::string comment_of(const LaunchContract& contract) {
  std::string result;
  const std::string text = to_string(contract);
  for (auto [line, rest] = llvm::StringRef(text).split('\n'); !line.empty();
       std::tie(line, rest) = rest.split('\n'))
    result += "// " + line.str() + "\n";
  return result;
}

std::string export_header(const LaunchContract& contract) {
  return fmt::format(
      "{0}#pragma once\n\n{1}\nnamespace {2} {{\n\n{3}\n{4}\n}}  // namespace {2}\n",
      comment_of(contract), launch_includes(contract), contract.name, status_support,
      launch_functions(contract, fmt::format("/// The kernel of that number, from {}.cu.\n"
                                             "const void* entry(int kernel);\n",
                                             contract.name)));
}

}  // namespace hone
