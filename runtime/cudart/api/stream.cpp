// Streams and events. Work is done when it is asked for, so nothing is ever waited for.
#include "runtime/cudart/state.h"

namespace hone::cudart {
namespace {

cudaError_t make_stream(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](State& state) {
    if (flags > cudaStreamNonBlocking) throw CallError(cudaErrorInvalidValue);
    Stream* const made = *given(stream) = state.streams.make();
    made->flags = flags;
    made->priority = priority;
    made->id = ++state.streams_made;
  });
}

Stream& quiet_stream(State& state, cudaStream_t stream) {
  Stream& found = state.stream(stream);
  if (found.captures_to)
    throw CallError(cudaErrorStreamCaptureUnsupported,
                    "a stream that captures a graph is waited for; this has no meaning");
  return found;
}

}  // namespace
extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return make_stream(stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return make_stream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return make_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](State& state) { state.streams.destroy(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return waiting_call([&](State& state) { quiet_stream(state, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call([&](State& state) { *given(priority) = state.stream(stream).priority; });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call([&](State& state) { *given(flags) = state.stream(stream).flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call([&](State& state) { *given(id) = state.stream(stream).id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call([&](State& state) {
    state.stream(stream);
    *given(device) = 0;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue*) {
  return call([&](State& state) { state.stream(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&](State& state) {
    Stream& waits = state.stream(stream);
    const Event& for_event = state.events.find(event);
    if (!for_event.captures_to) return;
    waits.captures_to = for_event.captures_to;
    waits.captured.insert(waits.captured.end(), for_event.captured.begin(),
                          for_event.captured.end());
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Work work = [=](State&) { function(data); };
  bool is_due = false;
  const cudaError_t outcome = call([&](State& state) {
    const bool is_captured = state.stream(stream).captures_to != nullptr;
    if (is_captured) state.enqueue(stream, cudaGraphNodeTypeHost, std::move(work));
    is_due = !is_captured && state.failure == cudaSuccess;
  });
  if (is_due) function(data);
  return outcome;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  cudaError_t failure = cudaSuccess;
  const cudaError_t outcome = call([&](State& state) {
    quiet_stream(state, stream);
    failure = state.failure;
  });
  if (outcome == cudaSuccess) callback(stream, failure, data);
  return outcome;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](State& state) {
    *given(event) = state.events.make();
    (*event)->flags = flags;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](State& state) { state.events.destroy(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&](State& state) {
    Event& recorded = state.events.find(event);
    const Stream& of = state.stream(stream);
    recorded.captures_to = of.captures_to;
    recorded.captured = of.captured;
    if (!of.captures_to) recorded.time = std::chrono::steady_clock::now();
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return waiting_call([&](State& state) { state.events.find(event); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&](State& state) {
    const Event& from = state.events.find(start);
    const Event& to = state.events.find(end);
    const bool has_times = from.time && to.time;
    if (!has_times || ((from.flags | to.flags) & cudaEventDisableTiming) != 0)
      throw CallError(cudaErrorInvalidResourceHandle);
    *given(milliseconds) = std::chrono::duration<float, std::milli>(*to.time - *from.time).count();
  });
}
}  // extern "C"

}  // namespace hone::cudart
