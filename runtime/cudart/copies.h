// Copies and fills of memory, with their bounds checked.
#pragma once

#include "runtime/cudart/state.h"

namespace hone::cudart {

/// One end of a copy: rows `pitch` bytes apart, layers `layer` bytes apart.
struct Place {
  const void* data = nullptr;
  size_t pitch = 0, layer = 0;

  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }
};

/// Of rows of `width` bytes.
struct Extent {
  size_t width = 0, rows = 1, layers = 1;

  bool is_empty() const { return width == 0 || rows == 0 || layers == 0; }
  /// From the first byte to the last one.
  size_t span(const Place& place) const {
    return (layers - 1) * place.layer + (rows - 1) * place.pitch + width;
  }
};

struct Copy {
  const char* call = "";  ///< for messages: "cudaMemcpy2D"
  Place to, from;
  Extent extent;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct Fill {
  const char* call = "";
  Place to;
  Extent extent;
  unsigned value = 0;
  int value_bytes = 1;
};

/// Both throw CallError where memory is used that is not there; that is a finding.
void run(State& state, const Copy& copy);
void run(State& state, const Fill& fill);

/// The copy that is to be done on a stream.
void enqueue_copy(State& state, cudaStream_t stream, const Copy& copy);
/// Throws CallError.
Copy copy_of(State& state, const char* call, const cudaMemcpy3DParms& params);

/// All bytes of the device hold values from now on: kernels ran that were not followed.
void mark_all_set(State& state);

}  // namespace hone::cudart
