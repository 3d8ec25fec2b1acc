// CUDA arrays: texels in memory of the device, which programs know by handles alone.
#pragma once

#include "runtime/cudart/call_error.h"
#include "runtime/ptx/images/image.h"

struct cudaArray {
  std::string name;  ///< of its memory: "cudaMallocArray #1"
  hone::ptx::Image image;
  cudaChannelFormatDesc format{};  ///< these as the program has given them
  cudaExtent extent{};
  unsigned flags = 0;
};

namespace hone::cudart {

using Array = cudaArray;
struct State;

/// Throws CallError where there are no such texels, or the simulated device has not got them.
ptx::TexelFormat texel_format(const char* call, const cudaChannelFormatDesc& format);

/// A new array; dimensions that it has not are 0. Throws CallError.
Array* make_array(State& state, const char* call, const cudaChannelFormatDesc& format,
                  const cudaExtent& extent, unsigned flags);
void free_array(State& state, const Array& array);

}  // namespace hone::cudart
