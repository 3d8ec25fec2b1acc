#include "runtime/ptx/machine/control.h"

#include "fmt/format.h"
#include "runtime/ptx/machine/builtins.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {

void run_join(Warp& warp, const Op&) {
  if (!warp.others.empty()) warp.meet();
}

void run_branch(Warp& warp, const Op& op) { warp.branch(op.detail); }

/// Lanes of one target jump together.
void run_branch_by_index(Warp& warp, const Op& op) {
  const auto& targets = warp.block->run.program.targets[op.detail];
  const auto* index = warp.at<uint32_t>(op.sources[0]);
  const int first = std::countr_zero(warp.active);
  if (index[first] >= targets.size())
    fail(warp, first,
         {FindingKind::invalid_operation,
          fmt::format("a jump to target {} of a table of {}", index[first], targets.size()),
          "jumps"});
  LaneMask same = 0;
  for_each_lane(warp.active,
                [&](int lane) { same |= LaneMask{index[lane] == index[first]} << lane; });
  const LaneMask others = warp.active & ~same;
  warp.part(warp.at_hand.lanes & ~warp.active, warp.here() + 1);
  warp.part(others, warp.here());
  warp.jump(targets[index[first]]);
}

// ---- Calls --------------------------------------------------------------------------------------

namespace {

constexpr int most_depth = 4096;

/// Copies an area of a frame to one of another, for these lanes.
void copy_area(const std::byte* from, std::byte* to, int64_t bytes, LaneMask mask) {
  for_each_lane(mask,
                [&](int lane) { std::memcpy(to + lane * bytes, from + lane * bytes, bytes); });
}

std::shared_ptr<Frame> frame_for(Warp& warp, const Code& code, const CallDetail& call) {
  auto frame = std::make_shared<Frame>();
  frame->code = &code;
  frame->registers = std::make_unique<std::byte[]>(code.frame_bytes);
  frame->caller = warp.at_hand.frame;
  frame->call = &call;
  frame->return_to = warp.here() + 1;
  frame->depth = warp.at_hand.frame->depth + 1;
  frame->local_base = warp.at_hand.frame->local_base + warp.at_hand.frame->code->local_bytes;
  return frame;
}

void call_function(Warp& warp, const CallDetail& call, int64_t number) {
  const Code& code = warp.block->run.program.codes[number];
  if (!code.function->has_body) return call_builtin(warp, call, *code.function);
  std::shared_ptr<Frame> frame = frame_for(warp, code, call);
  const int lane = std::countr_zero(warp.active);
  if (frame->depth > most_depth || frame->local_base + code.local_bytes > warp.local_stride)
    fail(warp, lane,
         {FindingKind::stack_overflow, fmt::format("{} calls are under way", frame->depth),
          "calls a function"});
  for (size_t n = 0; n < std::min(code.params.size(), call.params.size()); ++n)
    copy_area(warp.at<std::byte>(call.params[n]),
              frame->registers.get() + code.params[n].place.offset(), code.params[n].bytes,
              warp.active);
  warp.enter(std::move(frame));
}

/// By address: lanes with the function of the first one call it together.
int64_t function_at_hand(Warp& warp, const CallDetail& call) {
  const auto* address = warp.at<uint64_t>(call.address);
  const int first = std::countr_zero(warp.active);
  const int64_t number =
      static_cast<int64_t>(address[first] - window::function) >> window::function_shift;
  if (number < 0 || number >= static_cast<int64_t>(warp.block->run.program.codes.size()))
    fail(
        warp, first,
        {FindingKind::invalid_operation,
         fmt::format("a call of {:#x}, where no function is", address[first]), "calls a function"});
  LaneMask same = 0;
  for_each_lane(warp.active,
                [&](int lane) { same |= LaneMask{address[lane] == address[first]} << lane; });
  warp.part(warp.active & ~same, warp.here());
  warp.active = same;
  return number;
}

}  // namespace

void run_call(Warp& warp, const Op& op) {
  const CallDetail& call = warp.block->run.program.calls[op.detail];
  warp.part();
  const int64_t number = call.function >= 0 ? call.function : function_at_hand(warp, call);
  call_function(warp, call, number);
}

void run_return(Warp& warp, const Op& op) {
  const std::shared_ptr<Frame> frame = warp.at_hand.frame;
  if (!frame->caller) return run_exit(warp, op);
  warp.part();
  warp.at_hand.frame = frame->caller;
  warp.bases[0] = frame->caller->registers.get();
  for (size_t n = 0; n < std::min(frame->code->returns.size(), frame->call->returns.size()); ++n)
    if (const Ref to = frame->call->returns[n]; to.exists()) {
      const Area& area = frame->code->returns[n];
      copy_area(frame->registers.get() + area.place.offset(), warp.at<std::byte>(to), area.bytes,
                warp.active);
    }
  warp.next = frame->caller->code->ops.data() + frame->return_to;
}

void run_exit(Warp& warp, const Op&) {
  warp.part();
  warp.end();
}

void run_trap(Warp& warp, const Op&) {
  fail(warp, std::countr_zero(warp.active),
       {FindingKind::trap, "the kernel stops itself", "traps"});
}

// ---- Waits --------------------------------------------------------------------------------------

void run_barrier(Warp& warp, const Op& op) { warp.block->arrive(warp, op); }

void run_fence(Warp& warp, const Op&) {
  if (Observer* observer = warp.block->observer.get()) observer->fence(warp);
}

void run_fence_of_engines(Warp& warp, const Op&) {
  if (Observer* observer = warp.block->observer.get()) observer->fence_engines(warp);
}

void run_pause(Warp& warp, const Op&) { warp.has_looked = true; }

void run_nothing(Warp&, const Op&) {}

}  // namespace hone::ptx
