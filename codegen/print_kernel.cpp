// The text of kernel IR, in the style of ir/printer.h.
#include "codegen/kernel.h"

namespace hone {

LinedText print_with_lines(const KernelFunction& kernel) {
  const std::string head =
      signature(kernel.name, kernel.params, kernel.arguments, kernel.may_alias, kernel.assumptions);
  const std::string operators = operator_lines(kernel.body);
  const auto above = static_cast<unsigned>(llvm::count(operators, '\n')) + 1;
  LinedText body = print_with_lines(kernel.body, 1, above + 1);
  body.text = fmt::format("{}kernel {} grid({}) block({}) @index{} {{\n{}{}}}", operators, head,
                          fmt::join(kernel.grid, ", "), fmt::join(kernel.block, ", "),
                          kernel.index_bits, body.text, body.text.empty() ? "" : "\n");
  return body;
}

std::string to_string(const KernelFunction& kernel) { return print_with_lines(kernel).text; }

}  // namespace hone
