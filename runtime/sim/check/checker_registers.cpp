// Check mode of registers, and of values that go from one tensor to another, set or not.

#include "runtime/sim/check/checker.h"

namespace hone {
// ---- Registers ----------------------------------------------------------------------------------

void Checker::on_register_access(Worker& worker, const Instruction& instruction) {
  Checker& checker = checker_of(worker);
  if (worker.program.accesses[instruction.detail].kind == Access::Kind::read)
    checker.read_registers(worker, instruction.detail);
  else
    checker.write_registers(worker, instruction.detail);
}

void Checker::read_registers(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  const Address address = open_access(worker, access);
  look_for_product(worker, access, number, address);
  if (access.moves) {
    moving_.push_back({registers_.flags(worker, access, address), number});
    return;
  }
  const int lane = registers_.first_unset(worker, access, address);
  if (lane >= 0) report_unset(worker, number, lane);
}

void Checker::write_registers(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  const Address address = open_access(worker, access);
  if (access.is_of_product) sums_.start(worker, access, address);
  look_for_product(worker, access, number, address);
  registers_.set(worker, access, address, take(access).flags);
}

/// Products that follow each other add to the same sums: they need no wait between.
void Checker::look_for_product(Worker& worker, const Access& access, uint32_t number,
                               const Address& address) {
  const int lane = access.is_of_product ? -1 : sums_.first(worker, access, address);
  if (lane < 0) return;
  report_register(worker, FindingKind::unfinished_product, number, lane, [](int64_t) {
    return "the warpgroup that adds to the sum has not waited for that";
  });
}

// ---- Moves --------------------------------------------------------------------------------------

void Checker::put_all_set(const Running& running) {
  if (!running.access.moves || running.access.kind != Access::Kind::read) return;
  for (int64_t n = 0; n < running.access.width; ++n) moving_.push_back({{}, running.number});
}

/// Writes of a move come in the order of its reads.
Checker::Moving Checker::take(const Access& access) {
  if (access.joins) return take_joined();
  if (!access.moves || next_moving_ == moving_.size()) return {};
  Moving moved = std::move(moving_[next_moving_++]);
  if (next_moving_ == moving_.size()) {
    moving_.clear();
    next_moving_ = 0;
  }
  return moved;
}

/// A combination of values is set where all of them are. It is none of them.
Checker::Moving Checker::take_joined() {
  Moving joined;
  if (moving_.size() > 1)
    for (Moving& moved : moving_) moved.flags.origins.clear();
  for (Moving& moved : moving_) {
    if (moved.flags.all) continue;
    if (joined.flags.all)
      joined = std::move(moved);
    else
      for (size_t lane = 0; lane < joined.flags.lanes.size(); ++lane)
        joined.flags.lanes[lane] &= moved.flags.lanes[lane];
  }
  moving_.clear();
  next_moving_ = 0;
  return joined;
}

}  // namespace hone
