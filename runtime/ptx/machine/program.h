// PTX as the simulated device runs it: operations over the 32 lanes of a warp, one after the other,
// with jumps between them. A register is an array over the lanes; a predicate is a bit for each.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "runtime/ptx/images/image.h"
#include "runtime/ptx/text/module.h"

namespace hone::ptx {

struct Block;
struct Warp;

inline constexpr int lanes = 32;
/// Lanes of a warp, a bit each.
using LaneMask = uint32_t;
inline constexpr LaneMask all_lanes = ~LaneMask{0};

/// The place of a register in the frame of its function, or of a constant in the program's pool: in
/// bytes, and the highest bit for a constant. All places are multiples of 64.
struct Ref {
  static constexpr uint32_t constant_bit = 1u << 31, none_bits = ~uint32_t{0}, unit = 64;

  uint32_t bits = none_bits;

  static Ref reg(uint32_t offset) { return {offset}; }
  static Ref constant(uint32_t offset) { return {offset | constant_bit}; }
  bool exists() const { return bits != none_bits; }
  bool is_constant() const { return (bits & constant_bit) != 0; }
  bool is_register() const { return !is_constant(); }
  uint32_t offset() const { return bits & ~constant_bit; }
  bool operator==(const Ref&) const = default;
};

/// The work of the 32 lanes of a warp at one place of the program.
struct Op {
  using Execute = void (*)(Warp&, const Op&);
  /// Who looks after the values that are not set: the results of plain ones are set where their
  /// operands are.
  enum class Kind : uint8_t { plain, memory, control };
  /// Sources that may not matter: of a selection the first or the second one, by the third; of
  /// predicates that are joined, those beside one that decides.
  enum class Choice : uint8_t { none, selection, conjunction, disjunction };

  Execute execute = nullptr;
  Ref destination{};
  std::array<Ref, 5> sources{};
  /// The predicate of lanes that take part, and whether it must not hold.
  Ref guard{};
  bool is_guard_negated = false;
  Choice choice = Choice::none;
  Kind kind = Kind::plain;
  bool is_counted = true;  ///< as an instruction of the machine
  uint32_t detail = 0;     ///< a number, or a place in one of the program's tables
};

/// A place in the text: a function of the module, and one of its instructions.
struct Place {
  uint32_t function = 0, instruction = 0;
};

/// An access to memory: `values.size()` values of `bytes` each, one behind the other.
struct MemoryDetail {
  enum class Kind : uint8_t { load, store, atomic };

  Kind kind = Kind::load;
  Space space = Space::generic;
  Type type = Type::b32;
  int bytes = 4;
  int64_t offset = 0;                ///< added to the address
  llvm::SmallVector<Ref, 8> values;  ///< registers, or none of `_`
  int register_bytes = 4;            ///< of one of these in a lane
  int address_bytes = 8;             ///< of the register of the address
  /// Of an atomic update: where the old values go; none where nobody wants them.
  llvm::SmallVector<Ref, 4> results{};
  /// Volatile, atomic, relaxed, acquire, release: it races with no other such access.
  bool is_strong = false, is_volatile = false;
  bool acquires = false, releases = false;
  bool is_non_coherent = false;  ///< `ld.global.nc`: nobody writes there while the kernel runs
  bool is_mbarrier = false;      ///< the location is an mbarrier
  bool is_of_image = false;  ///< by way of a texture or a surface, which have units of their own
  bool is_of_rows = false;   ///< lanes name rows of matrices, as ldmatrix and stmatrix have them
  int64_t moved = 0;         ///< bytes that go through no registers, in place of `values`
  const char* by = nullptr;  ///< "cp.async": what accesses memory in place of the thread
  Place place;

  int64_t all_bytes() const {
    return moved > 0 ? moved : bytes * static_cast<int64_t>(values.size());
  }
};

/// A shuffle, a vote, a match: lanes of a warp that exchange values.
struct ExchangeDetail {
  int mode = 0;
  Ref members{};            ///< none of an old form without `.sync`
  Ref second{};             ///< the destination behind `|`
  bool is_negated = false;  ///< of a vote, its operand
  Type type = Type::b32;
};

/// A barrier of the block: `bar` and `barrier`.
struct BarrierDetail {
  enum class Kind : uint8_t { sync, arrive, red_popc, red_and, red_or };

  Kind kind = Kind::sync;
  Ref id{}, threads{};  ///< `threads` is none where all of the block take part
  Ref value{};          ///< of a reduction its predicate
  bool is_negated = false;
};

/// A call. Its parameters and results lie in areas of bytes, those of one lane after the other.
struct CallDetail {
  int64_t function = -1;  ///< in Module::functions; -1: by address
  Ref address{};
  /// The caller's areas; of a result that nobody wants, none.
  llvm::SmallVector<Ref, 8> params{}, returns{};
  std::string prototype{};
};

/// An address that is an operand of its own.
struct AddressOperand {
  Ref base{};          ///< none: the offset is the address
  int64_t offset = 0;  ///< bytes
  int bytes = 8;       ///< of the register in a lane
  Space space = Space::generic;
};

/// A copy, or a reduction, that goes on beside the threads.
struct AsyncDetail {
  /// Combines bytes with those that lie there.
  using Combine = void (*)(std::byte* to, const std::byte* from, int64_t bytes);

