#include <cstring>

#include "fmt/ranges.h"
#include "runtime/cudart/copies.h"
#include "runtime/cudart/launches.h"

namespace hone::cudart {
namespace {

/// The error that a GPU has for the finding that ended the kernel, else cudaSuccess.
cudaError_t error_of(const ptx::Report& report) {
  if (!report.has_failed) return cudaSuccess;
  switch (report.findings.back().kind) {
    case FindingKind::out_of_bounds:
      return cudaErrorIllegalAddress;
    case FindingKind::misaligned_access:
      return cudaErrorMisalignedAddress;
    case FindingKind::assertion:
      return cudaErrorAssert;
    case FindingKind::deadlock:
    case FindingKind::run_away_loop:
      return cudaErrorLaunchTimeout;
    default:
      return cudaErrorLaunchFailure;
  }
}

/// The memory of the device as it was, to run a launch a second time.
class Snapshot {
 public:
  explicit Snapshot(State& state) : state_(state) {
    for (const Allocations::Entry& entry : state.allocations.entries()) keep(entry.address);
    for (const auto& [address, bytes] : state.binaries.loaded_variables(state.memory))
      keep(address);
  }
  void restore() const {
    for (const Piece& piece : pieces_) {
      std::memcpy(bytes_at(piece.address), piece.bytes.data(), piece.bytes.size());
      state_.memory.find(piece.address)->unset = piece.unset;
    }
  }

 private:
  struct Piece {
    uint64_t address;
    std::vector<std::byte> bytes;
    std::vector<uint8_t> unset;
  };
  void keep(uint64_t address) {
    const ptx::Allocation* found = state_.memory.find(address);
    if (!found || found->is_read_only) return;
    const auto* const data = bytes_at(found->address);
    pieces_.push_back({found->address, {data, data + found->bytes}, found->unset});
  }

  State& state_;
  std::vector<Piece> pieces_;
};

ptx::Report run_once(State& state, const Launch& launch, const ptx::LaunchOptions& options) {
  const Kernel& kernel = *launch.kernel;
  const ptx::KernelInfo& info = info_of(state, kernel);
  try {
    return ptx::launch(kernel.binary->module(state.memory), info, launch.shape, launch.params,
                       options);
  } catch (const ptx::PtxError& error) {
    ++state.counts.missing_launches;
    throw CallError(cudaErrorNotSupported, "{} does not run on the simulated device: {}",
                    demangled(kernel.name), error.what());
  } catch (const RuntimeError& error) {
    throw CallError(cudaErrorInvalidConfiguration, "launch of {} refused: {}",
                    demangled(kernel.name), error.what());
  }
}

void add_findings(State& state, const Launch& launch, const ptx::Report& report) {
  for (const ptx::Report::Finding& finding : report.findings)
    state.findings.add(launch.kernel->name, finding);
}

/// Takes over what a run of all blocks has done.
void finish(State& state, const Launch& launch, const ptx::Report& report, bool was_checked) {
  std::fwrite(report.output.data(), 1, report.output.size(), stdout);
  add_findings(state, launch, report);
  if (was_checked) state.counts.checked_instructions += report.instructions;
  if (!was_checked) mark_all_set(state);
  state.failure = error_of(report);
}

/// Others may wait for blocks that are not in the sample, so a wait without end is no finding.
void check_sample(State& state, const Launch& launch, int64_t blocks) {
  const Snapshot before(state);
  ptx::LaunchOptions options;
  options.check = true;
  options.most_blocks = blocks;
  ptx::Report report = run_once(state, launch, options);
  if (error_of(report) == cudaErrorLaunchTimeout) report.findings.pop_back();
  add_findings(state, launch, report);
  state.counts.checked_instructions += report.instructions;
  before.restore();
}

/// Counts the launch among those of its kernel and shape; false where enough of them were checked.
bool is_to_check(State& state, const Launch& launch) {
  const ptx::LaunchShape& shape = launch.shape;
  const std::string key = fmt::format("{} {} {} {}", launch.kernel->name, shape.grid, shape.block,
                                      shape.dynamic_shared);
  return state.settings.checks_launch(++state.equal_launches[key],
                                      state.counts.checked_instructions);
}

/// All of them where they wait for each other.
int64_t blocks_to_check(State& state, const Launch& launch) {
  const int64_t blocks = launch.blocks();
  return info_of(state, *launch.kernel).has_grid_barrier
             ? blocks
             : state.settings.checked_blocks(blocks, launch.threads_of_block());
}

}  // namespace

void run(State& state, const Launch& launch) {
  const int64_t blocks = launch.blocks();
  const int64_t checked = is_to_check(state, launch) ? blocks_to_check(state, launch) : 0;
  const bool is_sample = checked > 0 && checked < blocks;
  if (is_sample) check_sample(state, launch, checked);
  ptx::LaunchOptions options;
  options.check = checked == blocks;
  options.count = state.settings.counts;
  const ptx::Report report = run_once(state, launch, options);
  finish(state, launch, report, options.check);
  if (options.count) state.counted.add(launch.kernel->name, launch.shape, report);
  Counts& counts = state.counts;
  ++counts.launches;
  counts.sampled_launches += is_sample ? 1 : 0;
  counts.repeated_launches += checked == 0 ? 1 : 0;
  counts.blocks += blocks;
  counts.checked_blocks += checked;
  counts.kernels.insert(launch.kernel->name);
}

}  // namespace hone::cudart
