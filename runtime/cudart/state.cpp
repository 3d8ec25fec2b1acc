#include "runtime/cudart/state.h"

#include <unistd.h>

#include <new>

namespace hone::cudart {
namespace {

thread_local cudaError_t error_of_thread = cudaSuccess;

Settings settings_or_exit() {
  try {
    return Settings::of_environment();
  } catch (const RuntimeError& error) {
    say(error.what());
    _exit(2);
  }
}

cudaError_t outcome_of(State& state, llvm::function_ref<void(State&)> body) {
  try {
    body(state);
    return cudaSuccess;
  } catch (const CallError& error) {
    if (*error.what()) state.findings.say_once(error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    state.findings.say_once(error.what());
    return cudaErrorUnknown;
  }
}

/// How a call comes to know of a kernel's failure.
enum class Notice { never, from_others, by_waiting };

cudaError_t run_call(Notice notice, llvm::function_ref<void(State&)> body) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  if (notice == Notice::by_waiting) state.lost = state.failure;
  cudaError_t outcome = notice == Notice::never ? cudaSuccess : state.lost;
  if (outcome == cudaSuccess) outcome = outcome_of(state, body);
  if (outcome != cudaSuccess && outcome != cudaErrorNotReady) error_of_thread = outcome;
  return outcome;
}

}  // namespace

State::State() : settings(settings_or_exit()) {}

State& State::of_process() {
  static auto* const state = new State;
  return *state;
}

Stream& State::stream(cudaStream_t handle) {
  const bool is_default = !handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
  return is_default ? default_stream : streams.find(handle);
}

void State::run(const Work& work) {
  if (failure == cudaSuccess) work(*this);
}

void State::enqueue(cudaStream_t handle, cudaGraphNodeType type, Work work) {
  Stream& to = stream(handle);
  if (!to.captures_to) return run(work);
  to.captured = {add_node(*to.captures_to, type, std::move(work), to.captured)};
}

cudaError_t call(llvm::function_ref<void(State&)> body) {
  return run_call(Notice::from_others, body);
}

cudaError_t waiting_call(llvm::function_ref<void(State&)> body) {
  return run_call(Notice::by_waiting, body);
}

cudaError_t call_always(llvm::function_ref<void(State&)> body) {
  return run_call(Notice::never, body);
}

cudaError_t last_error(bool forgets) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  if (state.lost != cudaSuccess) return state.lost;
  const cudaError_t error = error_of_thread;
  if (forgets) error_of_thread = cudaSuccess;
  return error;
}

int refuse_by_name(const char* function) {
  return call_always([&](State&) {
    throw CallError(cudaErrorNotSupported,
                    "{} is not supported on the simulated device; it returns cudaErrorNotSupported",
                    function);
  });
}

}  // namespace hone::cudart
