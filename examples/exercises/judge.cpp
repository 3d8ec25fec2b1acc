#include "examples/exercises/judge.h"

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "fmt/ranges.h"
#include "ir/algebra/simplify.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/arguments.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

std::string at(const Sizes& sizes) {
  return sizes.empty() ? "" : fmt::format(" at {}", to_text(sizes));
}

/// "A: f32[n], B: f32[n]"
std::string signature_of(llvm::ArrayRef<TensorPtr> arguments) {
  std::vector<std::string> texts;
  for (const TensorPtr& tensor : arguments)
    texts.push_back(fmt::format("{}: {}", tensor->name, type_text(*tensor)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// A mistake of the author: a size of the program that sizes of the task leave out.
Complaint complaint_about_sizes(const Task& task, const Sizes& sizes) {
  std::vector<std::string> names;
  for (const ParamPtr& param : task.program.function().params) names.push_back(param->name);
  for (const std::string& name : names)
    if (!sizes.count(name))
      return fmt::format("the task leaves {} out{}; the sizes of {} are {}", name, at(sizes),
                         task.program.function().name, fmt::join(names, ", "));
  return std::nullopt;
}

Complaint complaint_about_run(const Measured& measured, const Sizes& sizes) {
  if (!measured.findings.empty())
    return fmt::format("check finds something{}:\n{}", at(sizes),
                       to_string(measured.findings.front()));
  if (!measured.mismatch.empty())
    return fmt::format("the results are wrong{}: {}", at(sizes), measured.mismatch);
  return std::nullopt;
}

Complaint complaint_about_goals(const Task& task, const Attempt& attempt) {
  for (const Goal& goal : task.goals) {
    const std::string shortfall = goal.shortfall(attempt);
    if (shortfall.empty()) continue;
    return fmt::format("{}{}; wanted: {}\n{}", shortfall, at(attempt.sizes), goal.text, goal.hint);
  }
  return std::nullopt;
}

/// Runs `measure_at` at all sizes.
template <class MeasureAt>
Complaint complaint_about_all(const Task& task, const Function* loops, MeasureAt measure_at) {
  for (const Sizes& sizes :
       llvm::concat<const Sizes>(task.sizes, llvm::ArrayRef<Sizes>(task.counted)))
    if (Complaint complaint = complaint_about_sizes(task, sizes)) return complaint;
  for (const Sizes& sizes : task.sizes)
    if (Complaint complaint = complaint_about_run(measure_at(sizes), sizes)) return complaint;
  const Measured measured = measure_at(task.counted);
  if (Complaint complaint = complaint_about_run(measured, task.counted)) return complaint;
  if (measured.kernels.empty()) return "no kernel runs";
  return complaint_about_goals(task, {task.program, loops, measured, task.counted});
}

/// A launch at larger sizes than the task's would be refused. Promises of the answer do not count.
Complaint complaint_about_blocks(const Task& task, const Module& module) {
  const Facts facts = facts_of(task.program.function().assumptions);
  const int most = widest_architecture().max_threads;
  for (const KernelFunction& kernel : module.kernels) {
    const auto& [x, y, z] = kernel.block;
    const Expr threads = simplify(x * y * z);
    if (proves(threads <= most, facts)) continue;
    return fmt::format(
        "a block has {} threads, and a launch takes at most {}; wanted: right "
        "results at all sizes\nSplit the axis that is bound to threads.",
        threads, most);
  }
  return std::nullopt;
}

std::vector<std::string> texts_of(const Task& task) {
  std::vector<std::string> texts;
  for (const Sizes& sizes : task.sizes) texts.push_back(fmt::format("right results{}", at(sizes)));
  for (const Goal& goal : task.goals) texts.push_back(goal.text);
  return texts;
}

Judgement judgement(const Task& task, const Complaint& complaint) {
  return complaint ? failed(*complaint) : passed(texts_of(task));
}

template <class Kind>
const Kind& expect(const Answer& answer, const char* wanted) {
  if (const Kind* kind = std::get_if<Kind>(&answer)) return *kind;
  throw UsageError("this exercise asks for {}", wanted);
}

/// The kernel of a text in place of that of a module with the same arguments.
KernelFunction parsed(const KernelText& answer, const Module& module) {
  KernelFunction kernel = parse_kernel(answer.text);
  if (const auto problem = verify(kernel)) throw RuntimeError("{}", *problem);
  const std::string wanted = signature_of(module.arguments);
  if (kernel.name != module.name || signature_of(kernel.arguments) != wanted)
    throw RuntimeError("the kernel has to stay {}({})", module.name, wanted);
  return kernel;
}

/// A barrier that nothing needs, at these sizes.
Complaint complaint_about_barriers(const Task& task, const Module& module) {
  const Problem problem = make_problem(task.program.function(), task.counted, {}, /*seed=*/1);
  Complaint complaint;
  run_kernels(module, problem,
              [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
                const CheckOptions options = {.find_unneeded_barriers = true};
                for (const Finding& finding :
                     check(module.kernels[number], sizes, arguments, options).findings)
                  complaint = "it is right, and more than that: " + to_string(finding);
              });
  return complaint;
}

}  // namespace

Judgement passed(llvm::ArrayRef<std::string> goals) {
  return {true, fmt::format("passed\n  {}\n", fmt::join(goals, "\n  "))};
}

Judgement failed(std::string sentence) {
  if (sentence.back() != '\n') sentence += '\n';
  return {false, "not yet: " + sentence};
}

Complaint complaint_about(const Task& task, const Schedule& schedule) {
  const Function& loops = schedule.function();
  const std::string wanted = signature_of(task.program.function().arguments);
  if (signature_of(loops.arguments) != wanted)
    return fmt::format("the arguments are {}; wanted: {}", signature_of(loops.arguments), wanted);
  const Module module = lower(schedule);
  const Complaint complaint = complaint_about_all(
      task, &loops, [&](const Sizes& sizes) { return measure(task.program, module, sizes); });
  return complaint ? complaint : complaint_about_blocks(task, module);
}

Exercise exercise(const char* number, const char* title, std::function<Task()> make) {
  const auto judge = [make](const Answer& answer) {
    const auto solve = expect<std::function<void(Schedule&)>>(answer, "`void solve(Schedule& s)`");
    const Task task = make();
    Schedule s(task.program);
    solve(s);
    return judgement(task, complaint_about(task, s));
  };
  return {number, title, judge, [make] { return make().program; }};
}

Exercise program_exercise(const char* number, const char* title, std::function<Task()> make) {
  const auto judge = [make](const Answer& answer) {
    const auto solve = expect<std::function<Schedule()>>(answer, "`Schedule solve()`");
    const Task task = make();
    return judgement(task, complaint_about(task, solve()));
  };
  return {number, title, judge};
}

Exercise kernel_exercise(const char* number, const char* title, std::function<Task()> make) {
  const auto judge = [make](const Answer& answer) {
    const KernelText& text = expect<KernelText>(answer, "a kernel: a file that ends in .kernel");
    const Task task = make();
    Module module = lower(Schedule(task.program));
    module.kernels = {parsed(text, module)};
    const Complaint complaint = complaint_about_all(
        task, nullptr, [&](const Sizes& sizes) { return measure(task.program, module, sizes); });
    return judgement(task, complaint ? complaint : complaint_about_barriers(task, module));
  };
  return {number, title, judge};
}

}  // namespace hone
