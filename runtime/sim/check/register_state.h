// The registers that hold a value: a flag per element and lane.
#pragma once

#include <vector>

#include "runtime/sim/access.h"

namespace hone {

/// A flag per lane of a value on its way from one tensor to another.
struct LaneFlags {
  static constexpr int64_t nowhere = -1;

  bool all = true;                    ///< set for every lane
  std::vector<uint8_t> lanes = {};    ///< if not all are
  std::vector<int64_t> origins = {};  ///< of lanes that are not, where they are known

  bool has(int lane) const { return all || lanes[lane]; }
  /// The first cell of the element of an argument that the lane's value has been read from, unset.
  int64_t origin(int lane) const { return origins.empty() ? nowhere : origins[lane]; }
};

class RegisterState {
 public:
  explicit RegisterState(const Worker& worker);

  /// A new allocation holds nothing.
  void clear(const Worker& worker, uint32_t memory);

  /// The first active lane that reads a register that holds nothing; -1 where there is none.
  int first_unset(const Worker& worker, const Access& access, const Address& address) const;
  /// The active lanes that read a register that holds a value, and the origins of the others.
  LaneFlags flags(const Worker& worker, const Access& access, const Address& address) const;
  /// The active lanes write values, or as `flags` say, nothing.
  void set(const Worker& worker, const Access& access, const Address& address,
           const LaneFlags& flags);

 private:
  /// Of the first lane of the group that runs.
  const uint8_t* at(const Worker& worker, uint32_t memory, int64_t element) const {
    return flags_[memory].data() + element * lanes_ + worker.first_lane;
  }

  int64_t lanes_;                            ///< of the block
  std::vector<std::vector<uint8_t>> flags_;  ///< per memory; empty for other memory
  /// Per memory, of registers that hold none: of values that have come there unset; empty where
  /// none has.
  std::vector<std::vector<int64_t>> origins_;
};

}  // namespace hone
