// Statements and functions: immutable, reference-counted values.
//
// Semantics of loop IR
// - A loop runs its axis through 0..extent, half-open, in order. Bindings (@block.x, @thread.y,
//   @unroll...) change nothing about the meaning: they say where iterations run. Extents are index
//   expressions over params and constants; an extent of 0 runs nothing.
// - An axis has one loop in a function; names of axes and of tensors are unique.
// - `alloc` makes an uninitialised tensor that lives until the end of the enclosing block of text.
//   A @registers tensor is private to a thread, a @shared one to a block of threads. An element
//   that nothing has written may move from one allocated tensor to another, by `copy` and by `T[e]
//   = U[f]`; it is an error to compute with it, and to move it to an argument.
// - `copy` moves a rectangle. Elements that lie outside the source read as the copy's fill, which
//   is 0 where none stands; elements that lie outside the destination are not written.
// - `T[e] op= v` reads, combines and writes one element. The order of equal `op=` updates may be
//   changed by a schedule, and their values combined in groups; for floats that is a change of
//   rounding which the schedule asks for. An operator is one of the built-in ones, or declared.
#pragma once

#include "ir/core/attribute.h"
#include "ir/core/combine.h"
#include "ir/core/size_check.h"
#include "ir/core/timeline.h"
#include "ir/core/update.h"

namespace hone {

enum class StmtKind : uint8_t {
#define HONE_EXPR(Name)
#define HONE_STMT(Name) Name,
#include "ir/core/nodes.def"
};

struct StmtNode : RefCounted<StmtNode> {
  const StmtKind kind;
  virtual ~StmtNode() = default;

 protected:
  explicit StmtNode(StmtKind kind) : kind(kind) {}
};

/// A handle to a statement; null when default-constructed.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(const StmtNode* node) : node_(node) {}

  bool defined() const { return node_.get() != nullptr; }
  const StmtNode* get() const { return node_.get(); }
  StmtKind kind() const { return node_->kind; }
  bool same_as(const Stmt& other) const { return node_ == other.node_; }

 private:
  llvm::IntrusiveRefCntPtr<const StmtNode> node_;
};

template <class Node, StmtKind node_kind, class Base = StmtNode>
struct StmtBase : Base {
  static bool classof(const StmtNode* node) { return node->kind == node_kind; }

 protected:
  template <class... Args>
  explicit StmtBase(Args&&... args) : Base(node_kind, std::forward<Args>(args)...) {}
};

/// The groups that the threads of a block come in, by their number in it.
enum class ThreadUnit : uint8_t { thread, lane, warp, warpgroup };

/// A digit of a thread's number along one dimension of its block: number / stride % count.
struct ThreadDigit {
  ThreadUnit unit = ThreadUnit::thread;  ///< what its values number
  int64_t stride = 1;                    ///< threads
  int64_t count = 0;                     ///< 0: the whole number, not a digit of it

  bool is_whole() const { return count == 0; }
  /// The stride of the next digit.
  int64_t end() const { return stride * count; }
  bool operator==(const ThreadDigit&) const = default;
};

/// The number of threads from one of the unit to the next; 1 for lanes.
int64_t stride_of(ThreadUnit unit);

/// The warps of a block that make a loop's copies, beside those that do the rest, and the registers
/// that a thread of either has.
struct WarpRoles {
  int64_t producer_warps = 0;
  int64_t producer_registers = 0, consumer_registers = 0;  ///< 0: as many as the kernel starts with
  /// Iterations whose products, of tiles in the rings, may go on while consumers start the next.
  int64_t in_flight = 0;

  bool has_registers() const { return producer_registers > 0; }
  bool operator==(const WarpRoles&) const = default;
};

/// The dimension of the threads of a cluster that numbers its blocks: @cluster.x.
inline constexpr uint8_t cluster_dim = 3;

struct Opcode;

/// The place where the iterations of a loop run.
struct Binding {
  enum class Kind : uint8_t { serial, parallel, block, thread, unroll, vectorize, roles, instr };

  Kind kind = Kind::serial;
  uint8_t dim = 0;             ///< block and thread: 0, 1, 2 for x, y, z; thread: cluster_dim, too
  int64_t count = 0;           ///< unroll: copies of the body per trip; 0 unrolls in full
  CombineLevels combine = {};  ///< block and thread: of a reduction loop, its levels
  ThreadDigit digit = {};      ///< thread
  WarpRoles roles = {};        ///< roles: one iteration after the other, in each of them
  const Opcode* opcode = nullptr;  ///< instr: what computes the loop and those in it
  LoopAttributes attributes = {};

