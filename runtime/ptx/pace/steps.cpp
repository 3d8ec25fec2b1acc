#include "runtime/ptx/pace/steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/count/as_compiled.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/pace/machine_runs.h"
#include "runtime/ptx/trace/register_use.h"

namespace hone::ptx {
namespace {

/// An access of PTX, on average.
struct AccessCost {
  double requests = 0;  ///< in PTX
  double passes = 0;    ///< of the unit that loads and stores
  double misses = 0;    ///< requests that lack a sector
  bool is_of_global_memory = false;

  double per_request(double amount) const { return requests > 0 ? amount / requests : 0; }
};
using AccessCosts = std::map<int, AccessCost>;  // by line of PTX

AccessCosts costs_of(const LaunchCounts& counts) {
  AccessCosts costs;
  for (const AccessCounts& access : counts.accesses) {
    AccessCost& cost = costs[access.site.ptx_line];
    const MemoryCounts& made = access.counts;
    const int64_t requests = access.in_ptx.requests > 0 ? access.in_ptx.requests : made.requests;
    cost.requests += static_cast<double>(requests);
    cost.passes += static_cast<double>(made.passes());
    cost.misses += static_cast<double>(access.cache.missing_requests);
    cost.is_of_global_memory |= !is_shared(access.access_class);
  }
  return costs;
}

/// If one of the warps that stand side by side misses, all of them wait.
double latency_of(const AccessCost& cost, const PaceOptions& options) {
  const double missing =
      std::min(1.0, cost.per_request(cost.misses) * static_cast<double>(options.warps));
  const double far = l2_latency + options.dram_share * (dram_latency - l2_latency);
  return l1_latency + missing * (far - l1_latency);
}

Step::Kind kind_of(const Instruction& instruction) {
  const bool is_copy = instruction.opcode == "cp" && instruction.has("async");
  if (is_copy && instruction.has("commit_group")) return Step::Kind::commit;
  if (is_copy && instruction.has("wait_group")) return Step::Kind::wait;
  if (is_copy && instruction.has("wait_all")) return Step::Kind::wait_all;
  if (is_copy && !instruction.has("bulk")) return Step::Kind::copy;
  return llvm::StringSwitch<Step::Kind>(instruction.opcode)
      .Cases("bra", "brx", "call", "ret", "exit", Step::Kind::jump)
      .Cases("bar", "barrier", Step::Kind::barrier)
      .Default(Step::Kind::plain);
}

/// Tensor cores of Hopper are at their full rate for warpgroups alone (arXiv 2402.13499).
double share_of_rate(const Instruction& instruction, llvm::StringRef target) {
  return target.take_front(5) == "sm_90" && instruction.opcode != "wgmma" ? 0.65 : 1;
}

/// A sum or product of doubles.
bool is_of_doubles(const Instruction& instruction) {
  constexpr llvm::StringLiteral opcodes[] = {"add", "sub", "mul", "fma"};
  return instruction.has("f64") && llvm::is_contained(opcodes, instruction.opcode);
}

/// One instruction of the machine, other than products of floats: an integer of 32 bits, a
/// comparison or a logical operation, and arithmetic on doubles.
bool is_single(const Instruction& instruction) {
  constexpr llvm::StringLiteral opcodes[] = {"add", "sub",  "and", "or",  "xor", "shl",
                                             "shr", "setp", "min", "max", "mad", "mul"};
  const bool is_wide = instruction.has("s64") || instruction.has("u64") || instruction.has("b64") ||
                       instruction.has("f64") || instruction.has("wide") || instruction.has("hi");
  return is_of_doubles(instruction) ||
         (!is_wide && llvm::is_contained(opcodes, instruction.opcode));
}

class StepMaker {
 public:
  StepMaker(AccessCosts costs, const PaceOptions& options, llvm::StringRef target)
      : costs_(std::move(costs)), options_(options), target_(target) {}

