// A launch: what it has to be, and its blocks over host threads.

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "codegen/contract/launch_contract.h"
#include "codegen/verify_kernel.h"
#include "ir/core/counted.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/trips.h"
#include "ir/target/gpu_limits.h"
#include "llvm/ADT/DenseMap.h"
#include "runtime/sim/launch_shape.h"
#include "runtime/sim/report.h"
#include "runtime/sim/worker.h"

namespace hone {
namespace {

// ---- What a launch has to be --------------------------------------------------------------------

void check_sizes(const KernelFunction& kernel, const Sizes& sizes) {
  for (const ParamPtr& param : kernel.params) {
    const auto size = sizes.find(param->name);
    if (size == sizes.end())
      throw RuntimeError("{}: the size {} is missing", kernel.name, param->name);
    if (size->second < 0)
      throw RuntimeError("{}: the size {} is {}; sizes are not negative", kernel.name, param->name,
                         size->second);
  }
}

void check_arguments(const KernelFunction& kernel, llvm::ArrayRef<SimArgument> arguments) {
  std::vector<std::string> names;
  for (const TensorPtr& tensor : kernel.arguments) names.push_back(tensor->name);
  if (arguments.size() != names.size())
    throw RuntimeError("{} takes {} ({}), not {}", kernel.name,
                       counted(names.size(), "argument", "arguments"), fmt::join(names, ", "),
                       arguments.size());
  for (size_t number = 0; number < names.size(); ++number) {
    const SimArgument& argument = arguments[number];
    if (argument.name != names[number])
      throw RuntimeError("{}: argument {} is {}, not {}", kernel.name, number + 1, names[number],
                         argument.name);
    if (argument.elements < 0 || (argument.elements > 0 && !argument.data))
      throw RuntimeError("{}: argument {} has {} elements and {} memory", kernel.name,
                         argument.name, argument.elements, argument.data ? "some" : "no");
  }
}

using Triple = std::array<int64_t, 3>;

Triple evaluate_all(const std::array<Expr, 3>& extents, const Sizes& sizes) {
  return {evaluate(extents[0], sizes), evaluate(extents[1], sizes), evaluate(extents[2], sizes)};
}

/// The blocks of a cluster run as one: their warps are its own.
void check_cluster(const SimLaunch& launch) {
  const std::string& kernel = launch.program.kernel.name;
  if (const auto problem = cluster_problem(launch.program.kernel))
    throw RuntimeError("{}: {}", kernel, *problem);
  if (launch.cluster() == 1) return;
  if (launch.grid[0] % launch.cluster() != 0)
    throw RuntimeError("{}: {} blocks in x are no whole clusters of {}", kernel, launch.grid[0],
                       launch.cluster());
  if (launch.block_lanes() % warp_lanes != 0)
    throw RuntimeError(
        "{}: a block of {} threads has a warp that lacks lanes, and the simulated "
        "device runs clusters of whole warps",
        kernel, launch.block_lanes());
  if (launch.lanes() > most_warps_together * warp_lanes)
    throw RuntimeError(
        "{}: a cluster of {} x {} threads; the simulated device runs at most {} "
        "together",
        kernel, launch.cluster(), launch.block_lanes(), most_warps_together * warp_lanes);
}

void check_shared_bytes(const SimProgram& program) {
  const int64_t limit = widest_architecture().shared_bytes_per_block;
  if (program.shared_bytes > limit)
    throw RuntimeError("{}: {} bytes of shared memory per block; at most {} fit",
                       program.kernel.name, program.shared_bytes, limit);
}

void check_tensor_maps(const KernelFunction& kernel, const Sizes& sizes) {
  for (const TensorMap& map : tensor_maps(kernel))
    for (const MapRule& rule : rules_of(map, kernel))
      if (evaluate(rule.holds, sizes) == 0)
        throw RuntimeError("{}", refusal({rule.holds, rule.otherwise, {rule.value}}, sizes));
}

std::vector<int64_t> trips_of_loops(const SimProgram& program, const Sizes& sizes) {
  llvm::DenseMap<const StmtNode*, int64_t> trips;
  count_trips(program.kernel.body, sizes,
              [&](const For& loop, int64_t count) { trips[&loop] = count; });
  std::vector<int64_t> result;
  for (const LoopDetail& loop : program.loops)
    result.push_back(trips.lookup(program.statements[loop.statement].get()));
  return result;
}

// ---- Blocks over host threads -------------------------------------------------------------------

/// Hands out blocks in order. Once one has failed, only the blocks before it still matter, and all
/// of them have been handed out: so the first failure is the same for any number of host threads.
class BlockQueue {
 public:
  explicit BlockQueue(int64_t blocks) : end_(blocks) {}

