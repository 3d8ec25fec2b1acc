// Reports of waits that never end.

#include <bit>

#include "fmt/format.h"
#include "ir/text/printer.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

/// The groups of the block that have not ended, in the order of their lanes.
std::vector<const LaneGroup*> groups_of(const Worker& worker) {
  std::vector<const LaneGroup*> groups;
  if (worker.state != LaneGroup::State::ended) groups.push_back(&worker);
  for (const LaneGroup& other : worker.others) groups.push_back(&other);
  llvm::sort(groups, [](const LaneGroup* lhs, const LaneGroup* rhs) {
    return lhs->first_lane < rhs->first_lane;
  });
  return groups;
}

bool waits_at(const LaneGroup& group, uint32_t barrier) {
  return group.state == LaneGroup::State::waiting && group.barrier == barrier;
}

/// "warp 3", "warps 0, 1".
std::string warps_text(WarpBits warps) {
  std::vector<int> numbers;
  for (WarpBits left = warps; left != 0; left &= left - 1)
    numbers.push_back(std::countr_zero(left));
  return fmt::format("{} {}", numbers.size() == 1 ? "warp" : "warps", fmt::join(numbers, ", "));
}

std::string text_of_barrier(const Worker& worker, uint32_t barrier) {
  return head_of(worker.program.statements[worker.program.barriers[barrier].statement]);
}

[[noreturn]] void report(FindingKind kind, const std::string& what,
                         llvm::ArrayRef<FindingSite> sites) {
  Finding finding;
  finding.kind = kind;
  finding.detail = what;
  finding.sites.assign(sites.begin(), sites.end());
  const std::string statement = head_of(sites.front().statement);
  throw SimFault(fmt::format("{}, in: {}", what, statement), std::move(finding));
}

/// The warps that wait at a barrier of the text, for a phase, or at an instruction for the others
/// of their warpgroup.
struct Wait {
  uint32_t barrier = 0;
  size_t object = 0;  ///< of the worker: each warpgroup has its own
  std::optional<PhaseWait> phase = {};
  std::optional<uint32_t> statement = {};  ///< of the instruction
  WarpBits warps = 0;
};

void add(llvm::SmallVectorImpl<Wait>& waits, const Wait& wait) {
  auto* known = llvm::find_if(waits, [&](const Wait& other) {
    return other.barrier == wait.barrier && other.object == wait.object &&
           other.phase == wait.phase && other.statement == wait.statement;
  });
  if (known == waits.end())
    waits.push_back(wait);
  else
    known->warps |= wait.warps;
}

Wait wait_at(const Worker& worker, uint32_t barrier, int warp) {
  const BarrierScope& scope = worker.program.barriers[barrier].scope;
  return {barrier, worker.barrier_for(scope, warp), {}, {}, WarpBits{1} << warp};
}

Wait wait_of(const Worker& worker, const LaneGroup& group, int warp) {
  using State = LaneGroup::State;
  if (group.state == State::waiting) return wait_at(worker, group.barrier, warp);
  const WarpBits bit = WarpBits{1} << warp;
  if (group.state == State::at_phases) return {0, 0, worker.phases.waits[warp], {}, bit};
  return {0, 0, {}, group.next->detail, bit};
}

llvm::SmallVector<Wait, 4> waits_of(const Worker& worker) {
  llvm::SmallVector<Wait, 4> waits;
  for (const LaneGroup* group : groups_of(worker)) {
    if (group->state == LaneGroup::State::ready) continue;
    for (WarpBits left = group->warps(); left != 0; left &= left - 1)
      add(waits, wait_of(worker, *group, std::countr_zero(left)));
  }
  return waits;
}

std::string arrivals_at_barrier(const Worker& worker, const Wait& wait) {
  const BarrierObject& object = worker.barriers[wait.object];
  return fmt::format(", where {} of {} threads have come",
                     int64_t{warp_lanes} * std::popcount(object.warps), object.threads);
}

/// "k.full[2]".
std::string name_of(const Worker& worker, uint32_t access, int64_t element) {
  const Access& found = worker.program.accesses[access];
  return worker.program.memories[found.memory].tensor->name +
         element_text(worker.launch, found, element);
}

/// ", and 512 bytes are missing"; nothing where all have come.
std::string bytes_text(int64_t missing) {
  if (missing == 0) return "";
  return missing > 0 ? fmt::format(", and {} bytes are missing", missing)
                     : fmt::format(", and {} bytes more have come than it expects", -missing);
}

std::string arrivals_at_phase(const Worker& worker, const PhaseWait& wait) {
  const PhaseBarrier& barrier = worker.phases.barriers[wait.barrier];
  return fmt::format(" for parity {} of {}, where {} of {} arrivals have come to phase {}{}",
                     wait.parity,
                     name_of(worker, worker.program.phase_uses[wait.use].access, wait.element),
                     barrier.count - barrier.pending, barrier.count, barrier.phases,
                     bytes_text(barrier.missing_bytes));
}