  Step make(const Instruction& instruction, uint32_t first_register) const {
    Step step;
    step.kind = kind_of(instruction);
    const PipeUse use = use_of(instruction);
    step.pipe = use.pipe;
    step.slots = use.slots;
    step.pipe_slots = use.pipe == Pipe::special ? 1 : use.slots;
    step.products = products_of(instruction) / share_of_rate(instruction, target_);
    step.is_single = is_single(instruction);
    step.is_mbarrier = instruction.opcode == "mbarrier";
    step.latency = use.latency;
    if (step.kind == Step::Kind::wait) step.outstanding = instruction.operands.front().integer;
    if (const auto cost = costs_.find(instruction.line); cost != costs_.end()) {
      step.passes = cost->second.per_request(cost->second.passes);
      if (cost->second.is_of_global_memory) step.latency = latency_of(cost->second, options_);
    }
    add_registers(instruction, first_register, step);
    return step;
  }

 private:
  static void add_registers(const Instruction& instruction, uint32_t first, Step& step) {
    if (instruction.guard.exists) step.reads.push_back(first + instruction.guard.reg);
    for (size_t n = 0; n < instruction.operands.size(); ++n) {
      auto& registers = n == 0 && has_result(instruction) ? step.writes : step.reads;
      for_each_register(instruction.operands[n],
                        [&](uint32_t reg) { registers.push_back(first + reg); });
    }
  }