  AddressOperand to, from;  ///< of boxes, one is that of the tensor map
  /// Of one that counts the bytes; a group of the thread ends the others.
  std::optional<AddressOperand> mbarrier{};
  llvm::SmallVector<Ref, 5> coordinates{};  ///< of a box in global memory
  Ref bytes{};                              ///< none: `size`
  int64_t size = 0;
  Ref ignored{};  ///< of cp.async: the predicate of lanes that read nothing
  /// Of st.async: registers, in place of `from`, and the bytes of each.
  llvm::SmallVector<Ref, 4> values{};
  int value_bytes = 0;
  Ref blocks{};               ///< of a multicast: those of the cluster, a bit each
  std::string combination{};  ///< "add"; empty of a copy
  Type type = Type::none;     ///< of the elements that are combined
  bool is_bulk = false;
  uint32_t reads = 0, writes = 0;  ///< in Program::memory
};

/// The elements of a matrix in the registers of a warp.
struct Spread {
  Type type = Type::f32;
  int rows = 0, columns = 0;
  int packed = 1;          ///< elements of a register in a lane
  bool is_turned = false;  ///< of wmma with 8 rows: a product of the transposed matrices
  llvm::SmallVector<Ref, 8> registers{};
  /// By register, lane and element: its place, row by row.
  std::vector<uint16_t> places{};

  int elements() const { return rows * columns; }
  int per_register() const { return 32 * packed; }
  /// Registers, behind which they come again.
  int distinct() const { return std::max(elements() / per_register(), 1); }
};

/// D = A B + C, of matrices in the registers of a warp, or in memory.
struct ProductDetail {
  int rows = 0, columns = 0, depth = 0;
  Spread left{}, right{}, sum{}, result{};
  bool saturates = false;  ///< sums of integers end at the largest number
};

/// A product that a warpgroup starts: wgmma.mma_async. Each warp has 16 rows of A and D.
struct WarpgroupDetail {
  ProductDetail product{};  ///< of a warp; A has registers, or a descriptor
  Ref left{}, right{};      ///< descriptors of tiles in shared memory
  bool is_left_turned = false, is_right_turned = false;  ///< the rows do not run along k
  bool is_left_negated = false, is_right_negated = false;
  Ref adds{};           ///< a predicate: C is added
  AsyncDetail async{};  ///< how observers see it
};

/// Accesses of a warp that move a matrix. Lanes have as many neighbours in memory in each of them.
struct MatrixMove {
  struct Piece {
    uint32_t active = 0;  ///< the first lanes
    /// By lane and element, where it is in the registers: a number in Spread::places.
    std::vector<uint16_t> slots{};
  };

  uint32_t access = 0;      ///< in Program::memory
  int elements = 1;         ///< of a lane in a piece
  bool is_of_rows = false;  ///< MemoryDetail::is_of_rows
  std::vector<Piece> pieces{};
};

/// A matrix that a warp moves between its registers and memory: wmma.load, wmma.store.
struct MatrixDetail {
  Spread spread{};
  AddressOperand address{};
  bool is_by_column = false;
  Ref stride{};  ///< elements from a row, or a column, to the next
  MatrixMove in_shared{}, elsewhere{};
};

/// A fetch from a texture, an access to a surface, or a question about either.
struct ImageDetail {
  /// The answer to coordinates outside of a surface.
  enum class Outside : uint8_t { trap, clamp, zero };
  enum class Question : uint8_t { width, height, depth, layers, levels, samples };

  Ref handle{};
  ImageShape shape;
  llvm::SmallVector<Ref, 3> coordinates{};  ///< x first; of surfaces x counts bytes
  Ref layer{};
  bool has_whole_coordinates = false;  ///< s32: they name an element of linear memory
  llvm::SmallVector<Ref, 4> results{};
  int channel = 0;  ///< of a gather
  Outside outside = Outside::trap;
  Question question = Question::width;
  uint32_t access = 0;  ///< in Program::memory
};

/// The area of a parameter in a frame: `bytes` of each lane, one lane after the other.
struct Area {
  Ref place{};
  int64_t bytes = 0;
};

/// A function as it runs.
struct Code {
  const Function* function = nullptr;
  std::vector<Op> ops;
  std::vector<uint32_t> instruction_of;  ///< by op: in Function::instructions
  std::vector<Ref> registers;            ///< by Function::registers
  uint32_t frame_bytes = 0;              ///< of its registers, for 32 lanes
  int64_t local_bytes = 0;               ///< of its own local variables, by thread
  llvm::SmallVector<Area, 8> params{}, returns{};
  std::string unsupported{};      ///< forms that are not known, a line each
  bool has_grid_barrier = false;  ///< blocks wait there for all others of the grid
};

/// Immutable; shared by launches.
struct Program {
  std::shared_ptr<const Module> module;
  std::vector<Code> codes;           ///< by Module::functions
  std::vector<std::byte> constants;  ///< the pool: 32 lanes each
  std::vector<MemoryDetail> memory;
  std::vector<ExchangeDetail> exchanges;
  std::vector<BarrierDetail> barriers;
  std::vector<CallDetail> calls;
  std::vector<AsyncDetail> copies;
  std::vector<ProductDetail> products;
  std::vector<MatrixDetail> matrices;
  std::vector<WarpgroupDetail> warpgroup_products;
  std::vector<ImageDetail> images;
  std::vector<std::vector<uint32_t>> targets;  ///< of jumps by a table: ops
  bool is_sequential = false;  ///< its results depend on the order of blocks: atomics in memory
};

}  // namespace hone::ptx
