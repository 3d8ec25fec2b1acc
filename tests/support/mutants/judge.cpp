#include "tests/support/mutants/judge.h"

#include "codegen/verify_kernel.h"
#include "ir/interpret/interpreter.h"
#include "runtime/sim/check/check.h"

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

Judge::Run Judge::run_all(const KernelFunction& kernel, uint64_t order) const {
  Run all = {"", "", true};
  for (const Data& data : data_) {
    const Run once = run(kernel, data, order);
    if (!once.finding.empty()) return once;
    all.is_right &= once.is_right;
  }
  return all;
}

std::string Judge::finding(const KernelFunction& kernel, uint64_t order) const {
  const Run all = run_all(kernel, order);
  return all.finding.empty() && !all.is_right ? "other results" : all.text;
}

MistakeJudgement Judge::judge(const KernelFunction& kernel) const {
  using Verdict = MistakeJudgement::Verdict;
  if (const auto problem = verify(kernel)) return {Verdict::refused, "", *problem};
  const Run first = run_all(kernel, 0), second = run_all(kernel, 1);
  const Run& found = first.finding.empty() ? second : first;
  if (!found.finding.empty()) {
    const bool is_by_chance = first.finding.empty() || second.finding.empty();
    return {is_by_chance ? Verdict::in_orders : Verdict::found, found.finding, found.text};
  }
  if (!first.is_right && !second.is_right) return {Verdict::wrong, "", ""};
  bool is_right = first.is_right && second.is_right;
  for (uint64_t order = 2; order <= orders; ++order) {
    const Run once = run_all(kernel, order);
    if (!once.finding.empty()) return {Verdict::in_orders, once.finding, once.text};
    is_right &= once.is_right;
  }
  return {is_right ? Verdict::equivalent : Verdict::wrong, "", ""};
}

}  // namespace hone
