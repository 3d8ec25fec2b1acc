#include "runtime/ptx/machine/block.h"

#include <algorithm>

#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/stepper.h"

namespace hone::ptx {
namespace {

std::shared_ptr<Frame> first_frame(const Code& code) {
  auto frame = std::make_shared<Frame>();
  frame->code = &code;
  frame->registers = std::make_unique<std::byte[]>(code.frame_bytes);
  return frame;
}

LaneMask lanes_of_warp(int64_t threads, int warp) {
  const int64_t count = std::min<int64_t>(threads - int64_t{warp} * lanes, lanes);
  return count == lanes ? all_lanes : (LaneMask{1} << count) - 1;
}

}  // namespace

std::array<int64_t, 3> index_in(const std::array<int64_t, 3>& extents, int64_t number) {
  return {number % extents[0], number / extents[0] % extents[1],
          number / (extents[0] * extents[1])};
}

Block::Block(Team& team, int64_t number) : team(team), run(team.run), number(number) {
  index = index_in(run.shape.grid, number);
  const auto& cluster = run.shape.cluster;
  rank = static_cast<int>(index[0] % cluster[0] + index[1] % cluster[1] * cluster[0] +
                          index[2] % cluster[2] * cluster[0] * cluster[1]);
  shared.resize(llvm::alignTo(run.shared_bytes, widest_architecture().shared_unit));
  steps_left = run.options.step_budget;
  const auto count = static_cast<int>(llvm::divideCeil(run.threads(), lanes));
  warps.resize(count);
  at_cluster_barrier.assign(count, 0);
  for (int n = 0; n < count; ++n) {
    Warp& warp = warps[n];
    warp.block = this;
    warp.number = n;
    warp.live = lanes_of_warp(run.threads(), n);
    warp.bases[1] = const_cast<std::byte*>(run.program.constants.data());
    warp.local_stride = run.info.local;
    warp.local.resize(warp.local_stride * lanes);
    if (Stepper* stepper = run.options.stepper; stepper && stepper->watches(*this, n))
      warp.stepper = stepper;
    warp.others.push_back({.lanes = warp.live, .frame = first_frame(run.kernel)});
  }
  for (Barrier& barrier : barriers) {
    barrier.arrived.assign(count, 0);
    barrier.waiting.assign(count, 0);
  }
}

bool Block::has_ended() const {
  return llvm::all_of(warps, [](const Warp& warp) { return warp.has_ended(); });
}

std::array<int64_t, 3> Block::thread_index(int64_t thread) const {
  return index_in(run.shape.block, thread);
}

// ---- Barriers -----------------------------------------------------------------------------------

/// A warp counts whole as soon as its lanes have come that are still there.
bool Block::is_complete(const Barrier& barrier) const {
  int64_t come = 0, live = 0;
  for (size_t n = 0; n < warps.size(); ++n) {
    const bool is_here = (warps[n].live & ~barrier.arrived[n]) == 0 && barrier.arrived[n] != 0;
    come += is_here ? lanes : 0;
    live += warps[n].has_ended() && barrier.arrived[n] == 0 ? 0 : lanes;
  }
  return come > 0 && come >= (barrier.threads > 0 ? barrier.threads : live);
}

void Block::look_at_barriers() {
  for (int id = 0; id < static_cast<int>(barriers.size()); ++id)
    if (is_complete(barriers[id])) complete(id);
}

namespace {

void write_result(Warp& warp, const Op& op, const BarrierDetail& detail, const Barrier& barrier) {
  using Kind = BarrierDetail::Kind;
  if (!op.destination.exists()) return;
  if (detail.kind == Kind::red_popc)
    return write_lanes<uint32_t>(warp, op.destination,
                                 [&](int) { return static_cast<uint32_t>(barrier.count); });
  const bool holds = detail.kind == Kind::red_or ? barrier.any != 0 : barrier.all != 0;
  write_predicate(warp, op.destination, [&](int) { return holds; });
}

}  // namespace

/// A split that waits stands at its barrier, and goes on behind it.
void Block::release(Warp& warp, Split& split, const Barrier& barrier) {
  const Op& op = split.frame->code->ops[split.next];
  warp.bases[0] = split.frame->registers.get();
  warp.active = split.lanes;
  write_result(warp, op, run.program.barriers[op.detail], barrier);
  split.state = Split::State::ready;
  ++split.next;
}

namespace {

/// Lanes of a warp that have come to a barrier at several places of the program.
bool is_divergent(const Warp& warp, int id) {
  const Split* first = nullptr;
  for (const Split& split : warp.others) {
    if (split.state != Split::State::at_barrier || split.barrier != id) continue;
    if (first && (first->next != split.next || first->frame != split.frame)) return true;
    first = &split;
  }
  return false;
}

}  // namespace

void Block::release(Warp& warp, int id, const Barrier& barrier) {
  if (is_divergent(warp, id)) report_divergent_barrier(warp, id);
  const auto bases = warp.bases;
  const LaneMask active = warp.active;
  for (Split& split : warp.others)
    if (split.state == Split::State::at_barrier && split.barrier == id)
      release(warp, split, barrier);
  warp.bases = bases;
  warp.active = active;
}

void Block::complete(int id) {
  Barrier& barrier = barriers[id];
  ++counts.barriers;
  if (observer) observer->synchronise(*this, barrier.arrived);
  const Barrier done = barrier;
  barrier.threads = 0;
  barrier.any = 0;
  barrier.all = all_lanes;
  barrier.count = 0;
  std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
  std::fill(barrier.waiting.begin(), barrier.waiting.end(), 0);
  for (size_t n = 0; n < warps.size(); ++n)
    if (done.waiting[n] != 0) release(warps[n], id, done);
}

namespace {

uint32_t value_of(const Warp& warp, Ref ref) {
  return warp.at<uint32_t>(ref)[std::countr_zero(warp.active)];
}

void add_predicate(Barrier& barrier, const Warp& warp, const BarrierDetail& detail) {
  if (!detail.value.exists()) return;
  LaneMask holds = warp.predicate(detail.value);
  if (detail.is_negated) holds = ~holds;
  holds &= warp.active;
  barrier.any |= holds;
  if (holds != warp.active) barrier.all = 0;
  barrier.count += std::popcount(holds);
}

}  // namespace

void Block::arrive(Warp& warp, const Op& op) {
  const BarrierDetail& detail = run.program.barriers[op.detail];
  const auto id = value_of(warp, detail.id);
  if (id >= barriers.size())
    fail(warp, std::countr_zero(warp.active),
         {FindingKind::invalid_operation,
          fmt::format("barrier {}: a block has those from 0 to 15", id), "waits there"});
  Barrier& barrier = barriers[id];
  const int64_t threads = detail.threads.exists() ? value_of(warp, detail.threads) : 0;
  check_barrier_count(warp, static_cast<int>(id), barrier, threads);
  warp.part();
  barrier.threads = threads;
  barrier.arrived[warp.number] |= warp.active;
  add_predicate(barrier, warp, detail);
  if (detail.kind != BarrierDetail::Kind::arrive) {
    barrier.waiting[warp.number] |= warp.active;
    warp.wait(Split::State::at_barrier, static_cast<int>(id));
  }
  if (is_complete(barrier)) complete(static_cast<int>(id));
}

}  // namespace hone::ptx
