#include "tests/support/examples/checked_rungs.h"

#include "ir/interpreter.h"

namespace hone {

RungData::RungData(const Module& module, const Problem& problem) : module_(module) {
  for (const Argument& argument : problem.arguments) {
    const std::string& name = argument.tensor->name;
    arrays_.emplace(name, argument.array.clone());
    if (argument.is_output) outputs_.insert(name);
  }
  for (const TensorPtr& temporary : module.temporaries) {
    arrays_.emplace(temporary->name, array_for(*temporary, problem.sizes));
    outputs_.insert(temporary->name);
  }
}

std::vector<SimArgument> RungData::arguments(const KernelFunction& kernel) {
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    const AnyArray& array = arrays_.at(tensor->name);
    arguments.push_back({tensor->name, array.data(), array.storage_size(),
                         outputs_.count(tensor->name) != 0 && written_.count(tensor->name) == 0});
  }
  for (const TensorPtr& tensor : kernel.arguments) written_.insert(tensor->name);
  return arguments;
}

std::vector<std::byte> RungData::results() const {
  std::vector<std::byte> bytes;
  for (const TensorPtr& tensor : module_.arguments) {
    if (outputs_.count(tensor->name) == 0) continue;
    const Buffer buffer = to_buffer(arrays_.at(tensor->name));
    bytes.insert(bytes.end(), buffer.bytes.begin(), buffer.bytes.end());
  }
  return bytes;
}

std::vector<Finding> check_all(const Module& module, const Sizes& sizes, RungData& data,
                               const CheckOptions& options) {
  std::vector<Finding> findings;
  for (const KernelFunction& kernel : module.kernels)
    llvm::append_range(findings, check(kernel, sizes, data.arguments(kernel), options).findings);
  return findings;
}

std::string texts_of(llvm::ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

}  // namespace hone
