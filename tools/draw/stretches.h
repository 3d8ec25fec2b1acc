// The use that a thread of a kernel makes of rings of tiles, wait by wait.
#pragma once

#include <compare>
#include <map>
#include <set>

#include "codegen/kernel.h"
#include "ir/buffer.h"

namespace hone {

/// A slot of a ring of tiles, or of an array of mbarriers.
struct RingSlot {
  std::string tensor;
  int64_t slot = 0;

  auto operator<=>(const RingSlot&) const = default;
};

/// A statement that keeps a thread until something has happened.
struct RingWait {
  enum class Kind : uint8_t { none, group, barrier, mbarrier };

  Kind kind = Kind::none;
  RingSlot mbarrier = {};
  /// Of a group: those that may be pending. Of an mbarrier: the parity. Of a barrier: the threads.
  int64_t amount = 0;
  int64_t barrier = 0;  ///< its number; 0: of the whole block

  auto operator<=>(const RingWait&) const = default;
};

/// The accesses, copies and arrivals of a thread from one wait to the next.
struct Stretch {
  RingWait wait;  ///< before all of it
  /// Slots, one after the other.
  std::vector<RingSlot> reads, stores;
  /// Slots that asynchronous copies fill, group by group. The last group is open.
  std::vector<std::vector<RingSlot>> copies = {{}};
  std::map<RingSlot, int64_t> inits;  ///< arrivals that end a phase
  std::map<RingSlot, int64_t> arrivals, arrivals_after_copies;

  bool has_copies() const;
  /// True if it fills a slot, or reads one.
  bool is_visible() const { return !reads.empty() || !stores.empty() || has_copies(); }
};

/// Tensors in shared memory whose first index goes round in a loop with waits, with the number of
/// their slots.
std::map<std::string, int64_t> rings_of(const KernelFunction& kernel);

/// Follows one thread of a kernel after the other. The rings are those of `rings_of`.
class ThreadFollower {
 public:
  ThreadFollower(const KernelFunction& kernel, const Sizes& sizes,
                 const std::array<int64_t, 3>& block);

  static constexpr size_t most_stretches = 96;

  /// The first stretches of a thread, `most_stretches` at most; nothing where its way depends on
  /// values of tensors. Without `has_tiles` reads and fills are left out.
  std::optional<std::vector<Stretch>> follow(const std::array<int64_t, 3>& thread, bool has_tiles);

 private:
  class Unknown {};
  class Enough {};

  int64_t value_of(const Expr& expr) const;
  bool is_worth(const Stmt& statement) const;
  void run(const Stmt& statement);
  void run_loop(const For& loop);
  void run_kernel_statement(const Stmt& statement);
  void wait_for(RingWait wait);
  void add_accesses(const Stmt& statement);
  RingSlot slot_of(const ElementRef& place) const;
  RingSlot slot_of(const TensorNode& tensor, const Expr& index) const;

  const KernelFunction& kernel_;
  const Sizes& sizes_;
  std::array<int64_t, 3> block_, thread_{};
  std::map<std::string, int64_t> rings_;
  std::set<const StmtNode*> with_waits_, with_tiles_;  ///< statements that have some in them
  std::set<const TensorNode*> tests_;  ///< flags of tests, none of which spares a wait
  std::map<const AxisNode*, int64_t> axes_;
  bool has_tiles_ = false;
  std::vector<Stretch> stretches_;
};

}  // namespace hone
