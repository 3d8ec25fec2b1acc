// The statements of kernel IR alone, which have no others in them.
#pragma once

#include "ir/stmt.h"

namespace hone {

/// A statement of kernel IR alone, which has no others in it. Traversals and comparisons go by its
/// operands; a handler of KernelStmt takes those that have none of their own.
struct KernelStmt : StmtNode {
  struct Operands {
    struct Tensor {
      TensorPtr tensor;
      bool is_written = false;
    };
    llvm::SmallVector<Tensor, 3> tensors = {};
    llvm::SmallVector<Expr, 4> exprs = {};
  };

  static bool classof(const StmtNode* node) { return node->kind >= StmtKind::Barrier; }
  /// In the order of the text.
  virtual Operands operands() const { return {}; }
  /// The same statement with other operands, as many of each kind.
  virtual Stmt with(const Operands& others) const = 0;
  /// True if all but the operands is as in `other`, which is of the same kind.
  virtual bool has_options_of(const KernelStmt& other) const = 0;
  /// The first word of its text: "barrier".
  virtual llvm::StringRef word() const = 0;

 protected:
  using StmtNode::StmtNode;
};

/// The threads that wait for each other at a barrier.
struct BarrierScope {
  enum class Kind : uint8_t {
    block,
    warp,   ///< the lanes of each warp
    named,  ///< the warps that come to barrier `id` of the block, until they have `threads` threads
    cluster,  ///< those of all blocks of the cluster
  };
  static constexpr int64_t most_ids = 16;  ///< of a block; barrier 0 is that of the whole block

  Kind kind = Kind::block;
  int64_t id = 0, threads = 0;  ///< of `named`

  bool operator==(const BarrierScope&) const = default;
};

/// All threads of the scope arrive before any goes on; orders shared and global memory among them.
struct Barrier : StmtBase<Barrier, StmtKind::Barrier, KernelStmt> {
  const BarrierScope scope;
  static Stmt make(const BarrierScope& scope = {}) { return Stmt(new Barrier(scope)); }
  Stmt with(const Operands&) const override { return make(scope); }
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "barrier"; }

 private:
  explicit Barrier(const BarrierScope& scope) : scope(scope) {}
};

/// Counts a block in. `flag` becomes true in the last of `count` blocks to arrive, which sees what
/// the others wrote before, and leaves the counter at 0; in others it becomes false.
struct Arrive : StmtBase<Arrive, StmtKind::Arrive, KernelStmt> {
  const TensorPtr flag;                      ///< of one bool
  const TensorPtr counter;                   ///< of i32, in global memory
  const llvm::SmallVector<Expr, 4> indices;  ///< of the counter
  const Expr count;
  const TensorPtr published;  ///< what the block wrote before, for the last one to read
  static Stmt make(TensorPtr flag, TensorPtr counter, llvm::ArrayRef<Expr> indices, Expr count,
                   TensorPtr published);
  Operands operands() const override;
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt&) const override { return true; }
  llvm::StringRef word() const override { return "arrive"; }

 private:
  Arrive(TensorPtr flag, TensorPtr counter, llvm::ArrayRef<Expr> indices, Expr count,
         TensorPtr published)
      : flag(std::move(flag)),
        counter(std::move(counter)),
        indices(indices.begin(), indices.end()),
        count(std::move(count)),
        published(std::move(published)) {}
};

/// Starts a copy of `count` elements, neighbours in the fastest dimension, from global to shared
/// memory. `value` is the first of them, or a choice between it and zero. Nobody may read or write
/// the elements, the thread itself included, until it has waited for the group of the copy.
struct AsyncCopy : StmtBase<AsyncCopy, StmtKind::AsyncCopy, KernelStmt> {
  const TensorPtr tensor;
  const llvm::SmallVector<Expr, 4> indices;
  const Expr value;
  const int64_t count;
  static Stmt make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Expr value, int64_t count);
  /// The element that it reads; where `condition` is defined, only if that holds.
  struct Source {
    const Load* element = nullptr;
    Expr condition = {};
  };
  /// No element where `value` has another form.
  Source source() const;
  int64_t bytes() const;
  Operands operands() const override;
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "copy_async"; }

 private:
  AsyncCopy(TensorPtr tensor, llvm::ArrayRef<Expr> indices, Expr value, int64_t count)
      : tensor(std::move(tensor)),
        indices(indices.begin(), indices.end()),
        value(std::move(value)),
        count(count) {}
};

/// The copies that the thread has started since its last group become its next one.
struct CommitGroup : StmtBase<CommitGroup, StmtKind::CommitGroup, KernelStmt> {
  static Stmt make() { return Stmt(new CommitGroup); }
  Stmt with(const Operands&) const override { return make(); }
  bool has_options_of(const KernelStmt&) const override { return true; }
  llvm::StringRef word() const override { return "commit_group"; }
};

