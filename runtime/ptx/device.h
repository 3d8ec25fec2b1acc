// The simulated device for CUDA text of anybody: kernels as PTX, memory with bounds, launches.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/images/image_objects.h"
#include "runtime/ptx/text/parser.h"
#include "runtime/sim/count/count.h"
#include "runtime/sim/finding_kind.h"

namespace hone::ptx {

struct CompiledProgram;
struct Program;
class Stepper;

/// A piece of device memory. Its addresses are those of the host.
struct Allocation {
  std::string name;  ///< for findings: "A", "cudaMalloc of line 12"
  uint64_t address = 0;
  int64_t bytes = 0;
  bool is_read_only = false;  ///< __constant__ variables
  bool is_written = false;    ///< a kernel has written to it
  /// By byte: 1 where it holds no value yet; empty where all do.
  std::vector<uint8_t> unset{};
  int64_t row_bytes = 0;  ///< of an array with rows; 0 of others
};

/// The memory of a device: allocations with guards between them. Safe to use from several threads.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// New memory, at a multiple of 512 bytes, far from any other. `is_unset`: no byte of it holds a
  /// value yet. Throws RuntimeError where there is none.
  uint64_t allocate(int64_t bytes, std::string name, bool is_unset = true);
  /// The same, which begins with these bytes of the host's.
  uint64_t allocate_copy(const void* data, int64_t bytes, std::string name, bool is_unset = false);
  /// Memory of the host's that kernels may use, until it is freed.
  void adopt(void* data, int64_t bytes, std::string name);
  /// Returns false where no allocation begins there. Freed memory is remembered, for findings.
  bool free(uint64_t address);
  /// The allocation that has the byte; null where none has.
  Allocation* find(uint64_t address);
  const Allocation* find(uint64_t address) const;
  /// The bytes are not all in an allocation, but at most `near_bytes` from one that lives: a GPU
  /// has pages there, so they can be read and written.
  bool is_near(uint64_t address, int64_t bytes) const;
  static constexpr int64_t near_bytes = int64_t{2} << 20;
  /// Of the allocation of that name; 0 where there is none, and where there are several.
  int64_t bytes_of(llvm::StringRef name) const;
  /// For a message: "4 bytes behind the end of A (2400 bytes)", "memory that was freed: A".
  std::string describe(uint64_t address) const;
  /// The host wrote, or read values from, these bytes: they hold values from now on.
  void mark_set(uint64_t address, int64_t bytes);
  /// Nobody has followed what kernels wrote: all of an allocation that one wrote to counts as set.
  void trust_writes();
  /// The texture and surface objects of the device.
  ImageObjects& images() { return images_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  ImageObjects images_;
};

struct KernelParam {
  int64_t offset = 0, bytes = 0, alignment = 1;
};

struct KernelInfo {
  std::string name;  ///< as PTX has it, mangled
  std::vector<KernelParam> params;
  int64_t param_bytes = 0;
  int64_t static_shared = 0, local = 0;          ///< bytes of a block, and of a thread
  int64_t shared_alignment = 16;                 ///< of dynamic shared memory
  std::array<int, 3> most_threads{}, cluster{};  ///< 0 where the kernel says nothing
  std::string unsupported;  ///< forms that it uses and that are not known, one a line; empty: none
  bool has_grid_barrier = false;  ///< its blocks wait for all others of the grid
};

/// PTX that is loaded. Its variables (__device__, __constant__) are allocations of `memory`.
class LoadedModule {
 public:
  /// Throws PtxError where the text is not understood. A kernel with forms that are not known is
  /// loaded, and refuses to run.
  /// `cubin`: the machine code that ptxas has made of it with -lineinfo, whose accesses count mode
  /// counts.
  LoadedModule(std::string_view ptx, Memory& memory, llvm::ArrayRef<char> cubin = {});
  ~LoadedModule();

  const std::vector<KernelInfo>& kernels() const { return kernels_; }
  /// Null where there is none of that name, as PTX has it.
  const KernelInfo* find(llvm::StringRef name) const;
  /// The address and the bytes of a variable; 0 where there is none.
  std::pair<uint64_t, int64_t> variable(llvm::StringRef name) const;
  const Program& program() const { return *program_; }
  Memory& memory() const { return memory_; }
  const CompiledProgram& as_compiled() const { return *compiled_; }

