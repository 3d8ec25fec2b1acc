#include "runtime/sim/count/record.h"

#include <algorithm>
#include <bit>
#include <map>

#include "llvm/ADT/DenseMap.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/control.h"
#include "runtime/sim/count/counter.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

constexpr int line_bytes = 128;  ///< neither a sector, nor a line, nor a row of banks is longer
constexpr size_t most_patterns = 1000;

// ---- Patterns -----------------------------------------------------------------------------------

/// Addresses from the start of the 128 bytes of the first one; of inactive lanes 0.
WarpAccess normalised(const WarpAccess& request) {
  WarpAccess result = request;
  const int64_t first = request.addresses[std::countr_zero(request.active)];
  const int64_t start = first - (first % line_bytes + line_bytes) % line_bytes;
  for (int lane = 0; lane < warp_lanes; ++lane)
    result.addresses[lane] =
        (request.active >> lane & 1) != 0 ? request.addresses[lane] - start : 0;
  return result;
}

struct ByShape {
  bool operator()(const WarpAccess& lhs, const WarpAccess& rhs) const {
    return std::tie(lhs.active, lhs.width, lhs.addresses) <
           std::tie(rhs.active, rhs.width, rhs.addresses);
  }
};

/// The patterns of one access.
class Patterns {
 public:
  /// The number of the pattern; that of none where there are too many.
  size_t number_of(const WarpAccess& request, const Worker& worker, int first_lane,
                   AccessClass access_class) {
    const auto [known, is_new] = numbers_.try_emplace(normalised(request), all.size());
    if (!is_new) return known->second;
    RequestPattern& pattern = all.emplace_back();
    pattern.request = request;
    const int thread = worker.thread(first_lane), block_lanes = worker.launch.block_lanes();
    pattern.block = worker.launch.place_of(worker.block_number, thread);
    pattern.warp = thread % block_lanes / warp_lanes;
    pattern.each = counts_of(request, access_class);
    return known->second;
  }

  std::vector<RequestPattern> all;

 private:
  std::map<WarpAccess, size_t, ByShape> numbers_;
};

/// The patterns of all warps when they were looked at last.
struct Seen {
  uint64_t base_version = 0, mask_stamp = 0;  ///< no mask has 0
  std::vector<size_t> patterns;
};

// ---- The observer -------------------------------------------------------------------------------

/// The loops around an instruction that watches, the outermost first.
using Nest = std::vector<uint32_t>;

struct RecordedProgram {
  explicit RecordedProgram(const SimProgram& program);

  CountedProgram counted;
  std::vector<Slot> loop_slots;  ///< of the iteration, by loop
  llvm::DenseMap<const Instruction*, Nest> nests;
  std::vector<Nest> access_nests;

 private:
  void visit(uint32_t code, Nest& nest);
};

class Recorder : public Observer {
 public:
  Recorder(const RecordedProgram& recorded, const RecordOptions& options, RecordReport& report)
      : recorded_(recorded),
        options_(options),
        report_(report),
        patterns_(recorded.counted.accesses.size()),
        seen_(recorded.counted.accesses.size()),
        incomplete_(recorded.counted.accesses.size()),
        rings_(program(), report.rings) {}

  void begin_block(Worker& worker, int64_t number) override {
    keeps_ = llvm::is_contained(options_.kept_blocks, number);
    keeps_reads_ = keeps_ || llvm::is_contained(options_.read_blocks, number);
    kept_elements_.assign(patterns_.size(), 0);
    rings_.begin_block(worker, keeps_ && number == options_.kept_blocks.front());
  }
  void finish() override;

  void record_access(const Worker& worker, const Instruction& instruction);
  void record_shuffle(const Worker& worker, const Instruction& instruction);
  void record_issue(const Worker& worker, const Instruction& instruction) {
    rings_.record_issue(worker, instruction);
  }

 private:
  void record_requests(const Worker& worker, uint32_t number);
  RecordedStep begin_step(const Worker& worker, const Instruction& instruction,
                          uint32_t statement) const;
  const SimProgram& program() const { return recorded_.counted.program; }

  const RecordedProgram& recorded_;
  const RecordOptions& options_;
  RecordReport& report_;
  std::vector<Patterns> patterns_;
  std::vector<std::vector<Seen>> seen_;  ///< by the place of the uniform part in 128 bytes
  bool keeps_ = false, keeps_reads_ = false;
  std::vector<int64_t> kept_elements_;  ///< by access
  std::vector<bool> incomplete_;
  RingFollower rings_;
};

