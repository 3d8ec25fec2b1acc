#include "runtime/ptx/machine/report.h"

#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/folded.h"
#include "runtime/sim/finding.h"

namespace hone::ptx {
namespace {

/// The line of the user's own text: of inlined code, that of the call.
const Location& outermost(const Module& module, int location) {
  const Location* at = &module.locations[location];
  while (at->caller >= 0) at = &module.locations[at->caller];
  return *at;
}

/// The innermost place in the file of the outermost one, as far as it is a user's.
const Location* location_of(const Module& module, int location) {
  if (location < 0 || location >= static_cast<int>(module.locations.size())) return nullptr;
  const Location& outer = outermost(module, location);
  const Location* at = &module.locations[location];
  while (at->caller >= 0 && (at->file != outer.file || at->line == 0))
    at = &module.locations[at->caller];
  return at;
}

}  // namespace

namespace {

/// Code that the compiler has merged has no line of its own: it has that of what is before it.
const Location* nearest_location(const Module& module, const Function& function,
                                 size_t instruction) {
  for (size_t n = instruction + 1; n-- > 0;)
    if (const Location* at = location_of(module, function.instructions[n].location);
        at && at->line > 0)
      return at;
  return nullptr;
}

}  // namespace

Site site_of_text(const Program& program, Place place) {
  const Module& module = *program.module;
  const Function& function = module.functions[place.function];
  Site site;
  site.ptx_line = function.instructions[place.instruction].line;
  if (const Location* at = nearest_location(module, function, place.instruction)) {
    site.line = at->line;
    if (at->file >= 0 && at->file < static_cast<int>(module.files.size()))
      site.file = module.files[at->file];
  }
  return site;
}

int line_of_kernel(const Program& program, Place place) {
  const Module& module = *program.module;
  return module.line_of_caller(
      nearest_location(module, module.functions[place.function], place.instruction));
}

Site site_of(const Block& block, Place place, int64_t thread, std::string access) {
  Site site = site_of_text(block.run.program, place);
  site.access = std::move(access);
  site.block = block.index;
  site.thread = block.thread_index(thread);
  return site;
}

Place place_of(const Warp& warp) {
  const Program& program = warp.block->run.program;
  const Code& code = *warp.at_hand.frame->code;
  return {static_cast<uint32_t>(&code - program.codes.data()), code.instruction_of[warp.here()]};
}

Site site_of(const Warp& warp, int lane, std::string access) {
  return site_of(*warp.block, place_of(warp), warp.thread(lane), std::move(access));
}

namespace {

Report::Finding finding_of(const Warp& warp, int lane, const Mistake& mistake) {
  Report::Finding finding;
  finding.kind = mistake.kind;
  finding.what = mistake.what;
  finding.cause = mistake.cause;
  finding.sites.push_back(site_of(warp, lane, mistake.access));
  return finding;
}

}  // namespace

void fail(const Warp& warp, int lane, const Mistake& mistake) {
  throw Fault{finding_of(warp, lane, mistake)};
}

void report(const Warp& warp, int lane, const Mistake& mistake) {
  if (!warp.block->run.options.check) return;
  const Place here = place_of(warp);
  warp.block->run.findings.add(mistake.kind, here, here,
                               [&] { return finding_of(warp, lane, mistake); });
}

void report_stray(const Warp& warp, int lane, llvm::function_ref<Mistake()> describe) {
  const Place here = place_of(warp);
  warp.block->run.findings.add(FindingKind::out_of_bounds, here, here,
                               [&] { return finding_of(warp, lane, describe()); });
}

// ---- Waits --------------------------------------------------------------------------------------

namespace {

Place place_of(const Program& program, const Split& split) {
  const Code& code = *split.frame->code;
  return {static_cast<uint32_t>(&code - program.codes.data()), code.instruction_of[split.next]};
}

std::string name_of_barrier(int id) {
  return id == 0                 ? "__syncthreads()"
         : id == cluster_barrier ? "the barrier of the cluster"
                                 : fmt::format("barrier {}", id);
}

}  // namespace

void report_divergent_barrier(const Warp& warp, int id) {
  if (!warp.block->run.options.check) return;
  Report::Finding finding;
  finding.kind = FindingKind::divergent_barrier;
  finding.what = fmt::format("lanes of a warp come to {} at several places", name_of_barrier(id));
  finding.cause =
      "A barrier in a branch that lanes of a warp take differently is not one barrier: move it out "
      "of the branch.";
  std::optional<Place> first;
  for (const Split& split : warp.others) {
    if (split.state != Split::State::at_barrier || split.barrier != id) continue;
    const Place place = place_of(warp.block->run.program, split);
    if (!first) first = place;
    finding.sites.push_back(
        site_of(*warp.block, place, warp.thread(std::countr_zero(split.lanes)), "waits there"));
  }
  warp.block->run.findings.add(finding.kind, *first, *first, [&] { return finding; });
}

void check_barrier_count(const Warp& warp, int id, const Barrier& barrier, int64_t threads) {
  const bool is_first =
      barrier.threads == 0 && std::all_of(barrier.arrived.begin(), barrier.arrived.end(),
                                          [](LaneMask mask) { return mask == 0; });
  const int lane = std::countr_zero(warp.active);
  if (threads % lanes != 0)
    fail(warp, lane,
         {FindingKind::invalid_operation,
          fmt::format("barrier {} for {} threads, which are no whole warps", id, threads),
          "waits there"});
  if (!is_first && barrier.threads != threads)
    fail(warp, lane,
         {FindingKind::invalid_operation,
          fmt::format("barrier {} for {} threads, where others wait for {}", id, threads,
                      barrier.threads),
          "waits there"});
}

namespace {

void add_waiting(Report::Finding& finding, const Warp& warp) {
  constexpr size_t most_sites = 4;
  for (const Split& split : warp.others) {
    if (finding.sites.size() == most_sites) return;
    if (split.state == Split::State::ready) continue;
    const std::string access = split.state == Split::State::at_barrier
                                   ? "waits at " + name_of_barrier(split.barrier)
                                   : std::string("waits for lanes of its warp");
    finding.sites.push_back(site_of(*warp.block, place_of(warp.block->run.program, split),
                                    warp.thread(std::countr_zero(split.lanes)), access));
  }
}

/// How many threads of a block wait at a barrier, and are still there.
std::string numbers_of(const Block& block) {
  for (size_t id = 0; id < block.barriers.size(); ++id) {
    int64_t waiting = 0, live = 0;
    for (size_t n = 0; n < block.warps.size(); ++n) {
      waiting += std::popcount(block.barriers[id].waiting[n]);
      live += std::popcount(block.warps[n].live);
    }
    if (waiting > 0)
      return fmt::format("{} of {} threads of block {} wait at {}, and the others never come",
                         waiting, live, triple(block.index), name_of_barrier(static_cast<int>(id)));
  }
  return fmt::format("threads of block {} wait for others that never come", triple(block.index));
}

/// True where only a sample of the blocks runs.
bool leaves_blocks_out(const Run& run) {
  return !run.info.has_grid_barrier && run.asks_for_sample();
}

}  // namespace

void report_deadlock(const Team& team) {
  for (const auto& block : team.blocks) {
    if (block->has_ended()) continue;
    Report::Finding finding;
    finding.kind = FindingKind::deadlock;
    finding.what = numbers_of(*block);
    for (const Warp& warp : block->warps) add_waiting(finding, warp);
    throw Fault{std::move(finding)};
  }
  llvm_unreachable("all blocks have ended");
}

void report_vain_waits(const Team& team) {
  constexpr size_t most_sites = 4;
  const auto& block = *llvm::find_if(team.blocks, [](const auto& b) { return !b->has_ended(); });
  Report::Finding finding;
  finding.kind = FindingKind::deadlock;
  finding.what = fmt::format("threads of block {} wait at an mbarrier whose phase never ends",
                             triple(block->index));
  for (const Warp& warp : block->warps)
    for (const Split& split : warp.others)
      if (split.state == Split::State::ready && finding.sites.size() < most_sites)
        finding.sites.push_back(site_of(*block, place_of(block->run.program, split),
                                        warp.thread(std::countr_zero(split.lanes)),
                                        "waits for the phase"));
  throw Fault{std::move(finding)};
}

void report_out_of_steps(const Block& block) {
  Report::Finding finding;
  finding.kind = FindingKind::run_away_loop;
  finding.what =
      fmt::format("block {} has not ended after {} jumps back{}", triple(block.index),
                  block.run.options.step_budget,
                  leaves_blocks_out(block.run) ? "; it may wait for a block that is left out" : "");
  const auto is_running = [](const Split& split) { return split.state == Split::State::ready; };
  for (const Warp& warp : block.warps) {
    const auto running = llvm::find_if(warp.others, is_running);
    if (running == warp.others.end()) continue;
    finding.sites.push_back(site_of(block, place_of(block.run.program, *running),
                                    warp.thread(std::countr_zero(running->lanes)),
                                    "is still here"));
    break;
  }
  for (const Warp& warp : block.warps)
    if (warp.is_waiting() && finding.sites.size() < 2) add_waiting(finding, warp);
  throw Fault{std::move(finding)};
}

}  // namespace hone::ptx
