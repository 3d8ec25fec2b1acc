// The opcodes there are. Each family has a file beside this one.
#pragma once

#include "ir/core/instr.h"

namespace hone {

namespace op {

// barrier.cpp: all threads of a scope arrive before any goes on; orders shared and global memory
// among them.
extern const Opcode barrier;  ///< of a block
extern const Opcode barrier_of_warp, barrier_of_warpgroup, barrier_of_cluster;
/// The warps that come to barrier `id` of the block, until they have `threads` threads: constants.
extern const Opcode named_barrier;

// arrive.cpp
/// Counts a block in. The flag, of one bool, becomes true in the last of `count` blocks to arrive,
/// which sees what the others wrote before, and leaves the counter, of i32 in global memory, at 0;
/// in others it becomes false. The tensor is what the block wrote before, for the last one to read.
extern const Opcode arrive;

// cp_async.cpp
/// Starts a copy of `count` elements, a constant, neighbours in the fastest dimension, from global
/// to shared memory. The value is the first of them, or a choice between it and zero. Nobody may
/// read or write the elements, the thread itself included, until it has waited for the group of the
/// copy.
extern const Opcode copy_async;
/// The copies that the thread has started since its last group become its next one.
extern const Opcode commit_group;
/// The thread goes on when all of its groups but the last `pending` ones, a constant, are there.
/// Others see their elements behind a barrier.
extern const Opcode wait_group;

// mbarrier.cpp: mbarriers order what the roles of a block do. One of them is an element of a shared
// tensor of i64 that nothing else touches. It counts arrivals; the last one ends its phase, and the
// next phase, which counts as many, begins. Threads wait for the end of a phase, by its parity:
// that of phase 0 is 0. All that was done before the arrivals of a phase comes before what is done
// behind a wait for it.
/// The mbarrier begins its phase 0, which `count` arrivals end. Others use it behind a barrier.
extern const Opcode init_mbarrier;
/// Counts the thread in at the mbarrier in the same place of each block of its cluster: so many, a
/// constant.
extern const Opcode arrive_in_blocks;
/// Counts the thread in; with the constant 1, when all asynchronous copies are there that it has
/// started before.
extern const Opcode arrive_mbarrier;
/// The thread goes on unless the phase at hand is of this parity: when that has ended. A wait for
/// parity 1 lets pass before the end of phase 0.
extern const Opcode wait_mbarrier;
/// Sets a flag of the thread: true if a wait for this parity would let pass at once. A test that
/// sets true orders as that wait does.
extern const Opcode test_mbarrier;
/// The registers that each thread of a warpgroup has from here on: fewer, or more of those that
/// others have given back.
extern const Opcode give_registers, take_registers;

// bulk.cpp: boxes of a tensor in global memory that the copy engine moves. The rows of one lie, one
// after the other, in shared memory from an element on; with a swizzle, 16 bytes change places as
// the address says. The constants are the extents of the box, one per dimension of the tensor in
// global memory, and the bytes of the swizzle's pattern, or 0.
/// Counts the thread in; the phase at hand does not end before bulk copies have brought so many
/// bytes more.
extern const Opcode expect_bytes;
/// Asks the copy engine for a box, with zeros from beyond the ends of its tensor. Its bytes count
/// for the phase at hand of an mbarrier. Nobody may read or write the elements before the end of
/// that.
extern const Opcode copy_bulk;
/// The same for each block of the cluster, which are as many as the first constant says: the box
/// comes to the same place there, and its bytes count for the mbarrier in the same place.
extern const Opcode multicast_bulk;
/// Asks the copy engine to write a box, but for elements beyond the ends of its tensor. It reads
/// the tile until the thread has waited for its stores. It sees what threads have written to the
/// tile before a fence of theirs.
extern const Opcode store_bulk;
/// The thread goes on when the engine has read all that its stores take; with the constant 1, when
/// it has written it.
extern const Opcode commit_stores;
extern const Opcode wait_stores;
extern const Opcode wait_stores_written;
extern const Opcode commit_wgmma;
extern const Opcode wait_wgmma;
/// The copy engine sees what the thread has written before, once another thread knows of the fence.
extern const Opcode fence_engine;

/// The kernel goes on when the one before it has ended, beside whose end it may have started.
extern const Opcode wait_kernel_before;

}  // namespace op

/// A spread of these digits; those of one value are left out.
FragmentSpread spread_of(llvm::ArrayRef<SpreadDigit> digits, Scope scope = Scope::registers);
/// Products by mma.sync, a row for each shape and type: mma.cpp.
const Family& mma_family();
/// Loads of what these take from shared memory, and stores of what they leave: ldmatrix.cpp.
const Family& ldmatrix_family();
/// Products by wgmma, of tiles in shared memory: wgmma.cpp.
const Family& wgmma_family();
/// Sums of products of bytes, by a thread of its own: dp4a.cpp.
const Family& dp4a_family();

/// The threads that wait for each other at a barrier.
struct BarrierScope {
  enum class Kind : uint8_t { block, warp, warpgroup, named, cluster };
  /// Of the 16 barriers of a block; those before it have names.
  static constexpr int64_t first_of_warpgroups = 8;

  Kind kind = Kind::block;
  int64_t id = 0, threads = 0;  ///< of `named`

  bool operator==(const BarrierScope&) const = default;
};

Stmt make_barrier(const BarrierScope& scope = {});
/// Nothing where the statement is no barrier.
std::optional<BarrierScope> barrier_scope(const Stmt& stmt);
bool is_barrier(const Stmt& stmt);
/// True of barriers, and of waits for groups of copies and for phases of mbarriers.
bool keeps_threads(const Stmt& stmt);

/// Waits for the end of a phase.
bool is_wait_for_phase(const Stmt& stmt);
/// Counts the thread into a phase.
bool is_arrival(const Stmt& stmt);
/// The arrivals, and the bytes, that a phase of an mbarrier counts at most.
inline constexpr int64_t most_phase_count = (1 << 20) - 1;
/// Ends in fail() of ir/core/violation.h unless a cluster has so many blocks.
void check_cluster_blocks(const Instr& instr);
/// Ends in fail() of ir/core/violation.h unless an mbarrier may lie there.
void check_phases(const ElementRef& place);

/// A move of the copy engine: a box of a tensor in global memory, and a tile in shared memory.
struct BoxMove {
  const Instr& instr;
  const ElementRef &tile, &memory;

  llvm::ArrayRef<int64_t> box() const { return box_and_swizzle().drop_back(); }
  int64_t swizzle() const { return box_and_swizzle().back(); }
  int64_t elements() const;
  int64_t bytes() const;
  bool fills() const { return tile.tensor == instr.places[0].tensor; }

 private:
  llvm::ArrayRef<int64_t> box_and_swizzle() const;
};
/// Nothing where the statement is another one.
std::optional<BoxMove> box_move(const Stmt& stmt);
/// The blocks of a cluster whose memory the instruction acts in, at one place in each; 1 for those
/// of the thread's own.
int64_t blocks_of(const Instr& instr);

/// The element that an asynchronous copy reads first; where `condition` is defined, only if that
/// holds. No element where its value has another form.
struct AsyncSource {
  const Load* element = nullptr;
  Expr condition = {};
};
AsyncSource async_source(const Instr& copy);

}  // namespace hone