  AccessCosts costs_;
  PaceOptions options_;
  std::string target_;
};

// ---- Machine code -------------------------------------------------------------------------------

/// The first instructions of stretches that run as a whole, and the end.
std::vector<size_t> stretches_of(const Function& function) {
  std::vector<size_t> firsts = {0, function.instructions.size()};
  for (const auto& [label, number] : function.labels) firsts.push_back(number);
  for (size_t n = 0; n < function.instructions.size(); ++n)
    if (kind_of(function.instructions[n]) == Step::Kind::jump) firsts.push_back(n + 1);
  llvm::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  return firsts;
}

/// A later label of the function leads back to it, or over it.
std::vector<bool> loops_of(const Function& function, llvm::ArrayRef<size_t> firsts) {
  std::vector<bool> is_in_loop(firsts.size());
  for (size_t n = 0; n < function.instructions.size(); ++n)
    for (const Operand& operand : function.instructions[n].operands) {
      const auto label = function.labels.find(operand.name);
      if (label == function.labels.end() || label->second > n) continue;
      for (size_t m = 0; m < firsts.size(); ++m)
        if (firsts[m] >= label->second && firsts[m] <= n) is_in_loop[m] = true;
    }
  return is_in_loop;
}

}  // namespace

ProgramSteps::ProgramSteps(const LoadedModule& module, const LaunchCounts& counts,
                           const PaceOptions& options)
    : program_(module.program()), compiled_(module.as_compiled()) {
  const StepMaker maker(costs_of(counts), options, program_.module->target);
  for (const Code& code : program_.codes) {
    first_.push_back(steps_.size());
    for (const Instruction& instruction : code.function->instructions)
      steps_.push_back(maker.make(instruction, static_cast<uint32_t>(registers_)));
    const std::vector<size_t> firsts = stretches_of(*code.function);
    const std::vector<bool> are_in_loops = loops_of(*code.function, firsts);
    for (size_t n = 0; n + 1 < firsts.size(); ++n)
      stretches_.push_back(
          {first_.back() + firsts[n], first_.back() + firsts[n + 1], are_in_loops[n]});
    registers_ += code.function->registers.size();
  }
  if (!compiled_.code.empty()) take_machine_code();
}

void ProgramSteps::take_machine_code() {
  std::vector<int> made(steps_.size()), jumps(steps_.size());
  for (const CompiledProgram::Made& one : compiled_.code) {
    code_.push_back({one.machine, one.from ? static_cast<int64_t>(number_of(*one.from)) : -1});
    if (!one.from) continue;
    const size_t step = number_of(*one.from);
    if (made[step]++ == 0) steps_[step].place = static_cast<int64_t>(code_.size() - 1);
    jumps[step] += one.machine.is_jump ? 1 : 0;
  }
  for (size_t n = 0; n < steps_.size(); ++n)
    if (steps_[n].kind == Step::Kind::jump && jumps[n] == 0) steps_[n].kind = Step::Kind::plain;
  place_merged();
  copies_ = find_copies(steps_, stretches_, code_);
  for (size_t n = 0; n < steps_.size(); ++n) steps_[n].copies = copies_.of_step[n];
  take_slots(made);
}

/// Accesses that are one in machine code stand where that stands.
void ProgramSteps::place_merged() {
  std::map<std::pair<int, int64_t>, int64_t> places;  // by group, and piece of the wide access
  const auto piece_of = [&](size_t access) {
    const CompiledAccess& fate = compiled_.accesses[access];
    return std::pair(fate.group, program_.memory[access].offset / std::max(fate.width, 1));
  };
  const auto for_each_merged = [&](auto use) {
    for (size_t n = 0; n < compiled_.accesses.size(); ++n)
      if (compiled_.accesses[n].group >= 0)
        use(piece_of(n), steps_[number_of(program_.memory[n].place)].place);
  };
  for_each_merged([&](const auto& piece, int64_t place) {
    const auto [known, is_new] = places.try_emplace(piece, place);
    if (!is_new && place >= 0 && (known->second < 0 || place < known->second))
      known->second = place;
  });
  for_each_merged([&](const auto& piece, int64_t& place) {
    if (place < 0) place = places[piece];
  });
}

/// Of a function that the cubin has not, instructions stay those of PTX.
void ProgramSteps::take_slots(llvm::ArrayRef<int> made) {
  for (size_t n = 0; n < program_.codes.size(); ++n) {
    const size_t first = first_[n], count = program_.codes[n].function->instructions.size();
    if (llvm::all_of(made.slice(first, count), [](int one) { return one == 0; })) continue;
    for (size_t step = first; step < first + count; ++step) {
      const double slots = static_cast<double>(made[step]) / steps_[step].copies;
      steps_[step].slots = steps_[step].pipe_slots = slots;
    }
  }
}

void ProgramSteps::take_runs(llvm::ArrayRef<int64_t> runs) {
  if (code_.empty()) return;
  // A jump may run together with what is before it, and does not count by itself then.
  std::vector<double> of_stretch(steps_.size());
  for (const SourceStretch& stretch : stretches_) {
    const auto own = runs.slice(stretch.first, stretch.end - stretch.first);
    std::fill_n(&of_stretch[stretch.first], own.size(), *std::max_element(own.begin(), own.end()));
  }
  std::vector<double> of_source(code_.size());
  for (size_t n = 0; n < code_.size(); ++n)
    if (code_[n].step >= 0) of_source[n] = of_stretch[code_[n].step] * copies_.share[n];
  share_slots(runs, runs_of_machine(code_, of_source, copies_.is_sure));
}

/// Around roots, quotients and doubles stand instructions of other pipes.
bool is_of_pipe(const MachineInstruction& instruction, Pipe pipe) {
  if (pipe == Pipe::special) return instruction.is_special;
  return pipe != Pipe::fp64 || instruction.is_double;
}

/// Instructions that come from no step that has run count for the one before them.
void ProgramSteps::share_slots(llvm::ArrayRef<int64_t> runs, llvm::ArrayRef<double> of_machine) {
  std::vector<double> all(steps_.size()), of_pipe(steps_.size());
  std::vector<bool> is_known(steps_.size());
  double rest = 0;
  int64_t last = -1;
  for (size_t n = 0; n < code_.size(); ++n) {
    if (code_[n].step >= 0 && runs[code_[n].step] > 0) last = code_[n].step;
    rest += of_machine[n];
    if (last < 0) continue;
    if (is_of_pipe(code_[n].machine, steps_[last].pipe)) of_pipe[last] += of_machine[n];
    all[last] += std::exchange(rest, 0);
    is_known[last] = true;
  }
  for (size_t n = 0; n < steps_.size(); ++n) {
    if (!is_known[n]) continue;
    steps_[n].slots = all[n] / static_cast<double>(runs[n]);
    steps_[n].pipe_slots = of_pipe[n] / static_cast<double>(runs[n]);
  }
}

size_t ProgramSteps::number_of(const Code& code, uint32_t op) const {
  return first_[static_cast<size_t>(&code - program_.codes.data())] + code.instruction_of[op];
}

Site ProgramSteps::site_of(size_t number) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), number);
  const auto function = static_cast<uint32_t>(next - first_.begin() - 1);
  return site_of_text(program_, {function, static_cast<uint32_t>(number - first_[function])});
}

}  // namespace hone::ptx