  bool is_serial() const { return kind == Kind::serial; }
  bool is_unrolled_in_full() const { return kind == Kind::unroll && count == 0; }
  /// Iterations run on different threads: parallel, block or thread.
  bool is_parallel() const {
    return kind == Kind::parallel || kind == Kind::block || kind == Kind::thread;
  }
  bool has(const LoopAttribute& attribute) const { return attributes.has(attribute); }
  Binding with(const LoopAttribute& attribute, int64_t number = 0) const {
    Binding binding = *this;
    binding.attributes.set(attribute, number);
    return binding;
  }
  bool is_cluster() const { return kind == Kind::thread && dim == cluster_dim; }
  /// The same place, for loops that combine nothing.
  Binding without_combine() const {
    Binding binding = *this;
    binding.combine = {};
    return binding;
  }
  bool operator==(const Binding&) const = default;
};

/// As in the text without the '@': "serial", "parallel", "block.x", "unroll(4)", "lane(8)". The
/// attributes are no part of it.
std::string to_string(const Binding& binding);

/// The same, with the count of a digit: "lane(8, 4)".
std::string to_string_with_count(const Binding& binding);

struct For : StmtBase<For, StmtKind::For> {
  const AxisPtr axis;
  const Expr extent;
  const Binding binding;
  const Stmt body;
  static Stmt make(AxisPtr axis, Expr extent, Binding binding, Stmt body);
  Stmt with_body(Stmt new_body) const;
  bool is_reduction() const { return axis->kind == AxisKind::reduction; }

 private:
  For(AxisPtr axis, Expr extent, Binding binding, Stmt body);
};

struct Seq : StmtBase<Seq, StmtKind::Seq> {
  const llvm::SmallVector<Stmt, 2> stmts;
  /// Nested sequences are flattened; a sequence of one is that statement.
  static Stmt make(llvm::ArrayRef<Stmt> stmts);

 private:
  explicit Seq(llvm::ArrayRef<Stmt> stmts) : stmts(stmts.begin(), stmts.end()) {}
};

struct If : StmtBase<If, StmtKind::If> {
  const Expr condition;
  const Stmt body;
  static Stmt make(Expr condition, Stmt body);

 private:
  If(Expr condition, Stmt body) : condition(std::move(condition)), body(std::move(body)) {}
};

/// Gives `axis` a value over `body`, as a loop of one iteration would.
struct Let : StmtBase<Let, StmtKind::Let> {
  const AxisPtr axis;
  const Expr value;
  const Stmt body;
  static Stmt make(AxisPtr axis, Expr value, Stmt body);

 private:
  Let(AxisPtr axis, Expr value, Stmt body)
      : axis(std::move(axis)), value(std::move(value)), body(std::move(body)) {}
};

/// Throws DefinitionError unless the tensor has as many dimensions.
void check_index_count(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);

struct Store : StmtBase<Store, StmtKind::Store> {
  const TensorPtr tensor;
  const llvm::SmallVector<Expr, 4> indices;
  const Update update;
  const Expr value;
  const OperatorPtr op;  ///< of Update::custom; null for any other
  /// Kernel IR: reads, combines and writes at once, whatever other threads do.
  const bool is_atomic;
  static Stmt make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Update update, Expr value,
                   OperatorPtr op = nullptr, bool is_atomic = false);
  /// The same update of another element, with another value.
  Stmt with(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices, Expr new_value) const;
  Stmt as_atomic() const;

 private:
  Store(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Update update, Expr value, OperatorPtr op,
        bool is_atomic)
      : tensor(std::move(tensor)),
        indices(indices.begin(), indices.end()),
        update(update),
        value(std::move(value)),
        op(std::move(op)),
        is_atomic(is_atomic) {}
};

struct Alloc : StmtBase<Alloc, StmtKind::Alloc> {
  const TensorPtr tensor;
  const Stmt body;
  static Stmt make(TensorPtr tensor, Stmt body);

 private:
  Alloc(TensorPtr tensor, Stmt body) : tensor(std::move(tensor)), body(std::move(body)) {}
};

/// One dimension of a region: `offset .. +extent`, or the single index `offset`; every `stride`-th
/// index counts: 3 .. +4 by 2 is 3, 5, 7, 9.
struct Range {
  Expr offset;
  Expr extent = {};  ///< null for a single index, which is not a dimension of the region
  int64_t stride = 1;

  bool is_point() const { return !extent.defined(); }
  /// The index at a position, 0..extent.
  Expr at(const Expr& position) const;
};

struct Region {
  TensorPtr tensor;
  llvm::SmallVector<Range, 4> ranges;  ///< one per dimension of the tensor

  /// The dimensions whose ranges are not points, and the extents of these: one for each dimension
  /// of a copy.
  llvm::SmallVector<int, 4> dims() const;
  llvm::SmallVector<Expr, 4> extents() const;
  /// The indices of the first element.
  llvm::SmallVector<Expr, 4> first() const;
};

