#include "tests/support/mutants/judge.h"

#include "codegen/verify_kernel.h"
#include "ir/interpret/interpreter.h"
#include "runtime/sim/check.h"

namespace hone {

Judge::Judge(const RightKernel& right) {
  for (const Sizes& sizes : right.sizes) {
    const Buffers inputs = right.buffers(sizes);
    Buffers expected = inputs;
    interpret(right.program, sizes, expected);
    data_.push_back({sizes, inputs, std::move(expected)});
  }
}

Judge::Run Judge::run(const KernelFunction& kernel, const Data& data, uint64_t order) const {
  Buffers buffers = data.inputs;
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.at(tensor->name);
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size(), false});
  }
  CheckOptions options;
  options.threads = 1;
  options.step_budget = 1 << 16;
  options.order = order;
  std::vector<Finding> findings;
  try {
    findings = check(kernel, data.sizes, arguments, options).findings;
  } catch (const RuntimeError& error) {
    return {"refused by the device", error.what(), false};
  }
  const bool is_right = llvm::all_of(buffers, [&](const auto& named) {
    return named.second.bytes == data.expected.at(named.first).bytes;
  });
  if (findings.empty()) return {"", "", is_right};
  return {to_string(findings.front().kind), to_string(findings.front()), is_right};
}

MistakeJudgement Judge::judge(const KernelFunction& kernel) const {
  using Verdict = MistakeJudgement::Verdict;
  if (const auto problem = verify(kernel)) return {Verdict::refused, "", *problem};
  MistakeJudgement judgement;
  for (uint64_t order = 0; order <= orders; ++order)
    for (const Data& data : data_) {
      const Run once = run(kernel, data, order);
      if (!once.finding.empty())
        return {order == 0 ? Verdict::found : Verdict::in_orders, once.finding, once.text};
      if (!once.is_right) judgement.verdict = Verdict::wrong;
    }
  return judgement;
}

}  // namespace hone