Recorder& recorder_of(const Worker& worker) { return static_cast<Recorder&>(*worker.observer); }

void record_access(Worker& worker, const Instruction& instruction) {
  recorder_of(worker).record_access(worker, instruction);
}
void record_shuffle(Worker& worker, const Instruction& instruction) {
  recorder_of(worker).record_shuffle(worker, instruction);
}
void record_issue(Worker& worker, const Instruction& instruction) {
  recorder_of(worker).record_issue(worker, instruction);
}

Instrumentation recording() {
  Instrumentation recording;
  recording.access = record_access;
  recording.shuffle = record_shuffle;
  recording.issue = record_issue;
  return recording;
}

RecordedProgram::RecordedProgram(const SimProgram& program)
    : counted(program, hone::record_access),
      loop_slots(program.loops.size(), no_slot),
      access_nests(program.accesses.size()) {
  Nest nest;
  visit(program.block_code, nest);
}

void RecordedProgram::visit(uint32_t code, Nest& nest) {
  const SimProgram& program = counted.program;
  for (const Instruction& instruction : program.codes[code]) {
    if (instruction.execute == run_loop) {
      loop_slots[instruction.detail] = instruction.destination;
      nest.push_back(instruction.detail);
      visit(program.loops[instruction.detail].code, nest);
      nest.pop_back();
    } else if (instruction.execute == run_uniform_branch ||
               instruction.execute == run_masked_branch) {
      visit(program.branches[instruction.detail].code, nest);
    } else if (instruction.execute == hone::record_access) {
      access_nests[instruction.detail] = nests[&instruction] = nest;
    } else if (instruction.execute == hone::record_shuffle) {
      nests[&instruction] = nest;
    }
  }
}

/// The cost of a request does not change while its lanes keep their distances.
void Recorder::record_requests(const Worker& worker, uint32_t number) {
  const CountedAccess& access = recorded_.counted.accesses[number];
  const LaneIndex& offset = program().accesses[number].offset;
  const Base* base = offset.is_uniform() ? nullptr : &worker.bases[offset.base];
  const uint64_t version = base ? base->version : 0;
  const int64_t uniform = *worker.at<int64_t>(offset.uniform);
  const int64_t places = std::max(1, line_bytes / access.element_bytes);
  std::vector<Seen>& all_seen = seen_[number];
  all_seen.resize(places);
  Seen& seen = all_seen[uniform & (places - 1)];
  Patterns& patterns = patterns_[number];
  if (seen.mask_stamp != worker.mask->stamp() || seen.base_version != version) {
    seen = {version, worker.mask->stamp(), {}};
    for_each_request(worker, access, base ? base->values : nullptr, uniform,
                     [&](const WarpAccess& request, int first_lane) {
                       seen.patterns.push_back(
                           patterns.number_of(request, worker, first_lane, access.access_class));
                     });
  }
  for (const size_t pattern : seen.patterns) ++patterns.all[pattern].count;
}

RecordedStep Recorder::begin_step(const Worker& worker, const Instruction& instruction,
                                  uint32_t statement) const {
  RecordedStep step;
  step.block = worker.block_number;
  step.statement = program().statements[statement];
  const auto nest = recorded_.nests.find(&instruction);
  for (const uint32_t loop : nest->second)
    step.iteration.push_back(*worker.at<int64_t>(recorded_.loop_slots[loop]));
  return step;
}

void Recorder::record_access(const Worker& worker, const Instruction& instruction) {
  const uint32_t number = instruction.detail;
  if (recorded_.counted.accesses[number].places == 0) return;
  record_requests(worker, number);
  rings_.record_access(worker, program().accesses[number]);
  const bool is_read = recorded_.counted.accesses[number].access_class == AccessClass::global_load;
  if (!(is_read ? keeps_reads_ : keeps_)) return;
  if (kept_elements_[number] >= options_.most_elements) {
    incomplete_[number] = true;
    return;
  }
  kept_elements_[number] += worker.lanes;
  const Access& access = program().accesses[number];
  RecordedStep step = begin_step(worker, instruction, access.statement);
  step.access = number;
  step.threads.assign(worker.launch.lanes(), -1);
  worker.mask->for_each(
      [&](int lane) { step.threads[worker.thread(lane)] = value_of(worker, access.offset, lane); });
  report_.steps.push_back(std::move(step));
}

