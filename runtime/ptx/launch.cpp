// A launch: what it has to be, and its blocks over host threads.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/check/check.h"
#include "runtime/ptx/count/count.h"
#include "runtime/ptx/machine/folded.h"
#include "runtime/ptx/machine/stepper.h"
#include "runtime/sim/finding.h"
#include "runtime/sim/launch_shape.h"

namespace hone::ptx {
namespace {

using Triple = std::array<int64_t, 3>;

// ---- What a launch has to be --------------------------------------------------------------------

void check_shape(const KernelInfo& kernel, const LaunchShape& shape, int64_t shared) {
  if (*std::min_element(shape.grid.begin(), shape.grid.end()) < 1)
    throw RuntimeError("{}: a grid of {} has no blocks", kernel.name, triple(shape.grid));
  check_launch_shape(kernel.name, shape.grid, shape.block);
  const int64_t most_shared = widest_architecture().shared_bytes_per_block;
  if (shared > most_shared)
    throw RuntimeError("{}: {} bytes of shared memory per block; at most {} fit", kernel.name,
                       shared, most_shared);
  for (size_t dim = 0; dim < 3; ++dim)
    if (shape.cluster[dim] < 1 || shape.grid[dim] % shape.cluster[dim] != 0)
      throw RuntimeError("{}: a grid of {} is no whole clusters of {}", kernel.name,
                         triple(shape.grid), triple(shape.cluster));
}

void check_launch_bounds(const KernelInfo& kernel, const LaunchShape& shape) {
  const int64_t most = int64_t{kernel.most_threads[0]} * std::max(kernel.most_threads[1], 1) *
                       std::max(kernel.most_threads[2], 1);
  const int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (most > 0 && threads > most)
    throw RuntimeError("{}: a block of {} threads; its launch bounds allow {}", kernel.name,
                       threads, most);
}

// ---- Blocks over host threads -------------------------------------------------------------------

/// The clusters of the grid that run, by the number of their first block; along the grid, x first.
class Clusters {
 public:
  explicit Clusters(const Run& run) : run_(run) {
    for (size_t dim = 0; dim < 3; ++dim)
      extents_[dim] = run.shape.grid[dim] / run.shape.cluster[dim];
    all_ = extents_[0] * extents_[1] * extents_[2];
    if (run.info.has_grid_barrier) return;
    chosen_ = run.options.only_block >= 0 ? std::vector<int64_t>{cluster_of(run.options.only_block)}
                                          : choose_blocks(all_, most_clusters());
  }

  /// The counts of a single cluster say little of all: it may be one that has nothing to do.
  int64_t most_clusters() const {
    const int64_t most = run_.options.most_blocks, least = run_.options.count ? 4 : 1;
    return std::max<int64_t>(llvm::divideCeil(most, run_.cluster_blocks()), std::min(most, least));
  }
  int64_t count() const { return chosen_.empty() ? all_ : static_cast<int64_t>(chosen_.size()); }
  int64_t number(int64_t n) const { return chosen_.empty() ? n : chosen_[n]; }
  void add_to(Team& team, int64_t n) const {
    const int64_t number = this->number(n);
    const auto& cluster = run_.shape.cluster;
    Triple first = index_in(extents_, number);
    for (size_t dim = 0; dim < 3; ++dim) first[dim] *= cluster[dim];
    for (int64_t z = 0; z < cluster[2]; ++z)
      for (int64_t y = 0; y < cluster[1]; ++y)
        for (int64_t x = 0; x < cluster[0]; ++x)
          team.blocks.push_back(std::make_unique<Block>(
              team, ((first[2] + z) * run_.shape.grid[1] + first[1] + y) * run_.shape.grid[0] +
                        first[0] + x));
  }

 private:
  int64_t cluster_of(int64_t block) const {
    const Triple index = index_in(run_.shape.grid, block);
    const auto& cluster = run_.shape.cluster;
    return (index[2] / cluster[2] * extents_[1] + index[1] / cluster[1]) * extents_[0] +
           index[0] / cluster[0];
  }

  const Run& run_;
  Triple extents_{};
  int64_t all_ = 0;
  std::vector<int64_t> chosen_;  ///< empty: all
};

/// The state of a launch that its host threads share.
class Launcher {
 public:
  Launcher(const Run& run, LaunchObserver* observer)
      : run_(run), observer_(observer), clusters_(run) {
    report_.blocks = run.blocks();
    report_.overrules_sample = run.info.has_grid_barrier && run.asks_for_sample();
  }

