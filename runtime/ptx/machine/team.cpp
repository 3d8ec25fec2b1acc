// The blocks that run together take turns, warp by warp.

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

/// Jumps back in a turn. Where requests are counted, warps go side by side, as a cache wants it.
constexpr int64_t turn = 1 << 16, turn_of_counts = 4;
/// Rounds after which engines go on, whoever is running.
constexpr int64_t patience_of_engines = 16;
/// Rounds in which all have waited for mbarriers, until nobody is believed to go on.
constexpr int64_t most_idle_rounds = 1 << 12;

}  // namespace

bool Block::is_in_cluster_of(const Block& other) const {
  const auto& cluster = run.shape.cluster;
  for (size_t dim = 0; dim < cluster.size(); ++dim)
    if (index[dim] / cluster[dim] != other.index[dim] / cluster[dim]) return false;
  return true;
}

Block* Team::peer(const Block& block, int64_t rank) {
  for (const auto& other : blocks)
    if (other->rank == rank && other->is_in_cluster_of(block)) return other.get();
  return nullptr;
}

void Team::run_turn(Warp& warp, Round& round) {
  if (!warp.is_ready()) return;
  const int64_t most = run.options.count ? turn_of_counts : turn;
  warp.run(most);
  round.has_run = true;
  round.spins &= (warp.steps_left <= 0 || warp.has_yielded()) && warp.is_spinning;
  round.yields &= warp.has_yielded();
  warp.block->steps_left -= most - std::max<int64_t>(warp.steps_left, 0);
  if (warp.block->steps_left < 0) report_out_of_steps(*warp.block);
}

Team::Round Team::run_round() {
  Round round;
  for (size_t n = 0; n < blocks.size(); ++n)
    for (Warp& warp : blocks[n]->warps) run_turn(warp, round);
  return round;
}

/// Those of a cluster end together, as others may use their memory.
bool Team::finish_blocks() {
  const bool is_cluster = run.cluster_blocks() > 1;
  if (is_cluster && !llvm::all_of(blocks, [](const auto& block) { return block->has_ended(); }))
    return false;
  llvm::erase_if(blocks, [&](const auto& block) {
    if (!block->has_ended()) return false;
    end_engines(*block);
    finish(*block);
    return true;
  });
  return blocks.empty();
}

/// Lanes that wait for others of their warp go on without them; that is a finding.
bool Team::release_gathered() {
  bool has_released = false;
  for (const auto& block : blocks)
    for (Warp& warp : block->warps)
      if (warp.is_gathering()) {
        warp.release_gathered();
        has_released = true;
      }
  return has_released;
}

bool Team::advance_engines() {
  bool has_advanced = false;
  for (const auto& block : blocks) has_advanced |= ptx::advance_engines(*block);
  return has_advanced;
}

/// As many as there are: a barrier of the grid waits for all of them.
bool Team::admit_others() {
  const size_t count = std::max<size_t>(blocks.size(), 1);
  size_t admitted = 0;
  while (admit && admitted < count && admit(*this)) ++admitted;
  return admitted > 0;
}

void Team::run_all() {
  int64_t rounds = 0, idle_rounds = 0;
  while (!finish_blocks()) {
    const Round round = run_round();
    const bool needs_others = !round.has_run || round.spins;
    const bool is_their_turn = ++rounds % patience_of_engines == 0 || needs_others;
    if (is_their_turn && advance_engines()) continue;
    if (!needs_others || finish_blocks()) continue;
    if (admit_others()) continue;
    if (!round.has_run && !release_gathered()) report_deadlock(*this);
    idle_rounds = round.yields ? idle_rounds + 1 : 0;
    if (idle_rounds > most_idle_rounds) report_vain_waits(*this);
  }
}

}  // namespace hone::ptx
