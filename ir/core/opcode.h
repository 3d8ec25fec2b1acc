// Opcodes: records of all there is to know about instructions of the hardware.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/core/tensor.h"
#include "ir/core/timeline.h"

namespace hone {

struct Instr;

/// The effect of an instruction on elements of a tensor.
enum class Use : uint8_t {
  reads,
  writes,
  updates,  ///< reads, and then writes
  counts,   ///< the same at once, whatever others do: what counts arrivals of blocks
  begins,   ///< makes an mbarrier, whose phases end with `constants[0]` arrivals
  signals,  ///< brings a phase of an mbarrier nearer to its end
  awaits,   ///< asks whether a phase has ended
};

/// The part that an instruction has in groups of work on a timeline, which its thread has started.
struct Groups {
  enum class Part : uint8_t {
    none,
    commits,       ///< what was started since the last group becomes one
    awaits,        ///< waits for all groups but the last `constants[0]`
    awaits_reads,  ///< the same, until they have read what they take
  };
  Part part = Part::none;
  Timeline timeline = Timeline::thread;

  bool commits() const { return part == Part::commits; }
  bool awaits() const { return part == Part::awaits || part == Part::awaits_reads; }
  bool operator==(const Groups&) const = default;
};

/// Elements of a tensor, and what is done to them.
struct Operand {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> indices;  ///< of the first element
  Use use = Use::reads;
  Timeline timeline = Timeline::thread;
  int64_t count = 1;                       ///< elements, one behind the other in memory
  llvm::SmallVector<int64_t, 5> box = {};  ///< of a box: its extents; then `indices` are its
                                           ///< corner; one in global memory may stick out
  Expr condition = {};                     ///< where defined: only if it holds
  bool is_whole = false;                   ///< all elements of the tensor; no indices
  bool is_in_value = false;                ///< the first element is a load in a value

  bool reads() const { return use == Use::reads || use == Use::updates; }
  bool writes() const { return use == Use::writes || use == Use::updates; }
};

/// A part of the text of an instruction.
struct FormatPart {
  enum class Kind : uint8_t {
    literal,  ///< as it stands
    element,  ///< T[i, j], the first of the elements
    corner,   ///< T[i, j], the corner of a box, which may lie outside
    slot,     ///< m[s]; `text` says in errors what m is
    flag,     ///< f[], of rank 0
    tensor,   ///< T
    value,    ///< an expression
    integer,  ///< a constant; `text` says in errors what it is
    box,      ///< 128 x 16 swizzle 64: constants, the swizzle last
    word,     ///< a word that may be missing: a constant, 1 or 0
  };
  Kind kind;
  std::string text;
};

/// A function of CUDA that instructions call, or a type. Those of a family are defined in order.
struct Helper {
  int order = 0;
  std::string text;
};

/// A statement of CUDA; braces stand for its operands alone. "{0}" is the element of the first
/// place, and so on; behind the places come the values. "{from}" is an element that is read, and
/// "{condition}" when; "{map}" and
/// "{coordinates}" are those of a box. A long statement goes on in another line at "|".
struct CudaSpelling {
  std::string call;
  llvm::SmallVector<Helper, 2> helpers = {};
};

/// A digit of the number of a lane in its warp or warpgroup, or of one of its values: number /
/// divisor % count. It moves the element by `factor` along a dimension.
struct SpreadDigit {
  enum class Of : uint8_t { lane, value };
  Of of = Of::lane;
  int divisor = 1, count = 1;
  int dim = 0, factor = 1;
};

/// The element of an operand that each value of each lane of a warp is: a sum of digits.
struct FragmentSpread {
  llvm::SmallVector<SpreadDigit, 6> digits;
  Scope scope = Scope::registers;  ///< where the elements lie
  /// Not empty: the extents of a tile, which the instruction takes whole, by its first element. It
  /// lies in shared memory as the copy engine lays it out with a swizzle of so many bytes; where
  /// that is less than a row, in panels of so many. The digits are of its storage, which has the
  /// panels as its first dimension.
  llvm::SmallVector<int64_t, 2> tile = {};
  int swizzle = 0;