  Report run() {
    std::vector<std::thread> helpers;
    for (int64_t n = 1; n < workers(); ++n) helpers.emplace_back([this] { work(); });
    work();
    for (std::thread& helper : helpers) helper.join();
    for (const auto& [number, text] : outputs_) report_.output += text;
    if (observer_) observer_->finish(report_);
    if (run_.findings.move_to(report_.findings)) run_.module.memory().trust_writes();
    report_.has_failed = fault_.has_value();
    if (fault_) report_.findings.push_back(std::move(fault_->finding));
    return std::move(report_);
  }

 private:
  int64_t workers() const {
    const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    const int64_t wanted = run_.options.threads > 0 ? run_.options.threads : cores;
    return run_.program.is_sequential ? 1 : std::min(wanted, clusters_.count());
  }

  bool add_next(Team& team) {
    const int64_t n = next_.fetch_add(1);
    if (n >= clusters_.count()) return false;
    const size_t before = team.blocks.size();
    clusters_.add_to(team, n);
    if (observer_)
      for (size_t b = before; b < team.blocks.size(); ++b) observer_->watch(*team.blocks[b]);
    return true;
  }

  void finish(Block& block) {
    if (block.observer) block.observer->end_block(block);
    const std::lock_guard lock(mutex_);
    ++report_.run_blocks;
    report_.instructions += block.instructions;
    if (!block.output.empty()) outputs_[block.number] = std::move(block.output);
  }

  void work() {
    Team team(run_);
    team.finish = [this](Block& block) { finish(block); };
    if (run_.program.is_sequential) team.admit = [this](Team& t) { return add_next(t); };
    try {
      while (!has_failed_ && add_next(team)) team.run_all();
    } catch (Fault& fault) {
      fail(team, std::move(fault));
    } catch (const std::exception& error) {
      Report::Finding finding;
      finding.kind = FindingKind::error;
      finding.what = error.what();
      fail(team, {std::move(finding)});
    }
  }

  void fail(Team& team, Fault fault) {
    has_failed_ = true;
    for (const auto& block : team.blocks) finish(*block);
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
  }

  const Run& run_;
  LaunchObserver* observer_;
  Clusters clusters_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  Report report_;
  std::map<int64_t, std::string> outputs_;  ///< by block
  std::optional<Fault> fault_;
};

const Code& code_of(const Program& program, const KernelInfo& kernel) {
  for (const Code& code : program.codes)
    if (code.function->name == kernel.name) return code;
  throw RuntimeError("{} is no kernel of the module", kernel.name);
}

/// Without dynamic shared memory, what is behind the last variable is outside.
int64_t shared_bytes(const KernelInfo& kernel, const LaunchShape& shape) {
  if (shape.dynamic_shared == 0) return kernel.static_shared;
  return static_cast<int64_t>(llvm::alignTo(kernel.static_shared, kernel.shared_alignment)) +
         shape.dynamic_shared;
}

/// Barriers of the whole grid count in a word of device memory.
class GridWorkspace {
 public:
  explicit GridWorkspace(Memory& memory) : memory_(memory) {
    address_ = memory.allocate(bytes, "the barrier of the grid", false);
    const uint32_t size = bytes;
    void* const word = reinterpret_cast<void*>(address_);  // NOLINT(performance-no-int-to-ptr)
    std::memcpy(word, &size, sizeof size);
  }
  ~GridWorkspace() { memory_.free(address_); }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  uint64_t address() const { return address_; }

 private:
  static constexpr uint32_t bytes = 64;
  Memory& memory_;
  uint64_t address_ = 0;
};

}  // namespace

Report launch(const LoadedModule& module, const KernelInfo& kernel, const LaunchShape& shape,
              llvm::ArrayRef<std::byte> params, const LaunchOptions& options) {
  if (!kernel.unsupported.empty())
    throw PtxError("{} has forms that the simulated device does not know:\n{}", kernel.name,
                   kernel.unsupported);
  if (static_cast<int64_t>(params.size()) < kernel.param_bytes)
    throw RuntimeError("{} takes {} bytes of parameters, not {}", kernel.name, kernel.param_bytes,
                       params.size());
  const int64_t shared = shared_bytes(kernel, shape);
  check_shape(kernel, shape, shared);
  check_launch_bounds(kernel, shape);
  const GridWorkspace workspace(module.memory());
  FoldedFindings findings(*module.program().module);
  const Run run = {module,
                   module.program(),
                   code_of(module.program(), kernel),
                   kernel,
                   shape,
                   params,
                   options,
                   findings,
                   shared,
                   workspace.address()};
  if (options.stepper) options.stepper->begin(run);
  const std::unique_ptr<LaunchObserver> observer = options.check   ? make_checker(run)
                                                   : options.count ? make_counter(run)
                                                                   : nullptr;
  Report report = Launcher(run, observer.get()).run();
  if (options.stepper) options.stepper->end();
  if (!options.check) module.memory().trust_writes();
  return report;
}

}  // namespace hone::ptx
