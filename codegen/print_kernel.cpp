// The text of kernel IR, in the style of ir/text/printer.h.
#include "codegen/kernel.h"

namespace hone {

namespace {

/// " grid(4, 1, 1)"; empty while lowering has not decided it.
std::string sizes(const char* word, const std::array<Expr, 3>& sizes) {
  return sizes[0].defined() ? fmt::format(" {}({})", word, fmt::join(sizes, ", ")) : "";
}

}  // namespace

LinedText print_with_lines(const KernelFunction& kernel) {
  const std::string head = signature(kernel.name, kernel.params, kernel.arguments,
                                     kernel.may_alias ? " @may_alias" : "", kernel.assumptions);
  const std::string operators = operator_lines(kernel.body);
  const auto above = static_cast<unsigned>(llvm::count(operators, '\n')) + 1;
  const std::string width =
      kernel.index_bits == 0 ? "" : fmt::format(" @index{}", kernel.index_bits);
  const std::string cluster =
      kernel.cluster == 1 ? "" : fmt::format(" cluster({})", kernel.cluster);
  const std::string attributes =
      kernel.resident_blocks == 0 ? "" : text_of(attr::resident, kernel.resident_blocks);
  LinedText body = print_with_lines(kernel.body, 1, above + 1);
  body.text = fmt::format("{}kernel {}{}{}{}{}{} {{\n{}{}}}", operators, head,
                          sizes("grid", kernel.grid), cluster, sizes("block", kernel.block),
                          attributes, width, body.text, body.text.empty() ? "" : "\n");
  return body;
}

std::string to_string(const KernelFunction& kernel) { return print_with_lines(kernel).text; }

std::string head_of(const Stmt& statement) {
  const std::string text = to_string(statement);
  llvm::StringRef line = llvm::StringRef(text).split('\n').first.rtrim();
  line.consume_back("{");
  return line.rtrim().str();
}

}  // namespace hone
