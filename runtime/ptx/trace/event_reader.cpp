#include "runtime/ptx/trace/event_reader.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/text/demangle.h"

namespace hone::ptx {
namespace {

bool is_nan(Type type, const std::byte* value) {
  float single = 0;
  double wide = 0;
  if (type == Type::f32) std::memcpy(&single, value, sizeof single);
  if (type == Type::f64) std::memcpy(&wide, value, sizeof wide);
  return single != single || wide != wide;
}

Type compared_type(const Instruction& instruction) {
  return type_named(instruction.modifiers.back()).value_or(Type::none);
}

}  // namespace

EventReader::EventReader(const Run& run, LaneMask wanted)
    : run_(run),
      wanted_(wanted),
      shared_(shared_of(*run.program.module, *run.kernel.function,
                        shared_layout(*run.program.module))) {}

// ---- Values and places --------------------------------------------------------------------------

const RegisterUse& EventReader::use_of(const Code& code) {
  return uses_.try_emplace(&code, run_.program, code).first->second;
}

const std::byte* EventReader::value_of(const Warp& warp, Ref ref, int lane, int bytes) const {
  const std::byte* const base = ref.is_constant() ? warp.bases[1] : frame_->registers.get();
  return base + ref.offset() + static_cast<size_t>(lane) * bytes;
}

void EventReader::add_value(const Warp& warp, Ref ref, int lane, int bytes,
                            std::vector<std::byte>& to) const {
  const std::byte* const from = value_of(warp, ref, lane, std::max(bytes, 2));
  to.insert(to.end(), from, from + bytes);
}

namespace {

/// `extern __shared__ float s[]`
std::string name_of_dynamic_shared(const Module& module) {
  for (const Variable& variable : module.variables)
    if (variable.space == Space::shared && variable.bytes == 0) return plain_name(variable.name);
  return "dynamic shared memory";
}

}  // namespace

TracedPlace EventReader::place_of(uint64_t address) const {
  if (window::has(window::local, address))
    return {"local memory", static_cast<int64_t>(address - window::local)};
  if (window::has(window::shared, address)) {
    const uint64_t place = window::place_in_block(address - window::shared);
    if (const PlacedVariable* variable = shared_.find(place))
      return {plain_name(variable->variable->name), static_cast<int64_t>(place - variable->at)};
    return {name_of_dynamic_shared(*run_.program.module),
            static_cast<int64_t>(place) - run_.dynamic_shared()};
  }
  const Memory& memory = run_.module.memory();
  if (const Allocation* allocation = memory.find(address))
    return {allocation->name, static_cast<int64_t>(address - allocation->address)};
  return {memory.describe(address), -1};
}

/// Loads and stores of PTX say little of the type; what is done with the value says more.
Type EventReader::type_of_values(const MemoryDetail& detail) const {
  std::optional<Type> type;
  const Instruction& instruction = text();
  const size_t first = instruction.opcode == "st" || instruction.opcode == "red" ? 1 : 0;
  for_each_register(instruction.operands[first], [&](uint32_t reg) {
    if (!type && bytes_of(use_->type_of(reg)) == detail.bytes) type = use_->type_of(reg);
  });
  return is_real(detail.type) || is_signed(detail.type) || !type ? detail.type : *type;
}

// ---- Before an op -------------------------------------------------------------------------------

void EventReader::before(const Warp& warp, const Op& op) {
  for_each_lane(wanted_, [&](int lane) { events_[lane].reset(); });
  frame_ = warp.at_hand.frame;
  use_ = &use_of(*frame_->code);
  instruction_ = frame_->code->instruction_of[warp.here()];
  active_ = warp.active;
  jumping_back_ = 0;
  is_branch_ = op.execute == run_branch;
  is_under_way_ = false;
  if (is_branch_) return read_branch(warp, op);
  is_under_way_ = active_ != 0;
  for_each_lane(active_ & wanted_, [&](int lane) {
    TracedEvent event = begun(warp, op, lane);
    if (!event.name.empty() || !event.place.array.empty()) events_[lane] = std::move(event);
  });
}

/// A jump that the compiler adds has no guard, and tells of nothing.
void EventReader::read_branch(const Warp& warp, const Op& op) {
  if (op.detail <= warp.here()) jumping_back_ = active_;
  const Guard& guard = text().guard;
  if (!op.guard.exists() || !guard.exists) return;
  const auto known = compared_.find({frame_->code, guard.reg});
  const uint32_t target = frame_->code->instruction_of[op.detail];
  for_each_lane(warp.at_hand.lanes & wanted_, [&](int lane) {
    TracedEvent event;
    if (known != compared_.end()) event = known->second[lane];
    event.kind = Kind::branch;
    event.number = (active_ >> lane & 1) != 0 ? use_->line(target).second : 0;
    events_[lane] = std::move(event);
  });
}

/// An event with neither a name nor a place is none.
TracedEvent EventReader::begun(const Warp& warp, const Op& op, int lane) {
  TracedEvent event;
  switch (deed_of(text())) {
    case Deed::access:
      return op.kind == Op::Kind::memory ? access_event(warp, op, lane) : event;
    case Deed::copy:
      return copy_event(warp, op, lane);
    case Deed::barrier:
      event.kind = Kind::barrier;
      if (op.execute == run_barrier || op.execute == run_warp_barrier ||
          op.execute == run_cluster_barrier)
        event.name = text().name();
      return event;
    case Deed::call:
      event.kind = Kind::call;
      if (op.execute == run_call)
        for (const Operand& operand : text().operands)
          if (operand.is(Operand::Kind::symbol)) event.name = demangled(operand.name);
      return event;
    case Deed::other:
      event.name = text().name();
      return event;
    default:
      return event;
  }
}

TracedEvent EventReader::access_event(const Warp& warp, const Op& op, int lane) const {
  const MemoryDetail& detail = run_.program.memory[op.detail];
  TracedEvent event;
  if (detail.space == Space::param) return event;
  const bool is_atomic = detail.kind == MemoryDetail::Kind::atomic;
  event.kind = is_atomic                                 ? Kind::atomic
               : detail.kind == MemoryDetail::Kind::load ? Kind::load
                                                         : Kind::store;
  event.place = place_of(
      address_in(warp, {op.sources[0], detail.offset, detail.address_bytes, detail.space}, lane));
  event.type = type_of_values(detail);
  if (event.kind == Kind::load) return event;
  if (is_atomic)
    for (const std::string& modifier : text().modifiers)
      if (atomic_op(modifier, detail.type)) event.name = modifier;
  for (const Ref value : detail.values) add_value(warp, value, lane, detail.bytes, event.values);
  return event;
}

TracedEvent EventReader::copy_event(const Warp& warp, const Op& op, int lane) const {
  TracedEvent event;
  event.name = text().name();
  if (op.execute != run_copy_async) return event;
  const AsyncDetail& detail = run_.program.copies[op.detail];
  event.kind = Kind::copy;
  event.place = place_of(address_in(warp, detail.to, lane));
  event.from = place_of(address_in(warp, detail.from, lane));
  event.number = detail.size;
  return event;
}

// ---- Behind an op -------------------------------------------------------------------------------

void EventReader::after(const Warp& warp, const Op& op) {
  is_under_way_ = false;
  if (is_branch_) return;
  switch (deed_of(text())) {
    case Deed::access:
      for_each_lane(active_ & wanted_, [&](int lane) {
        if (events_[lane]) finish_access(warp, op, lane, *events_[lane]);
      });
      return;
    case Deed::compare:
      return finish_compare(warp, op);
    case Deed::exchange:
      return finish_exchange(warp, op);
    case Deed::special:
    case Deed::result:
      return finish_result(warp, op);
    default:
      return;
  }
}

void EventReader::finish_access(const Warp& warp, const Op& op, int lane, TracedEvent& event) {
  const MemoryDetail& detail = run_.program.memory[op.detail];
  const llvm::ArrayRef<Ref> results =
      event.kind == Kind::load ? llvm::ArrayRef<Ref>(detail.values) : detail.results;
  auto& to = event.kind == Kind::load ? event.values : event.old;
  for (const Ref result : results)
    if (result.exists()) {
      const std::byte* const from = value_of(warp, result, lane, detail.register_bytes);
      to.insert(to.end(), from, from + detail.bytes);
      origins_[{frame_->code, result.bits}] = event.place.array;
    }
}

/// Of a comparison that guards a branch, the branch tells.
void EventReader::finish_compare(const Warp& warp, const Op& op) {
  const Instruction& instruction = text();
  const Operand& result = instruction.operands.front();
  if (!op.destination.exists() || !result.is(Operand::Kind::reg)) return;
  const LaneMask holds = warp.predicate(op.destination);
  auto& known = compared_[{frame_->code, result.reg}];
  const Type type = compared_type(instruction);
  for_each_lane(active_ & wanted_, [&](int lane) {
    TracedEvent event;
    event.kind = Kind::compare;
    event.type = type;
    for (const Ref source : {op.sources[0], op.sources[1]})
      add_value(warp, source, lane, bytes_of(type), event.values);
    const bool is_nan_here =
        is_nan(type, &event.values[0]) || is_nan(type, &event.values[bytes_of(type)]);
    const bool is_so = (holds >> lane & 1) != 0;
    event.name = relation_of(instruction, is_so || is_nan_here);
    if (event.name.empty()) event.values.clear();
    if (is_nan_here && !is_so && !event.name.empty()) event.name = "not " + event.name;
    known[lane] = event;
    if (!event.name.empty() && !use_->is_of_branches(result.reg)) events_[lane] = std::move(event);
  });
}

/// Lanes that have waited exchange together with those that come last.
void EventReader::finish_exchange(const Warp& warp, const Op& op) {
  events_ = {};
  const Operand& to = text().operands.front();
  const Operand& result = to.is(Operand::Kind::pair) ? to.parts.front() : to;
  const bool is_whole = op.destination.exists() && result.is(Operand::Kind::reg) &&
                        frame_->code->registers[result.reg] == op.destination;
  if (warp.is_stopped || !is_whole) return;
  const auto origin = origins_.find({frame_->code, op.sources[0].bits});
  for_each_lane(warp.active & wanted_, [&](int lane) {
    TracedEvent event;
    if (origin != origins_.end()) event.place = {origin->second, 0};
    event.kind = op.execute == run_shuffle ? Kind::shuffle : Kind::exchange;
    event.name = text().name();
    event.type = use_->type_of(result.reg);
    if (event.type == Type::pred)
      event.values.push_back(std::byte{(warp.predicate(op.destination) >> lane & 1) != 0});
    else
      add_value(warp, op.destination, lane, bytes_of(event.type), event.values);
    if (event.kind == Kind::shuffle)
      event.number =
          shuffle_source(static_cast<ShuffleMode>(run_.program.exchanges[op.detail].mode), lane,
                         warp.at<uint32_t>(op.sources[1])[lane],
                         warp.at<uint32_t>(op.sources[2])[lane])
              .lane;
    events_[lane] = std::move(event);
  });
}

void EventReader::finish_result(const Warp& warp, const Op& op) {
  const bool is_special = deed_of(text()) == Deed::special;
  const Operand& to = text().operands.front();
  if (!to.is(Operand::Kind::reg) || frame_->code->registers[to.reg] != op.destination) return;
  if (!is_special && !use_->result(instruction_)) return;
  for_each_lane(active_ & wanted_, [&](int lane) {
    TracedEvent event;
    event.kind = is_special ? Kind::special : Kind::result;
    event.name = is_special ? special_name(text()) : frame_->code->function->registers[to.reg].name;
    event.type = use_->type_of(to.reg);
    add_value(warp, op.destination, lane, bytes_of(event.type), event.values);
    events_[lane] = std::move(event);
  });
}

}  // namespace hone::ptx
