// Count mode of the simulated device: the requests of a kernel to a GPU's memory and arithmetic,
// with the names that Nsight Compute has for them.
//
// Counted is the kernel as it is written: every access of a statement is an instruction of each
// warp that has an active lane there. The optimizations of a compiler for a GPU are not known here,
// with one exception, which it never leaves out: equal reads of one statement count once.
#pragma once

#include "runtime/sim/device.h"

// LLVM 14 has a JSON.h that clang refuses as C++20, and users include this header.
namespace llvm::json {
class Value;
}

namespace hone {

struct CountOptions {
  int threads = 0;              ///< of the host; 0: one per core
  int64_t most_blocks = 0;      ///< the number to run, spread evenly over the grid; 0: all
  bool skips_products = false;  ///< of tensor cores in PTX: for counts that depend on no result
};

/// As many numbers of blocks, each from the middle of an equal part of the grid; none for all, as 0
/// has it.
std::vector<int64_t> choose_blocks(int64_t blocks, int64_t most);

/// Of one access, or of several.
struct MemoryCounts {
  int64_t requests = 0;          ///< warp instructions that have an active lane
  int64_t bytes = 0;             ///< that the active lanes ask for, or the copy engine moves
  int64_t sectors = 0;           ///< of 32 bytes; of global memory
  int64_t wavefronts = 0;        ///< passes; of shared memory, but for atomic updates
  int64_t ideal_wavefronts = 0;  ///< their number without bank conflicts
  int64_t lines = 0;             ///< of 128 bytes; of global memory
  /// Of the bytes: those of the copy engine, which passes by the units of all other counts.
  int64_t engine_bytes = 0;
  /// Of loads and stores, without copies and matrices: the bytes of a request, where those of lanes
  /// that ask for the same ones count once.
  int64_t data_bytes = 0;

  MemoryCounts& operator+=(const MemoryCounts& other);
  bool operator==(const MemoryCounts&) const = default;

  int64_t bank_conflicts() const { return wavefronts - ideal_wavefronts; }
  int64_t sector_bytes() const { return sectors * 32; }
  int64_t lane_bytes() const { return bytes - engine_bytes; }
  /// Clocks of the unit that loads and stores: wavefronts of shared memory, lines of global memory.
  int64_t passes() const { return wavefronts > 0 ? wavefronts : std::max(requests, lines); }
  /// Between a multiprocessor and L2; of global memory.
  int64_t l2_bytes() const { return sector_bytes() + engine_bytes; }
  double sectors_per_request() const;
};

struct BranchCounts {
  int64_t warps = 0;      ///< the number of times that a warp came to a branch
  int64_t divergent = 0;  ///< the number of times that its lanes differed there

  BranchCounts& operator+=(const BranchCounts& other);
  bool operator==(const BranchCounts&) const = default;
};

/// An atomic update is one access of its own, without a load and a store.
enum class AccessClass : uint8_t {
  global_load,
  global_store,
  shared_load,
  shared_store,
  global_atomic,
  shared_atomic,
};
inline constexpr int access_classes = 6;
/// "global load"
const char* to_string(AccessClass access_class);
/// Of shared memory, or of global memory.
bool is_shared(AccessClass access_class);
bool is_atomic(AccessClass access_class);

/// Counts of warps that did something together, and of their lanes that were there.
struct WarpCounts {
  int64_t warps = 0;
  int64_t lanes = 0;

  WarpCounts& operator+=(const WarpCounts& other);
  bool operator==(const WarpCounts&) const = default;
  /// 0 where there are no warps.
  double lanes_per_warp() const;
};

struct AccessReport {
  Stmt statement;    ///< of the kernel's body
  std::string text;  ///< as it stands there: "A.shared[k, j]", of a vector "A[i .. +4]"
  TensorPtr tensor;
  AccessClass access_class = AccessClass::global_load;
  int64_t width = 1;  ///< elements per lane
  MemoryCounts counts;
  int lanes = 32;  ///< of a warp, that ask for elements of their own

  /// Elements of a lane, on average.
  double elements() const { return static_cast<double>(width * lanes) / 32; }
};

struct BranchReport {
  Stmt statement;
  BranchCounts counts;
};

struct CountReport {
  std::string kernel;
  std::array<int64_t, 3> grid{}, block{};
  /// If not all blocks were counted, all counts are scaled up from these.
  int64_t counted_blocks = 0;

  std::vector<AccessReport> accesses;  ///< in the order of the kernel's text
  std::vector<BranchReport> branches;
  std::array<MemoryCounts, access_classes> totals;  ///< by class
  BranchCounts branch_total;
  int64_t flops = 0;
  int64_t double_flops = 0;  ///< of these in double precision
  int64_t tensor_flops = 0;  ///< of these by tensor cores
  /// Those of floats of 16 bits that take tensor cores as long: elements of half as many bytes take
  /// half of the time.
  int64_t tensor_half_flops = 0;
  /// By tensor cores, of floats and of integers: the product and the sum are two.
  int64_t tensor_operations = 0;
  int64_t tensor_instructions = 0;  ///< of warps
  int64_t barriers = 0;             ///< of a block that arrives at one, however many warps it has
  WarpCounts shuffles;
  /// Stores, copies and instructions that access elements. Lanes that wait for others of their warp
  /// are not among those that are there: in a tree of threads that diverge, few are.
  WarpCounts statements;
  std::vector<Stmt> run_statements;  ///< that these are, in the order of the kernel's text

  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  int64_t threads() const { return blocks() * threads_per_block(); }
  bool is_sampled() const { return counted_blocks < blocks(); }
  /// "scaled up from 10 of 100 blocks", or "" where all were counted.
  std::string sample_text() const;
  double barriers_per_block() const;
  /// "matmul: grid (8, 8, 1), block (32, 32, 1)"
  std::string heading() const;

  const MemoryCounts& total(AccessClass access_class) const {
    return totals[static_cast<size_t>(access_class)];
  }
  MemoryCounts global() const;
  MemoryCounts shared() const;
  /// FLOP per byte that passes between L1 and L2 if no read finds its sector in L1. 0 where there
  /// are none.
  double global_intensity() const;
  /// FLOP per byte that is asked of shared memory. 0 where there are none.
  double shared_intensity() const;
};

/// Runs the kernel, as SimKernel::run does, and counts. The report is the same for any number of
/// host threads. With `most_blocks` the arguments hold the results of those blocks alone. Throws
/// SimError and RuntimeError as a plain run does, and RuntimeError where `most_blocks` is negative.
CountReport count(const KernelFunction& kernel, const Sizes& sizes,
                  llvm::ArrayRef<SimArgument> arguments, const CountOptions& options = {});

// ---- As text ------------------------------------------------------------------------------------

/// A number of a report; efficiencies are in percent.
struct Counter {
  const char* name;    ///< "global_load_sectors"
  const char* metric;  ///< Nsight Compute's name, or what it is computed from; "" if it has none
  double (*value)(const CountReport&);
};

/// All numbers of the whole kernel, in the order in which they are shown.
llvm::ArrayRef<Counter> counters();

/// A line of a table of accesses, and the two above it. Per request: sectors, or wavefronts.
std::string access_row(AccessClass access_class, const std::string& access,
                       const MemoryCounts& counts);
std::string access_heading();
/// "1024", "0.125"
std::string counter_digits(double value);

/// Launch, counters, accesses and branches.
llvm::json::Value to_json(const CountReport& report);
/// A table of the statements and one of the counters, of at most 110 columns, without a newline at
/// the end: those of the kernel as it is written.
std::string to_string(const CountReport& report);

}  // namespace hone
