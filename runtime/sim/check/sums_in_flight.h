// The registers that products of tensor cores add to, from the start of a product until its threads
// have waited for its group.
#pragma once

#include <vector>

#include "runtime/sim/access.h"

namespace hone {

class SumsInFlight {
 public:
  explicit SumsInFlight(const Worker& worker);

  void begin_block();
  /// The active lanes have started a product that adds to these registers.
  void start(Worker& worker, const Access& access, const Address& address);
  /// The active lanes have waited for all of their products but those of the last groups.
  void end(Worker& worker, int64_t pending);
  /// The first active lane for whose register a product is in flight; -1 where there is none.
  int first(const Worker& worker, const Access& access, const Address& address) const;

 private:
  int64_t lanes_;  ///< of the block
  /// Per memory, by element and thread: the number of the last product's group, from 1; empty where
  /// none has been started.
  std::vector<std::vector<int64_t>> groups_;
  std::vector<int64_t> ended_;  ///< by thread: the groups that it has waited for
};

}  // namespace hone