void Recorder::record_shuffle(const Worker& worker, const Instruction& instruction) {
  if (!keeps_) return;
  const ShuffleDetail& shuffle = program().shuffles[instruction.detail];
  RecordedStep step = begin_step(worker, instruction, shuffle.statement);
  step.kind = RecordedStep::Kind::shuffle;
  step.threads.assign(worker.launch.lanes(), -1);
  const auto* offsets = worker.at<int64_t>(instruction.operands[0]);
  const auto* lanes = worker.at<int64_t>(instruction.operands[1]);
  worker.mask->for_each([&](int lane) {
    const int partner = partner_of(worker, shuffle.mode, lane, offsets[lane], lanes[lane]);
    step.threads[worker.thread(lane)] = partner < 0 ? partner : worker.thread(partner);
  });
  report_.steps.push_back(std::move(step));
}

MemoryCounts times(const MemoryCounts& counts, int64_t factor) {
  return {counts.requests * factor,         counts.bytes * factor,
          counts.sectors * factor,          counts.wavefronts * factor,
          counts.ideal_wavefronts * factor, counts.lines * factor,
          counts.engine_bytes * factor};
}

void keep_most_frequent(RecordedAccess& access) {
  llvm::stable_sort(access.patterns, [](const RequestPattern& lhs, const RequestPattern& rhs) {
    return lhs.count > rhs.count;
  });
  for (size_t number = most_patterns; number < access.patterns.size(); ++number)
    access.other_requests += access.patterns[number].count;
  if (access.patterns.size() > most_patterns) access.patterns.resize(most_patterns);
}

/// Steps have the numbers of the program's accesses; from here on those of the report.
void Recorder::finish() {
  std::vector<uint32_t> numbers(patterns_.size());
  for (size_t number = 0; number < patterns_.size(); ++number) {
    const CountedAccess& counted = recorded_.counted.accesses[number];
    if (counted.places == 0) continue;
    numbers[number] = static_cast<uint32_t>(report_.accesses.size());
    const Access& source = program().accesses[number];
    RecordedAccess& access = report_.accesses.emplace_back();
    access.report = {program().statements[source.statement],
                     text_of(source),
                     program().memories[source.memory].tensor,
                     counted.access_class,
                     source.width,
                     {},
                     std::popcount(counted.own_lanes)};
    access.element_bytes = counted.element_bytes;
    access.has_all_steps = !incomplete_[number];
    access.patterns = std::move(patterns_[number].all);
    for (const RequestPattern& pattern : access.patterns)
      access.report.counts += times(pattern.each, pattern.count);
    for (const uint32_t loop : recorded_.access_nests[number])
      access.loops.push_back(program().statements[program().loops[loop].statement]);
    keep_most_frequent(access);
  }
  for (RecordedStep& step : report_.steps) step.access = numbers[step.access];
}

/// Those that are counted, and those that are kept.
std::vector<int64_t> blocks_to_run(int64_t blocks, const RecordOptions& options) {
  std::vector<int64_t> chosen = choose_blocks(blocks, options.most_blocks);
  if (chosen.empty()) return chosen;
  for (const auto* blocks : {&options.kept_blocks, &options.read_blocks})
    chosen.insert(chosen.end(), blocks->begin(), blocks->end());
  llvm::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

bool has_same_shape(const WarpAccess& lhs, const WarpAccess& rhs) {
  const ByShape less;
  const WarpAccess one = normalised(lhs), other = normalised(rhs);
  return !less(one, other) && !less(other, one);
}

RecordReport record(const KernelFunction& kernel, const Sizes& sizes,
                    llvm::ArrayRef<SimArgument> arguments, const RecordOptions& options) {
  const SimProgram program = compile_for_sim(kernel, recording());
  const RecordedProgram recorded(program);
  RecordReport report;
  SimOptions sim_options;
  sim_options.threads = 1;  // the first of each pattern is then the same every time
  SimLaunch launch(program, sizes, arguments, sim_options);
  launch.chosen_blocks = blocks_to_run(launch.blocks(), options);
  launch.observe = [&](Worker&) { return std::make_unique<Recorder>(recorded, options, report); };
  launch.run();
  report.grid = launch.grid;
  report.block = launch.block;
  report.recorded_blocks = launch.runs() * launch.cluster();
  return report;
}

}  // namespace hone
