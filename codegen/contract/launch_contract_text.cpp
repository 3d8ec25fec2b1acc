// The contract for people, and its messages.
#include "codegen/contract/launch_contract.h"
#include "fmt/ranges.h"
#include "ir/target/alignment.h"
#include "ir/text/printer.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

std::string line(const std::string& text) { return text + "\n"; }

std::string operand_name(const LaunchContract& contract, const KernelOperand& operand) {
  switch (operand.kind) {
    case KernelOperand::Kind::argument:
      return contract.arguments[operand.number].tensor->name;
    case KernelOperand::Kind::temporary:
      return contract.temporaries[operand.number].tensor->name;
    case KernelOperand::Kind::counter:
      return contract.counters[operand.number].tensor->name;
  }
  llvm_unreachable("unknown kind of operand");
}

std::string arguments_text(const LaunchContract& contract) {
  std::string text;
  for (const auto& [tensor, is_written] : contract.arguments)
    text += line(fmt::format("  {}, {}", declaration(*tensor), is_written ? "written" : "read"));
  for (const ParamPtr& param : contract.params)
    text += line(fmt::format("  {}, a size", param->name));
  return text;
}

std::string promises_text(const LaunchContract& contract) {
  std::string text;
  for (const SizeCheck& promise : contract.promises)
    text += line(fmt::format("promised: {}", promise.holds));
  for (const auto& [argument, bytes, message] : contract.alignments)
    text += line(fmt::format("promised: {} begins at a multiple of {} bytes",
                             contract.arguments[argument].tensor->name, bytes));
  for (const auto& [first, second, may_be_one, message] : contract.overlaps)
    text += line(fmt::format(
        "promised: {} and {} share no memory{}", contract.arguments[first].tensor->name,
        contract.arguments[second].tensor->name, may_be_one ? ", or are one array" : ""));
  return text;
}

std::string workspace_text(const LaunchContract& contract) {
  std::string text;
  for (const auto& [tensor, offset, bytes] : contract.temporaries)
    text += line(fmt::format("workspace: {}, {} bytes", declaration(*tensor), bytes));
  for (const auto& [tensor, offset, bytes] : contract.counters)
    text += line(fmt::format("workspace: {}, {} bytes, all 0 before a launch and again after it",
                             declaration(*tensor), bytes));
  return text;
}

std::string shared_text(const KernelContract& kernel) {
  if (kernel.shared_bytes == 0) return "no shared memory";
  const std::string start = kernel.shared_alignment > vector_alignment
                                ? fmt::format(" at a multiple of {}", kernel.shared_alignment)
                                : "";
  return fmt::format("{} bytes of {} shared memory{}{}", kernel.shared_bytes,
                     kernel.is_shared_dynamic ? "dynamic" : "static", start,
                     kernel.is_shared_dynamic ? ", which a launch has to opt in to" : "");
}

std::string kernel_text(const LaunchContract& contract, size_t number) {
  const KernelContract& kernel = contract.kernels[number];
  const std::string clusters =
      kernel.cluster > 1 ? fmt::format(" in clusters of {}", kernel.cluster) : "";
  const std::string before =
      number == 0 ? "the kernel before it" : contract.kernels[number - 1].name;
  const std::string start =
      kernel.starts_early ? fmt::format(", starts before {} ends", before) : "";
  std::vector<std::string> taken;
  for (const KernelOperand& operand : kernel.operands)
    taken.push_back(operand_name(contract, operand));
  for (const ParamPtr& param : kernel.params) taken.push_back(param->name);
  std::string text =
      line(fmt::format("{}: grid ({}){}, block ({}), {}, {}-bit indices{}", kernel.name,
                       fmt::join(kernel.grid, ", "), clusters, fmt::join(kernel.block, ", "),
                       shared_text(kernel), kernel.index_bits, start));
  text += line(fmt::format("  takes {}", fmt::join(taken, ", ")));
  for (const TensorMap& map : kernel.tensor_maps)
    text += line(fmt::format(
        "  tensor map: {} by boxes of {}{}", operand_name(contract, kernel.operands[map.operand]),
        fmt::join(llvm::reverse(map.box), " x "),
        map.swizzle == 0 ? "" : fmt::format(", swizzled in {} bytes", map.swizzle)));
  for (const SizeCheck& limit : kernel.limits)
    text += line(fmt::format("  limit: {}", limit.holds));
  if (kernel.index_steps > 0)
    text += line(fmt::format("  limit: {} step{} of index arithmetic, which a launch follows",
                             kernel.index_steps, kernel.index_steps == 1 ? "" : "s"));
  return text;
}

}  // namespace

std::string to_string(const LaunchContract& contract) {
  std::string text = line(contract.name) + arguments_text(contract) + promises_text(contract) +
                     workspace_text(contract);
  const bool has_order = contract.kernels.size() > 1;
  if (has_order)
    text += line(fmt::format("{} kernels, one after the other:", contract.kernels.size()));
  for (size_t n = 0; n < contract.kernels.size(); ++n) text += kernel_text(contract, n);
  return text;
}

std::string refusal(const SizeCheck& check, const Sizes& sizes) {
  llvm::SmallVector<std::string, 4> values;
  for (const Expr& value : check.values) values.push_back(std::to_string(value_of(value, sizes)));
  return filled(check.message, values);
}

}  // namespace hone
