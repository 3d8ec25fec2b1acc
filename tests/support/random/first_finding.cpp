#include "tests/support/random/first_finding.h"

#include "runtime/sim/check/check.h"
#include "tests/support/random/random_program.h"

namespace hone {

std::string first_finding(const KernelFunction& kernel, const Function& function,
                          const Sizes& sizes, uint64_t order) {
  Buffers buffers = random_buffers(function, sizes, 7);
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.at(tensor->name);
    const auto elements = static_cast<int64_t>(buffer.bytes.size() / size_of(buffer.type));
    arguments.push_back({tensor->name, buffer.bytes.data(), elements, false});
  }
  CheckOptions options;
  options.order = order;
  const auto findings = check(kernel, sizes, arguments, options).findings;
  return findings.empty() ? "" : to_string(findings.front());
}

}  // namespace hone
