// The ops of a warp as deeds of its lanes.
#pragma once

#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/trace/register_use.h"
#include "runtime/ptx/trace/trace.h"

namespace hone::ptx {

class EventReader {
 public:
  /// Reads those lanes alone.
  EventReader(const Run& run, LaneMask wanted);

  void before(const Warp& warp, const Op& op);
  void after(const Warp& warp, const Op& op);

  // Of the op at hand:

  /// Complete behind after(); of a branch behind before().
  std::optional<TracedEvent>& event(int lane) { return events_[lane]; }
  bool is_branch() const { return is_branch_; }
  /// The lanes that go on at an op that is not behind this one.
  LaneMask jumping_back() const { return jumping_back_; }
  const RegisterUse& use() const { return *use_; }
  const Code& code() const { return *frame_->code; }
  uint32_t instruction() const { return instruction_; }
  /// It has begun, and has not ended.
  bool is_under_way() const { return is_under_way_; }

 private:
  using Kind = TracedEvent::Kind;

  const RegisterUse& use_of(const Code& code);
  const Instruction& text() const { return frame_->code->function->instructions[instruction_]; }
  /// The bytes of a lane in a register or a constant.
  const std::byte* value_of(const Warp& warp, Ref ref, int lane, int bytes) const;
  void add_value(const Warp& warp, Ref ref, int lane, int bytes, std::vector<std::byte>& to) const;

  void read_branch(const Warp& warp, const Op& op);
  TracedEvent begun(const Warp& warp, const Op& op, int lane);
  TracedEvent access_event(const Warp& warp, const Op& op, int lane) const;
  TracedEvent copy_event(const Warp& warp, const Op& op, int lane) const;
  void finish_access(const Warp& warp, const Op& op, int lane, TracedEvent& event);
  void finish_compare(const Warp& warp, const Op& op);
  void finish_exchange(const Warp& warp, const Op& op);
  void finish_result(const Warp& warp, const Op& op);
  TracedPlace place_of(uint64_t generic_address) const;
  Type type_of_values(const MemoryDetail& detail) const;

  const Run& run_;
  LaneMask wanted_;
  KernelShared shared_;
  std::map<const Code*, RegisterUse> uses_;
  /// The last comparison behind a predicate, by lane.
  std::map<std::pair<const Code*, uint32_t>, std::array<TracedEvent, lanes>> compared_;
  /// By register, the array that its value comes from.
  std::map<std::pair<const Code*, uint32_t>, std::string> origins_;

  std::array<std::optional<TracedEvent>, lanes> events_{};
  std::shared_ptr<Frame> frame_;
  const RegisterUse* use_ = nullptr;
  uint32_t instruction_ = 0;
  LaneMask active_ = 0, jumping_back_ = 0;
  bool is_branch_ = false, is_under_way_ = false;
};

/// How observers see an instruction.
enum class Deed : uint8_t {
  hidden,  ///< addresses, moves, jumps
  access,
  copy,
  exchange,
  compare,
  barrier,
  call,
  special,
  result,
  other,
};
Deed deed_of(const Instruction& instruction);
/// "threadIdx.x" of `mov.u32 %r1, %tid.x`.
std::string special_name(const Instruction& instruction);
/// "<" of `setp.lt.s32`, where it holds, or ">=" where it does not. Empty of other forms.
std::string relation_of(const Instruction& instruction, bool holds);

}  // namespace hone::ptx
