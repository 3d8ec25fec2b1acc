// The compiled form of a kernel for the simulated device: instructions over numbered values, each
// of which is uniform (one value for the block) or has a lane per thread. Control flow is
// structured: a loop or a branch is an instruction that runs another sequence of instructions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "codegen/tensor_maps.h"
#include "ir/scalar/scalar.h"
#include "ir/target/gpu_limits.h"
#include "runtime/sim/meaning_plan.h"

namespace hone {

struct Worker;
struct Finding;
struct Instrumentation;

/// The number of a value.
using Slot = uint32_t;
inline constexpr Slot no_slot = ~Slot{0};

enum class SlotKind : uint8_t {
  uniform,
  lanes_of_1,  ///< lanes of 1, 2... bytes
  lanes_of_2,
  lanes_of_4,
  lanes_of_8,
  lanes_of_16,
  lanes_of_32,
  alias,  ///< the lanes of an element of a register tensor, found at run time
};
inline constexpr int slot_kinds = 8;

struct Instruction {
  using Execute = void (*)(Worker&, const Instruction&);

  Execute execute = nullptr;
  Slot destination = no_slot;
  std::array<Slot, 3> operands = {no_slot, no_slot, no_slot};
  uint32_t detail = 0;  ///< a number, or a place in one of the program's tables
};
using Code = std::vector<Instruction>;

/// An index, or an offset in elements: a uniform part, and lanes to be added to it.
struct LaneIndex {
  static constexpr uint32_t no_base = ~uint32_t{0};

  Slot uniform = no_slot;
  uint32_t base = no_base;  ///< in SimProgram::bases; none where all lanes have one value

  bool is_uniform() const { return base == no_base; }
};

/// One place in the kernel where the lanes read or write elements of a tensor.
struct Access {
  enum class Kind : uint8_t { read, write, update };  ///< an update is an atomic one

  Kind kind = Kind::read;
  uint32_t memory = 0;
  uint32_t statement = 0;
  LaneIndex offset;  ///< in elements; in elements of the register tensor where it is one
  llvm::SmallVector<LaneIndex, 2> indices;  ///< one per dimension; none where `offset` is the index
  Expr place;         ///< the access in the kernel's text, of a vector its first element
  int64_t width = 1;  ///< elements per lane: neighbours, the first at a multiple of their size
  llvm::SmallVector<Slot, 4> values;  ///< of a write to memory: one per element, lanes
  /// The read value goes on to the element that the statement writes, set or not.
  bool moves = false;
  /// The statement moves all that it reads to one element: a combination of values of lanes.
  bool joins = false;
  /// The lanes of a warp that ask for elements of their own, a bit each: others repeat theirs.
  uint32_t own_lanes = ~uint32_t{0};
  /// A write that happens later, when its thread waits for it.
  bool is_async = false;
  /// A register that a product of tensor cores adds to, by the product itself.
  bool is_of_product = false;
  /// Of a box, whose `width` elements follow each other over the ends of rows: bytes, of which its
  /// address is a multiple. 0: it is none.
  int64_t box_alignment = 0;
  /// One of several, in the same place of each block of the cluster.
  bool is_in_all_blocks = false;
};

/// A commit of a group of operations, or a wait for all but the last `pending` ones.
struct GroupDetail {
  Timeline timeline = Timeline::thread;
  int64_t pending = 0;
  bool writes = true;  ///< the wait is for those, and not for reads alone
};

/// A shuffle, whose value depends on the values that these accesses read.
struct ShuffleDetail {
  ShuffleMode mode = ShuffleMode::down;
  uint32_t statement = 0;
  uint32_t first_access = 0, end_access = 0;
};

/// The values of the elements that an access moves, in the order of memory.
struct VectorDetail {
  uint32_t access = 0;
  llvm::SmallVector<Slot, 8> elements;
};

/// A tensor: an argument, or an allocation.
struct Memory {
  TensorPtr tensor;
  int argument = -1;                      ///< number of the argument; -1 for an allocation
  llvm::SmallVector<int64_t, 2> extents;  ///< of an allocation
  int64_t elements = 0;                   ///< of an allocation, to the last one of its last part
  /// Of shared memory: elements in a block, and from a block of the cluster to the next one.
  int64_t own_elements = 0, part_stride = 0;
  /// The number of its element 0 among the block's barriers with phases, where it has these.
  std::optional<uint32_t> first_barrier = {};