uint32_t statement_of(const Worker& worker, const Wait& wait) {
  if (wait.statement) return *wait.statement;
  return wait.phase ? worker.program.phase_uses[wait.phase->use].statement
                    : worker.program.barriers[wait.barrier].statement;
}

/// The reason why the warps wait there.
std::string reason_of(const Worker& worker, const Wait& wait) {
  if (wait.statement) return " for the other warps of the warpgroup";
  return wait.phase ? arrivals_at_phase(worker, *wait.phase) : arrivals_at_barrier(worker, wait);
}

std::string text_of(const Worker& worker, const Wait& wait) {
  return fmt::format(
      "{} {} at `{}`{}", warps_text(wait.warps), std::has_single_bit(wait.warps) ? "waits" : "wait",
      head_of(worker.program.statements[statement_of(worker, wait)]), reason_of(worker, wait));
}

/// A barrier of the block that not all of its threads reach.
[[noreturn]] void report_divergent_barrier(const Worker& worker, uint32_t barrier) {
  std::vector<bool> reaches(worker.launch.lanes());
  const LaneGroup* first = nullptr;
  for (const LaneGroup* group : groups_of(worker)) {
    if (!waits_at(*group, barrier) || (first && !stand_together(*first, *group))) continue;
    if (!first) first = group;
    group->mask->for_each([&](int lane) { reaches[group->thread(lane)] = true; });
  }
  const int missing = static_cast<int>(llvm::find(reaches, false) - reaches.begin());
  report(FindingKind::divergent_barrier,
         fmt::format("barrier in divergent code: {} of {} threads reach it, {} does not",
                     llvm::count(reaches, true), worker.launch.lanes(), in_thread(worker, missing)),
         site_of_thread(worker, worker.program.barriers[barrier].condition, missing));
}

/// The first barrier of the block that is in divergent code, and waited at.
std::optional<uint32_t> divergent_barrier(const Worker& worker, llvm::ArrayRef<Wait> waits) {
  for (uint32_t number = 0; number < worker.program.barriers.size(); ++number) {
    const BarrierDetail& barrier = worker.program.barriers[number];
    if (barrier.scope.kind == BarrierScope::Kind::block && barrier.condition != no_statement &&
        llvm::any_of(waits, [&](const Wait& wait) {
          return !wait.phase && !wait.statement && wait.barrier == number;
        }))
      return number;
  }
  return std::nullopt;
}

}  // namespace

void report_divergent_warp(const Worker& worker, uint32_t barrier, int first) {
  const int end = std::min(first + warp_lanes, worker.lanes);
  int missing = first;
  while (worker.mask->has(missing)) ++missing;
  report(FindingKind::divergent_barrier,
         fmt::format("{} in divergent code: {} of {} lanes of a warp reach it, {} does not",
                     text_of_barrier(worker, barrier), worker.mask->count(first, end), end - first,
                     in_thread(worker, worker.thread(missing))),
         site_of(worker, worker.program.barriers[barrier].condition, missing));
}

void report_barrier_counts(const Worker& worker, uint32_t barrier, int64_t others) {
  const BarrierScope& scope = worker.program.barriers[barrier].scope;
  const WarpBits warps = worker.barriers[scope.id].warps;
  report(FindingKind::invalid_operation,
         fmt::format("barrier {} waits for {} threads, as {} said, and {} of {} says {}", scope.id,
                     others, warps_text(warps),
                     warps_text(WarpBits{1} << worker.first_lane / warp_lanes), in_block(worker),
                     scope.threads),
         site_of(worker, worker.program.barriers[barrier].statement, worker.mask->first()));
}

void report_phase(const Worker& worker, const PhaseUse& use, const std::string& what) {
  report_lane(worker, use.lane(), worker.program.accesses[use.access].statement,
              fmt::format("{} {}", name_of(worker, use.access, use.element), what));
}

/// Threads that have no way to a barrier of the block are told of as such.
void report_stuck(const Worker& worker) {
  const auto waits = waits_of(worker);
  if (const auto barrier = divergent_barrier(worker, waits))
    report_divergent_barrier(worker, *barrier);
  std::vector<std::string> texts;
  llvm::SmallVector<FindingSite, 2> sites;
  WarpBits left = ~WarpBits{0} >> (most_warps_together - worker.all_threads() / warp_lanes);
  for (const Wait& wait : waits) {
    texts.push_back(text_of(worker, wait));
    sites.push_back(site_of_thread(worker, statement_of(worker, wait),
                                   std::countr_zero(wait.warps) * warp_lanes));
    left &= ~wait.warps;
  }
  if (left != 0)
    texts.push_back(
        fmt::format("{} {} ended", warps_text(left), std::has_single_bit(left) ? "has" : "have"));
  report(FindingKind::deadlock,
         fmt::format("nobody in {} can go on: {}", in_block(worker), fmt::join(texts, "; ")),
         sites);
}

}  // namespace hone