/// The thread goes on when all of its groups but the last `pending` ones are there. Others see
/// their elements behind a barrier.
struct WaitGroup : StmtBase<WaitGroup, StmtKind::WaitGroup, KernelStmt> {
  const int64_t pending;
  static Stmt make(int64_t pending) { return Stmt(new WaitGroup(pending)); }
  Stmt with(const Operands&) const override { return make(pending); }
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "wait_group"; }

 private:
  explicit WaitGroup(int64_t pending) : pending(pending) {}
};

// Mbarriers order what the roles of a block do. One of them is an element of a shared tensor of i64
// that nothing else touches. It counts arrivals; the last one ends its phase, and the next phase,
// which counts as many, begins. Threads wait for the end of a phase, by its parity: that of phase 0
// is 0. All that was done before the arrivals of a phase comes before what is done behind a wait
// for it.

/// The mbarrier begins its phase 0, which `count` arrivals end. Others use it behind a barrier.
struct InitMbarrier : StmtBase<InitMbarrier, StmtKind::InitMbarrier, KernelStmt> {
  const TensorPtr mbarriers;
  const Expr slot;  ///< the index of the mbarrier
  const int64_t count;
  static Stmt make(TensorPtr mbarriers, Expr slot, int64_t count);
  Operands operands() const override { return {{{mbarriers, true}}, {slot}}; }
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "init_mbarrier"; }

 private:
  InitMbarrier(TensorPtr mbarriers, Expr slot, int64_t count)
      : mbarriers(std::move(mbarriers)), slot(std::move(slot)), count(count) {}
};

/// Counts the thread in; with `after_copies`, when all asynchronous copies are there that it has
/// started before.
struct ArriveMbarrier : StmtBase<ArriveMbarrier, StmtKind::ArriveMbarrier, KernelStmt> {
  const TensorPtr mbarriers;
  const Expr slot;
  const bool after_copies;
  static Stmt make(TensorPtr mbarriers, Expr slot, bool after_copies = false);
  Operands operands() const override { return {{{mbarriers, true}}, {slot}}; }
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "arrive_mbarrier"; }

 private:
  ArriveMbarrier(TensorPtr mbarriers, Expr slot, bool after_copies)
      : mbarriers(std::move(mbarriers)), slot(std::move(slot)), after_copies(after_copies) {}
};

/// The thread goes on unless the phase at hand is of this parity: when that has ended. A wait for
/// parity 1 lets pass before the end of phase 0.
struct WaitMbarrier : StmtBase<WaitMbarrier, StmtKind::WaitMbarrier, KernelStmt> {
  const TensorPtr mbarriers;
  const Expr slot, parity;
  static Stmt make(TensorPtr mbarriers, Expr slot, Expr parity);
  Operands operands() const override { return {{{mbarriers}}, {slot, parity}}; }
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt&) const override { return true; }
  llvm::StringRef word() const override { return "wait_mbarrier"; }

 private:
  WaitMbarrier(TensorPtr mbarriers, Expr slot, Expr parity)
      : mbarriers(std::move(mbarriers)), slot(std::move(slot)), parity(std::move(parity)) {}
};

/// Sets a flag of the thread, of rank 0: true if a wait for this parity would let pass at once. A
/// test that sets true orders as that wait does.
struct TestMbarrier : StmtBase<TestMbarrier, StmtKind::TestMbarrier, KernelStmt> {
  const TensorPtr flag;  ///< in registers
  const TensorPtr mbarriers;
  const Expr slot, parity;
  static Stmt make(TensorPtr flag, TensorPtr mbarriers, Expr slot, Expr parity);
  Operands operands() const override { return {{{flag, true}, {mbarriers}}, {slot, parity}}; }
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt&) const override { return true; }
  llvm::StringRef word() const override { return "test_mbarrier"; }

 private:
  TestMbarrier(TensorPtr flag, TensorPtr mbarriers, Expr slot, Expr parity)
      : flag(std::move(flag)),
        mbarriers(std::move(mbarriers)),
        slot(std::move(slot)),
        parity(std::move(parity)) {}
};

/// Counts the thread in; the phase at hand does not end before bulk copies have brought so many
/// bytes more.
struct ExpectBytes : StmtBase<ExpectBytes, StmtKind::ExpectBytes, KernelStmt> {
  const TensorPtr mbarriers;
  const Expr slot;
  const int64_t bytes;
  static Stmt make(TensorPtr mbarriers, Expr slot, int64_t bytes);
  Operands operands() const override { return {{{mbarriers, true}}, {slot}}; }
  Stmt with(const Operands& others) const override;
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "expect_bytes"; }

 private:
  ExpectBytes(TensorPtr mbarriers, Expr slot, int64_t bytes)
      : mbarriers(std::move(mbarriers)), slot(std::move(slot)), bytes(bytes) {}
};

/// A box of a tensor in global memory that the copy engine moves. Its rows lie, one after the
/// other, in shared memory from the element at `indices` on; with a swizzle, 16 bytes change places
/// as the address says.
struct BulkMove : KernelStmt {
  struct Box {
    llvm::SmallVector<int64_t, 5> extents;  ///< one per dimension of the tensor in global memory
    int64_t swizzle = 0;                    ///< bytes of the pattern of a row; 0: none

