#include "codegen/contract/advice.h"

namespace hone {
namespace {

constexpr const char* advice_to_callers =
    "use smaller sizes, or ask for an export with --index-bits=64";

void address_callers(SizeCheck& check) {
  const size_t at = check.message.find(advice_on_bits);
  if (at != std::string::npos)
    check.message.replace(at, std::string(advice_on_bits).size(), advice_to_callers);
}

}  // namespace

LaunchContract contract_for_callers(LaunchContract contract) {
  for (KernelContract& kernel : contract.kernels) {
    for (SizeCheck& check : kernel.limits) address_callers(check);
    for (SizeCheck& check : kernel.index_limits) address_callers(check);
  }
  return contract;
}

}  // namespace hone
