#include "runtime/ptx/pace/steps.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/count/as_compiled.h"
#include "runtime/ptx/machine/report.h"
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
    step.products = products_of(instruction) / share_of_rate(instruction, target_);
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

/// An assembler that unrolls a loop once more has several of each instruction: products of floats
/// stay single ones, and accesses at least do not become more.
int copies_of(llvm::ArrayRef<Step> steps, llvm::ArrayRef<MadeCode> made) {
  int products = 0, accesses = 0;
  for (const auto& [step, code] : llvm::zip(steps, made)) {
    const bool is_product = step.is_float_operation();
    int& least = is_product ? products : accesses;
    if (!is_product && step.pipe != Pipe::memory) continue;
    const int count = !is_product && code.accesses > 0 ? code.accesses : code.all;
    if (count > 0) least = least == 0 ? count : std::min(least, count);
  }
  return std::max(products > 0 ? products : accesses, 1);
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
    registers_ += code.function->registers.size();
  }
  if (!compiled_.accesses.empty()) take_machine_code();
}

void ProgramSteps::take_machine_code() {
  std::vector<MadeCode> made(steps_.size());
  for (size_t n = 0; n < compiled_.code.size(); ++n) {
    const CompiledProgram::Made& one = compiled_.code[n];
    if (!one.from) continue;
    const size_t step = number_of(*one.from);
    if (made[step].all++ == 0) steps_[step].place = static_cast<int64_t>(n);
    made[step].jumps += one.is_jump ? 1 : 0;
    made[step].accesses += one.is_access ? 1 : 0;
  }
  for (size_t n = 0; n < steps_.size(); ++n)
    if (steps_[n].kind == Step::Kind::jump && made[n].jumps == 0)
      steps_[n].kind = Step::Kind::plain;
  place_merged();
  for (size_t n = 0; n < program_.codes.size(); ++n)
    count_copies(*program_.codes[n].function, first_[n], made);
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
void ProgramSteps::count_copies(const Function& function, size_t first,
                                llvm::ArrayRef<MadeCode> made) {
  const auto own = made.slice(first, function.instructions.size());
  if (llvm::all_of(own, [](const MadeCode& code) { return code.all == 0; })) return;
  const std::vector<size_t> firsts = stretches_of(function);
  for (size_t n = 0; n + 1 < firsts.size(); ++n) {
    const size_t begin = first + firsts[n], count = firsts[n + 1] - firsts[n];
    const auto stretch = llvm::MutableArrayRef(steps_).slice(begin, count);
    const int copies = copies_of(stretch, made.slice(begin, count));
    for (size_t m = 0; m < count; ++m) {
      stretch[m].copies = copies;
      stretch[m].slots = static_cast<double>(made[begin + m].all) / copies;
    }
  }
}

void ProgramSteps::take_runs(llvm::ArrayRef<int64_t> runs) {
  const auto& code = compiled_.code;
  for (size_t begin = 0; begin < code.size();) {
    size_t end = begin;
    while (end < code.size() && !code[end].is_jump) ++end;
    end = std::min(end + 1, code.size());
    take_runs(runs, begin, end);
    begin = end;
  }
}

void ProgramSteps::take_runs(llvm::ArrayRef<int64_t> runs, size_t begin, size_t end) {
  const size_t count = end - begin;
  std::vector<double> own(count), before(count), behind(count);
  for (size_t n = 0; n < count; ++n)
    if (const auto& from = compiled_.code[begin + n].from) {
      const size_t step = number_of(*from);
      own[n] = static_cast<double>(runs[step]) / steps_[step].copies;
    }
  std::partial_sum(own.begin(), own.end(), before.begin(),
                   [](double lhs, double rhs) { return std::max(lhs, rhs); });
  std::partial_sum(own.rbegin(), own.rend(), behind.rbegin(),
                   [](double lhs, double rhs) { return std::max(lhs, rhs); });
  double in_ptx = 0, all = 0;
  for (size_t n = 0; n < count; ++n) {
    in_ptx += own[n];
    all += std::min(before[n], behind[n]);
  }
  if (in_ptx == 0) return;
  for (size_t n = 0; n < count; ++n)
    if (const auto& from = compiled_.code[begin + n].from) {
      Step& step = steps_[number_of(*from)];
      if (step.place == static_cast<int64_t>(begin + n)) step.slots *= all / in_ptx;
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