    int64_t elements() const;
    bool operator==(const Box&) const = default;
  };
  const TensorPtr tensor;  ///< in shared memory
  const llvm::SmallVector<Expr, 4> indices;
  const TensorPtr memory;                        ///< in global memory
  const llvm::SmallVector<Expr, 4> coordinates;  ///< indices of that, whatever its layout
  const Box box;

  static bool classof(const StmtNode* node) {
    return node->kind == StmtKind::BulkCopy || node->kind == StmtKind::BulkStore;
  }
  int64_t bytes() const;
  bool has_options_of(const KernelStmt& other) const override;
  /// The same between other places of other tensors.
  virtual Stmt between(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices,
                       TensorPtr new_memory) const = 0;

 protected:
  BulkMove(StmtKind kind, TensorPtr tensor, llvm::ArrayRef<Expr> indices, TensorPtr memory,
           llvm::ArrayRef<Expr> coordinates, Box box)
      : KernelStmt(kind),
        tensor(std::move(tensor)),
        indices(indices.begin(), indices.end()),
        memory(std::move(memory)),
        coordinates(coordinates.begin(), coordinates.end()),
        box(std::move(box)) {}
};

/// Asks the copy engine for a box, with zeros from beyond the ends of its tensor. Its bytes count
/// for the phase at hand of an mbarrier. Nobody may read or write the elements before the end of
/// that.
struct BulkCopy : StmtBase<BulkCopy, StmtKind::BulkCopy, BulkMove> {
  const TensorPtr mbarriers;
  const Expr slot;
  static Stmt make(TensorPtr tensor, llvm::ArrayRef<Expr> indices, TensorPtr source,
                   llvm::ArrayRef<Expr> coordinates, Box box, TensorPtr mbarriers, Expr slot);
  Operands operands() const override;
  Stmt with(const Operands& others) const override;
  Stmt between(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices,
               TensorPtr new_memory) const override;
  llvm::StringRef word() const override { return "copy_bulk"; }

 private:
  BulkCopy(TensorPtr tensor, llvm::ArrayRef<Expr> indices, TensorPtr source,
           llvm::ArrayRef<Expr> coordinates, Box box, TensorPtr mbarriers, Expr slot)
      : StmtBase(std::move(tensor), indices, std::move(source), coordinates, std::move(box)),
        mbarriers(std::move(mbarriers)),
        slot(std::move(slot)) {}
};

/// Asks the copy engine to write a box, but for elements beyond the ends of its tensor. It reads
/// the tile until the thread has waited for its stores. It sees what threads have written to the
/// tile before a fence of theirs.
struct BulkStore : StmtBase<BulkStore, StmtKind::BulkStore, BulkMove> {
  static Stmt make(TensorPtr destination, llvm::ArrayRef<Expr> coordinates, TensorPtr tensor,
                   llvm::ArrayRef<Expr> indices, Box box);
  Operands operands() const override;
  Stmt with(const Operands& others) const override;
  Stmt between(TensorPtr new_tensor, llvm::ArrayRef<Expr> new_indices,
               TensorPtr new_memory) const override;
  llvm::StringRef word() const override { return "store_bulk"; }

 private:
  BulkStore(TensorPtr destination, llvm::ArrayRef<Expr> coordinates, TensorPtr tensor,
            llvm::ArrayRef<Expr> indices, Box box)
      : StmtBase(std::move(tensor), indices, std::move(destination), coordinates, std::move(box)) {}
};

/// The thread goes on when the engine has read all that its stores take; with `written`, when it
/// has written it.
struct WaitStores : StmtBase<WaitStores, StmtKind::WaitStores, KernelStmt> {
  const bool written;
  static Stmt make(bool written = false) { return Stmt(new WaitStores(written)); }
  Stmt with(const Operands&) const override { return make(written); }
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return "wait_stores"; }

 private:
  explicit WaitStores(bool written) : written(written) {}
};

/// The copy engine sees what the thread has written before, once another thread knows of the fence.
struct FenceEngine : StmtBase<FenceEngine, StmtKind::FenceEngine, KernelStmt> {
  static Stmt make() { return Stmt(new FenceEngine); }
  Stmt with(const Operands&) const override { return make(); }
  bool has_options_of(const KernelStmt&) const override { return true; }
  llvm::StringRef word() const override { return "fence_engine"; }
};

/// The registers that each thread of a warpgroup has from here on: fewer, or more of those that
/// others have given back. It changes nothing about the meaning.
struct SetRegisters : StmtBase<SetRegisters, StmtKind::SetRegisters, KernelStmt> {
  const int64_t count;
  const bool is_more;  ///< than the thread had before
  static Stmt make(int64_t count, bool is_more) { return Stmt(new SetRegisters(count, is_more)); }
  Stmt with(const Operands&) const override { return make(count, is_more); }
  bool has_options_of(const KernelStmt& other) const override;
  llvm::StringRef word() const override { return is_more ? "take_registers" : "give_registers"; }

 private:
  SetRegisters(int64_t count, bool is_more) : count(count), is_more(is_more) {}
};

}  // namespace hone