  std::optional<int64_t> next() {
    const int64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block >= end_.load(std::memory_order_relaxed)) return std::nullopt;
    return block;
  }

  void fail(int64_t block, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (block >= end_.load(std::memory_order_relaxed)) return;
    end_.store(block, std::memory_order_relaxed);
    error_ = std::move(error);
  }

  void rethrow_failure() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> end_;  ///< the first block that is not to be run
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// A failure ends the block; whether it ends the launch is the observer's to say.
void run_block(Worker& worker, int64_t number) {
  if (!worker.observer) return worker.run_block(number);
  worker.observer->begin_block(worker, number);
  try {
    worker.run_block(number);
  } catch (const SimFault& fault) {
    if (!worker.observer->keeps_going(fault.finding)) throw;
  }
  worker.observer->end_block(worker);
}

void run_blocks(const SimLaunch& launch, BlockQueue& queue, std::mutex& finishing) {
  int64_t position = -1;
  try {
    Worker worker(launch);
    while (const std::optional<int64_t> next = queue.next())
      run_block(worker, launch.block_number(position = *next));
    const std::lock_guard lock(finishing);
    if (worker.observer) worker.observer->finish();
  } catch (...) {
    queue.fail(position, std::current_exception());
  }
}

int64_t count_of_workers(const SimLaunch& launch) {
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t wanted = launch.options.threads > 0 ? launch.options.threads : cores;
  return std::min(wanted, launch.runs());
}

}  // namespace

SimLaunch::SimLaunch(const SimProgram& program, const Sizes& sizes,
                     llvm::ArrayRef<SimArgument> arguments, const SimOptions& options)
    : program(program), sizes(sizes), arguments(arguments), options(options) {
  const KernelFunction& kernel = program.kernel;
  check_sizes(kernel, sizes);
  check_arguments(kernel, arguments);
  grid = evaluate_all(kernel.grid, sizes);
  block = evaluate_all(kernel.block, sizes);
  check_launch_shape(kernel.name, grid, block);
  check_cluster(*this);
  check_shared_bytes(program);
  check_tensor_maps(kernel, sizes);
  loop_trips = trips_of_loops(program, sizes);
}

Triple SimLaunch::place_of(int64_t number, int thread) const {
  const int64_t x = grid[0] / cluster();
  const int64_t first = number % x * cluster();
  return {first + thread / block_lanes(), number / x % grid[1], number / (x * grid[1])};
}

Triple SimLaunch::thread_of(int thread) const {
  const int64_t own = thread % block_lanes();
  return {own % block[0], own / block[0] % block[1], own / (block[0] * block[1])};
}

void SimLaunch::run() const {
  if (runs() == 0) return;
  BlockQueue queue(runs());
  std::mutex finishing;
  std::vector<std::thread> helpers;
  for (int64_t worker = 1; worker < count_of_workers(*this); ++worker)
    helpers.emplace_back([&] { run_blocks(*this, queue, finishing); });
  run_blocks(*this, queue, finishing);
  for (std::thread& helper : helpers) helper.join();
  queue.rethrow_failure();
}

}  // namespace hone