  bool is_shared() const { return argument < 0 && tensor->scope == Scope::shared; }
  /// The block of the cluster that has the element.
  int64_t part_of(int64_t element) const { return element / part_stride; }
  /// Lies in the shared memory of the block, where it may meet others.
  bool has_address() const { return argument < 0 && tensor->address >= 0; }
};

/// An operator of indices, or a variable that holds one, and the bits that C has for it.
struct IndexStepDetail {
  Expr expr;
  BinaryOp op = BinaryOp::add;
  int bits = 32;
  uint32_t statement = 0;
};

inline constexpr uint32_t no_statement = ~uint32_t{0};

struct BarrierDetail {
  BarrierScope scope;
  uint32_t statement = 0;
  uint32_t condition = no_statement;  ///< the innermost one around it that lanes may differ in
};

struct LoopDetail {
  uint32_t code = 0;
  uint32_t statement = 0;
};

/// Code under a condition, which is the first operand of the instruction.
struct BranchDetail {
  uint32_t code = 0;
  uint32_t mask = 0;  ///< in the masks of a group: one per depth of nesting, from 1
  bool negated = false;
  bool waits = false;  ///< warps wait for others in there: those that take it part from the rest
};

/// A place in the kernel where lanes initialise barriers with phases, arrive at them, or wait
/// there.
struct PhaseDetail {
  uint32_t access = 0;  ///< of the lanes to their barriers: of an initialisation it is a write
  uint32_t first = 0;   ///< the number of the tensor's element 0 among those barriers of a block
  uint32_t statement = 0;
};

/// A place in the kernel where lanes start an operation of an engine: one that moves elements from
/// global to shared memory, or back; or that reads them alone, for a product of tiles.
struct AsyncDetail {
  Timeline timeline = Timeline::thread;
  DType type = DType::f32;
  bool fills = true;                  ///< writes the elements in shared memory, or else reads them
  uint32_t shared = 0;                ///< the access to these
  int64_t bytes = 0;                  ///< of these, for each lane
  llvm::SmallVector<Slot, 8> values;  ///< what the lanes have read for it, in the order of memory
  std::optional<TensorMap> box;       ///< or what it moves in global memory
  uint32_t memory = 0;                ///< the access to the box, without an offset
  llvm::SmallVector<Slot, 5> coordinates;  ///< of the box: lanes of 8 bytes, the fastest first
  Stmt update = {};               ///< how elements of the box are updated; none: they are written
  std::optional<uint32_t> phase;  ///< in SimProgram::phase_uses: what counts the bytes

  bool reads_alone() const { return !fills && !box; }
};

/// A place in the kernel where an observer sees lanes issue an instruction.
struct IssueDetail {
  uint32_t statement = 0;
  std::optional<uint32_t> access = {};        ///< to its first place, of one in shared memory
  llvm::SmallVector<uint32_t, 2> tiles = {};  ///< accesses to those that it takes whole
};

/// A place in the kernel where warps issue an instruction by its meaning.
struct MeaningDetail {
  const Opcode* opcode = nullptr;
  Function function;                        ///< the meaning
  std::shared_ptr<const MeaningPlan> plan;  ///< and as a list, where it is one
  uint32_t statement = 0;
  /// By operand and value: lanes that are read, and lanes that are written; empty where they are
  /// not.
  std::vector<llvm::SmallVector<Slot, 8>> before, after;
};

/// Immutable; shared by the workers of a launch, and by launches.
struct SimProgram {
  KernelFunction kernel;

  std::vector<SlotKind> slots;
  std::vector<std::pair<Slot, Scalar>> constants;
  std::vector<std::pair<Slot, std::string>> params;
  std::array<Slot, 3> block_index{}, thread_index{};
  Slot block_in_cluster{};  ///< of kernels with clusters, whose first block has `block_index`

  /// Lane values that are the base of an index.
  std::vector<Slot> bases;
  std::vector<Access> accesses;
  std::vector<VectorDetail> vectors;
  std::vector<ShuffleDetail> shuffles;
  std::vector<Memory> memories;
  std::vector<IndexStepDetail> index_steps;
  std::vector<BarrierDetail> barriers;
  std::vector<PhaseDetail> phase_uses;
  std::vector<AsyncDetail> operations;
  std::vector<GroupDetail> groups;
  std::vector<IssueDetail> issues;
  std::vector<MeaningDetail> meanings;
  std::vector<LoopDetail> loops;
  std::vector<BranchDetail> branches;
  std::vector<Stmt> statements;
  uint32_t masks = 0;
  int64_t shared_bytes = 0;     ///< of a block
  bool has_engines = false;     ///< whose operations threads start, commit or wait for
  bool has_fences = false;      ///< or operations that they are for
  uint32_t phase_barriers = 0;  ///< of a block: those with phases

  std::vector<Code> codes;
  /// Run once for a launch, and once for every block.
  uint32_t launch_code = 0, block_code = 0;

  /// Bytes of shared memory from a block of a cluster to the next one: whole patterns of swizzles.
  int64_t block_stride() const { return llvm::alignTo(shared_bytes, 1024); }
};

}  // namespace hone