  bool is_tile() const { return !tile.empty(); }
  /// Several, which are the first dimension of the storage.
  bool has_panels() const;
  /// The elements of a row, or of a panel's.
  int64_t columns(DType type) const { return swizzle / size_of(type); }
  /// The layout that a tile of that type has.
  Layout layout(DType type) const;
  /// The layout of a wider tile: panels, of which this one is one or has several.
  Layout layout_of_panels(DType type) const;
  /// Those of the values alone, along each dimension; of a tile all.
  llvm::SmallVector<int64_t, 4> extents() const;

  /// The dimensions of the operand.
  size_t rank() const;

  /// The values that a lane has.
  int values() const;
  /// The lanes that have elements of their own, a bit each: others have those of a lane before.
  uint32_t own_lanes() const;
  llvm::SmallVector<int64_t, 4> element(int lane, int value) const;

  /// The spread over the last dimensions of a tensor of that shape. Several of them are one
  /// dimension of the operand where its elements lie one behind the other: rows that are pixels, y
  /// by x. Nothing where a digit is no digit of theirs.
  std::optional<FragmentSpread> over(llvm::ArrayRef<Expr> shape) const;
  /// The extents of the values alone, along each dimension of such a tensor; of a tile all.
  llvm::SmallVector<int64_t, 5> box(llvm::ArrayRef<Expr> shape) const;
};

/// One instruction. `word` and all below are the same for all that it is issued with.
struct Opcode {
  struct Rules {
    /// A fault that a statement is not made with.
    std::optional<std::string> (*problem)(const Instr& instr) = nullptr;
    /// The rules of the hardware; ends in fail() of ir/core/violation.h where one is broken.
    void (*check)(const Instr& instr) = nullptr;
    /// In the order in which things are done; where that is not one element of each place, by
    /// threads.
    llvm::SmallVector<Operand, 3> (*operands)(const Instr& instr) = nullptr;
    /// The value in the place of one that rewriting has changed.
    Expr (*kept_value)(const Instr& before, const Expr& value) = nullptr;
    /// Of what a warp does together: a function in loop IR, whose arguments are the places. Each
    /// lane has some elements of each, side by side in its registers from the place on, as the
    /// spreads say, one a place.
    const char* meaning = nullptr;
    llvm::SmallVector<FragmentSpread, 3> spreads = {};
    int threads = 32;  ///< that run it together: a warp, or a warpgroup; 1: each by itself
    CudaSpelling (*spelling)(const Instr& instr) = nullptr;  ///< in CUDA
    int least_capability = 0;                                ///< of the GPU: 90 for sm_90; 0: any
    bool is_of_one_architecture = false;                     ///< sm_90a, which no later one is
    int last_capability = 0;                                 ///< 0: all later GPUs have it
    const char* work = "";    ///< "copies by cp.async": for which the GPU is asked
    bool is_for_all = false;  ///< all threads of a block come to it, or none
    Groups groups = {};
  };
  /// The text: "test {flag} <- {slot} parity {value}". "{integer:what}" says in errors what the
  /// number is.
  Opcode(std::string_view format, llvm::ArrayRef<Use> uses, const Rules& rules);
  Opcode(const Opcode&) = delete;

  const llvm::SmallVector<FormatPart, 8> format;
  const llvm::SmallVector<Use, 3> uses;  ///< of the places, in the order of the text
  const Rules rules;

  /// The first word of its text: "barrier".
  std::string word() const;
  /// The kinds of its places.
  llvm::SmallVector<FormatPart::Kind, 3> place_kinds() const;
};

/// All there are, family by family, in the order in which helpers are defined.
struct Family {
  llvm::SmallVector<const Opcode*, 6> opcodes;
  const char* names = "";  ///< that its helpers define, which nothing else in a kernel may have
};
llvm::ArrayRef<Family> opcode_families();
/// True of the names of all families.
bool is_name_of_helper(std::string_view word);

/// The opcode with this word that a warp runs together, with its elements spread over the lanes;
/// null where there is none.
const Opcode* find_opcode_with_lanes(std::string_view word);

/// Makes opcodes of somebody's own known to all that reads text or writes CUDA, behind the others.
/// Not while another thread uses either.
void add_family(Family family);

}  // namespace hone
