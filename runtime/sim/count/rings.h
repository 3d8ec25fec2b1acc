// The use that the warps of a block make of rings of tiles, wait by wait.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/core/instr.h"
#include "runtime/sim/program.h"

namespace hone {

/// A slot of a ring, or of an array of mbarriers: a first index.
struct RingSlot {
  const TensorNode* tensor = nullptr;
  int64_t slot = 0;

  auto operator<=>(const RingSlot&) const = default;
};

/// What lanes of a warp do together: an instruction that has to do with waits, or an access.
struct RingEvent {
  const Instr* instr = nullptr;  ///< of loads and stores none
  /// Of its first place. Without one it signals the end of a group, or awaits groups or threads.
  Use use = Use::reads;
  Timeline timeline = Timeline::thread;
  RingSlot place = {};
  /// Of a wait: the parity, or its first constant. Of a copy, of a product, and of the end of a
  /// group: the number of groups of the timeline that the stretch has ended before.
  int64_t value = 0;
  int64_t threads = 0;

  bool is_read() const { return use == Use::reads; }
  bool is_fill() const { return use == Use::writes; }
  bool touches() const { return is_read() || is_fill(); }
  bool is_late() const { return timeline != Timeline::thread; }
  bool is_copy() const { return is_fill() && is_late(); }
  bool is_product() const { return is_read() && is_late(); }
  bool ends_group() const { return use == Use::signals && !place.tensor; }
  /// The same, threads aside.
  bool is_like(const RingEvent& other) const;
};

/// The events of a warp from one wait to the next.
struct Stretch {
  std::optional<RingEvent> wait;  ///< before all of it
  std::vector<RingEvent> events;  ///< of those that are alike one, with the threads of all

  void add(const RingEvent& event);
};

struct RingUse {
  /// Of a warp. One more is the wait that ends the last one.
  static constexpr size_t most_stretches = 96;

  std::map<std::string, int64_t> slots;  ///< their number, by tensor; none: nothing is followed
  std::vector<std::vector<Stretch>> warps;
};

/// The value of an index in a lane.
int64_t value_of(const Worker& worker, const LaneIndex& index, int lane);

/// Follows the warps of a block. A tensor in shared memory is a ring if its first index is the same
/// for all lanes, and reads have it go round: T[e % slots, ...].
class RingFollower {
 public:
  RingFollower(const SimProgram& program, RingUse& rings);

  void begin_block(const Worker& worker, bool is_followed);
  void record_access(const Worker& worker, const Access& access);
  void record_issue(const Worker& worker, const Instruction& instruction);

 private:
  const TensorPtr& tensor_of(const Access& access) const;
  bool is_ring(const Access& access) const;
  void record(const Worker& worker, RingEvent event, const Access* access, const int64_t* values);

  const SimProgram& program_;
  RingUse& rings_;
  bool is_on_ = false;
};

}  // namespace hone
