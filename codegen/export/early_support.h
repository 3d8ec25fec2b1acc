// ---- Early launches -----------------------------------------------------------------------------

/// Of a kernel that waits by itself for the one before it: it may start while that runs.
inline Status start_early(const void* kernel, const Shape& shape, void** arguments,
                          cudaStream_t stream) {
  if (shape.is_empty()) return {};
  if (Status status = allow_shared_bytes(kernel, shape); !status) return status;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dims(shape.grid);
  config.blockDim = dims(shape.block);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
  return error == cudaSuccess ? Status() : refuse(error, "cudaLaunchKernelExC");
}
