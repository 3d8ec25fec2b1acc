#include "tests/support/codegen/passes.h"

#include "codegen/lower.h"
#include "ir/algebra/facts.h"
#include "ir/algebra/simplify.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {

KernelFunction unlowered(llvm::StringRef text) {
  const Function function = parse_function(text);
  KernelFunction kernel;
  kernel.name = function.name;
  kernel.params = function.params;
  kernel.arguments = function.arguments;
  kernel.may_alias = function.may_alias;
  kernel.assumptions = function.assumptions;
  kernel.body = function.body;
  return kernel;
}

std::string after_passes(llvm::ArrayRef<KernelPass*> passes, llvm::StringRef text) {
  KernelFunction kernel = unlowered(text);
  for (KernelPass* pass : passes) pass(kernel);
  return to_string(kernel.body);
}

std::string after_pass(KernelPass* pass, llvm::StringRef text) {
  return after_passes({pass,
                       [](KernelFunction& kernel) {
                         kernel.body = simplify(kernel.body, facts_of(kernel.assumptions));
                       }},
                      text);
}

std::string lowered_body(llvm::StringRef text) {
  const Module module = lower(parse_function(text));
  assert(module.kernels.size() == 1 && "one nest is one kernel");
  return to_string(module.kernels.front().body);
}

std::string lowering_error(llvm::StringRef text) {
  try {
    const Function function = parse_function(text);
    check_function(function);
    lower(function);
  } catch (const ScheduleError& error) {
    return error.message() + (error.note().empty() ? "" : "\n" + error.note());
  }
  return "no error";
}

}  // namespace hone
