// The text of kernel IR, in the style of ir/printer.h.
#include "codegen/kernel.h"
#include "ir/printer.h"

namespace hone {

std::string to_string(const KernelFunction& kernel) {
  const std::string head =
      signature(kernel.name, kernel.params, kernel.arguments, kernel.may_alias, kernel.assumptions);
  const std::string body = to_string(kernel.body, 1);
  return fmt::format("kernel {} grid({}) block({}) @index{} {{\n{}{}}}", head,
                     fmt::join(kernel.grid, ", "), fmt::join(kernel.block, ", "), kernel.index_bits,
                     body, body.empty() ? "" : "\n");
}

}  // namespace hone
