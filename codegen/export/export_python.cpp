// The launch contract for PyTorch.
#include "codegen/export/export.h"
#include "codegen/export/templates.h"
#include "fmt/format.h"

namespace hone {
namespace {

std::string argument_names(const LaunchContract& contract) {
  std::string text;
  for (const ContractArgument& argument : contract.arguments)
    text += (text.empty() ? "" : ", ") + argument.tensor->name;
  return text;
}

}  // namespace

std::string export_python(const LaunchContract& contract) {
  return fmt::format(R"("""{0} on tensors of PyTorch:

    import {0}
    {0}.launch({1})

{2}"""

{3}

program = load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "{0}.json"))


def launch(*tensors, **sizes):
    """Runs the program on its arguments, on the current stream; see TorchProgram."""
    program(*tensors, **sizes)
)",
                     contract.name, argument_names(contract), to_string(contract), python_loader);
}

}  // namespace hone