/// The means by which elements move.
enum class CopyEngine : uint8_t {
  load_store,  ///< a thread reads an element, and writes it
  async,       ///< cp.async: to shared memory, while the thread goes on
  boxes,       ///< the copy engine: a whole tile, which one thread asks it for
};
/// The word behind "@" in the text of a copy: "async", "bulk"; empty for loads and stores.
std::string_view word_of(CopyEngine engine);

/// The threads that make a copy, which lowering chooses, and their means.
struct CopyExecution {
  enum class Kind : uint8_t {
    thread,     ///< the thread that comes to it makes all of it
    threads,    ///< the threads of a block that differ in `digits` alone make it together
    producers,  ///< the producer warps of the loop around it make it together
  };
  Kind kind = Kind::thread;
  llvm::SmallVector<Binding, 3> digits = {};  ///< of `threads`, the fastest first
  CopyEngine engine = CopyEngine::load_store;
  const Opcode* opcode = nullptr;  ///< moves the tiles of it, one for a warp at a time
  int64_t blocks = 1;              ///< of a cluster, which make it together, for all of them

  bool operator==(const CopyExecution&) const = default;
};

struct CopyOptions {
  Expr fill = {};      ///< a constant; undefined: zero of the type
  int64_t vector = 0;  ///< elements that move in one access, as promised; 0: lowering chooses
  CopyExecution execution = {};
};

/// In kernel IR, one access of `vector` elements: the last ranges are constant, what lies there is
/// aligned and side by side, nothing is clipped, and a side that is not memory is registers.
struct Copy : StmtBase<Copy, StmtKind::Copy> {
  const Region destination, source;  ///< with equal extents
  const Expr fill;                   ///< what lies outside the source reads as
  const int64_t vector;
  const CopyExecution execution;
  static Stmt make(Region destination, Region source, const CopyOptions& options = {});
  /// The same copy between other regions.
  Stmt with_regions(Region new_destination, Region new_source) const;
  Stmt with_execution(const CopyExecution& new_execution) const;
  Stmt with_engine(CopyEngine engine) const;
  bool is_async() const { return execution.engine == CopyEngine::async; }
  bool moves_boxes() const { return execution.engine == CopyEngine::boxes; }
  /// Who moves the elements.
  Timeline timeline() const;
  /// An engine moves the elements.
  bool uses_engine() const { return execution.engine != CopyEngine::load_store; }
  bool is_by_producers() const { return execution.kind == CopyExecution::Kind::producers; }
  bool fills_zero() const;

 private:
  Copy(Region destination, Region source, const CopyOptions& options)
      : destination(std::move(destination)),
        source(std::move(source)),
        fill(options.fill),
        vector(options.vector),
        execution(options.execution) {}
};

/// The demands on the order of sums that a schedule makes of its further steps.
enum class Numbers : uint8_t {
  same_order,       ///< terms are added in the order that they have now
  run_to_run,       ///< no order depends on what comes first: all runs lead to the same bits
  batch_invariant,  ///< no order depends on other sizes than now
};
inline constexpr std::array numbers_words = {"same_order", "run_to_run", "batch_invariant"};
inline llvm::StringRef name(Numbers numbers) { return numbers_words[static_cast<size_t>(numbers)]; }

/// A program under schedule, or the part of it that runs as one kernel.
struct Function {
  std::string name;
  llvm::SmallVector<ParamPtr, 4> params;
  llvm::SmallVector<TensorPtr, 4> arguments;
  /// Arguments may overlap in memory: pointers carry no `__restrict__`.
  bool may_alias = false;
  /// Each kernel but the first may start before the one before it has ended (launch_early).
  bool launches_early = false;
  llvm::SmallVector<Numbers, 1> required = {};  ///< in the order of the enumerators, each once
  /// Promises of callers about the params, which launches check: K % 4 == 0.
  llvm::SmallVector<Expr, 2> assumptions;
  /// The tensors and indices that assumptions are about. Not part of the meaning, nor of the text.
  llvm::SmallVector<SizeCheck, 0> index_checks = {};
  Stmt body;
  /// The head of the generated kernel: the definitions, then the schedule calls. Not part of the
  /// meaning, nor of the text.
  llvm::SmallVector<std::string, 0> history;

  Function with_body(Stmt new_body) const;
};

}  // namespace hone

template <>
struct llvm::simplify_type<hone::Stmt> {
  using SimpleType = const hone::StmtNode*;
  static SimpleType getSimplifiedValue(const hone::Stmt& stmt) { return stmt.get(); }
};
template <>
struct llvm::simplify_type<const hone::Stmt> : llvm::simplify_type<hone::Stmt> {};
