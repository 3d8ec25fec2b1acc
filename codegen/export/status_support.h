enum class Error { none, size, promise, alignment, overlap, workspace, limit, cuda };

/// The outcome of a launch: success, or the reason why not, in words too.
struct Status {
  Error error = Error::none;
  cudaError_t cuda = cudaSuccess;  // of Error::cuda
  char message[512] = "";

  explicit operator bool() const { return error == Error::none; }
};