 private:
  Memory& memory_;
  std::vector<KernelInfo> kernels_;
  std::shared_ptr<const Program> program_;
  std::map<std::string, std::pair<uint64_t, int64_t>> variables_;
  std::unique_ptr<const CompiledProgram> compiled_;
};

struct LaunchShape {
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  int64_t dynamic_shared = 0;
};

/// One of the (up to two) places of a finding.
struct Site {
  std::string file;  ///< of the CUDA text
  int line = 0;      ///< 0 where none is known
  int ptx_line = 0;
  std::string access;  ///< "writes 4 bytes of shared memory at 128", "waits at __syncthreads()"
  std::array<int64_t, 3> block{}, thread{};
};

/// Loads of global memory that an L1 cache answers, or not: each block's has nothing to begin with.
struct CacheCounts {
  int64_t missing_requests = 0;  ///< that lack a sector
  int64_t missed_sectors = 0;    ///< that come from L2
  int64_t first_sectors = 0;  ///< of these, the ones that no load of the block has brought before
  int64_t stretches = 0;      ///< of lines without a gap, of a whole block

  CacheCounts& operator+=(const CacheCounts& other);
};

/// Of one instruction that accesses memory.
struct AccessCounts {
  Site site;
  int line_of_kernel = 0;  ///< where it stands in a function that was inlined: the line of the call
  AccessClass access_class = AccessClass::global_load;
  int bytes = 4;      ///< of a lane, in PTX
  std::string array;  ///< the first one that it came to: "A", "tile", "dynamic shared memory"
  /// As ptxas leaves it, where that is known: an access that merges with others counts with the
  /// first of them, one that is dropped is nothing.
  MemoryCounts counts;
  MemoryCounts in_ptx;  ///< requests and bytes alone
  bool is_dropped = false;
  CacheCounts cache;
};

/// Of a launch in count mode. Branches are conditional ones that a warp came to; barriers those
/// that a block passed.
struct LaunchCounts {
  bool is_compiled = false;            ///< accesses are those of machine code
  std::vector<AccessCounts> accesses;  ///< in the order of PTX
  std::array<MemoryCounts, access_classes> totals{};
  CacheCounts cache;
  int64_t warp_instructions = 0, barriers = 0, branches = 0, divergent_branches = 0;
  int64_t lanes = 0;  ///< active ones, of warp_instructions
  WarpCounts shuffles;
  int64_t local_requests = 0;  ///< to arrays and spilled registers of threads, as PTX has them
  /// A block with most instructions of warps, but for a tenth: of several the one in the middle.
  int64_t full_block = 0;
  int64_t busy_blocks = 0;      ///< with half as many at least
  bool skips_products = false;  ///< as LaunchOptions has it
  int64_t updates_of_word = 0;  ///< atomic ones, of the word of global memory that has most
};

struct Report {
  struct Finding {
    FindingKind kind = FindingKind::race;
    std::string what;   ///< one line
    std::string cause;  ///< a guess, a sentence; may be empty
    std::vector<Site> sites;
    int64_t count = 1;
  };
  std::vector<Finding> findings;
  bool has_failed = false;  ///< the last finding ended the launch
  std::string output;       ///< of printf
  int64_t blocks = 0, run_blocks = 0;
  /// The options ask for some of the blocks, and all of them run: they wait for each other.
  bool overrules_sample = false;
  int64_t instructions = 0;  ///< of threads
  LaunchCounts counts;       ///< in count mode
};

struct LaunchOptions {
  bool check = false;  ///< looks for mistakes
  bool count = false;  ///< or counts
  int threads = 0;     ///< of the host; 0: one per core
  /// In whole clusters, spread evenly over the grid; 0: all. Kernels with a barrier of the grid run
  /// all blocks.
  int64_t most_blocks = 0;
  /// Tensor cores leave their results as they are: of counts that depend on no result.
  bool skips_products = false;
  int64_t only_block = -1;       ///< runs with its cluster alone, as far as it can; -1: others, too
  int64_t l1_bytes = 128 << 10;  ///< in count mode: of the cache that a block has
  int64_t step_budget = int64_t{1} << 32;  ///< instructions of warps in a block
  Stepper* stepper = nullptr;              ///< is told of ops, one by one; null: nobody is
};

/// Runs a kernel. `params` are its arguments as they lie in memory, by KernelInfo::params. A
/// finding that ends the launch (a wild pointer, a deadlock, a trap) is the last of the report;
/// without `check` there are no others but accesses close to memory, by which it goes on. Throws
/// PtxError where the kernel has forms that are not known, and RuntimeError where the shape is not
/// what a GPU takes.
Report launch(const LoadedModule& module, const KernelInfo& kernel, const LaunchShape& shape,
              llvm::ArrayRef<std::byte> params, const LaunchOptions& options = {});

/// Several lines, without a newline at the end.
std::string to_string(const Report::Finding& finding);

}  // namespace hone::ptx
