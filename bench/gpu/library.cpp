#include "bench/gpu/library.h"

#include "runtime/cuda/cuda_driver.h"
#include "runtime/shared_library.h"

namespace hone {
namespace {

using CubSum = const char*(void* workspace, size_t* workspace_bytes, const float* A, float* S,
                           long long n);

void check(const char* problem) {
  if (problem) throw RuntimeError("CUB's sum: {}", problem);
}

/// The functions of cuBLAS, which has no header here: types and numbers are those of its interface.
struct Cublas {
  using Create = int(void** handle);
  using SetMathMode = int(void* handle, int mode);
  using Sgemm = int(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                    const float* alpha, const float* A, int lda, const float* B, int ldb,
                    const float* beta, float* C, int ldc);

  explicit Cublas(const std::string& path) {
    const SharedLibrary library = SharedLibrary::open(path);
    sgemm = library.function<Sgemm>("cublasSgemm_v2");
    constexpr int pedantic = 2;
    check(library.function<Create>("cublasCreate_v2")(&handle));
    check(library.function<SetMathMode>("cublasSetMathMode")(handle, pedantic));
  }

  static void check(int status) {
    if (status != 0) throw RuntimeError("cuBLAS failed with status {}", status);
  }

  Sgemm* sgemm = nullptr;
  void* handle = nullptr;
};

}  // namespace

Contender cublas_contender(const std::string& path, const Sizes& sizes, const Target& target) {
  target.device.context().enter();
  static const Cublas cublas(path);
  const auto size = [&](const char* name) { return static_cast<int>(sizes.at(name)); };
  Stage stage{{"cublasSgemm", {"A", "B", "C"}, {}, {}}};
  // By columns, as cuBLAS has them, a row-major product is that of the other order.
  stage.call = [M = size("M"), N = size("N"), K = size("K")](llvm::ArrayRef<void*> tensors) {
    const auto* A = static_cast<const float*>(tensors[0]);
    const auto* B = static_cast<const float*>(tensors[1]);
    const float one = 1, zero = 0;
    Cublas::check(cublas.sgemm(cublas.handle, 0, 0, N, M, K, &one, B, N, A, K, &zero,
                               static_cast<float*>(tensors[2]), N));
  };
  Contender contender;
  contender.stages.push_back(std::move(stage));
  return contender;
}

Contender cub_contender(const std::string& path, const Sizes& sizes, const Target& target) {
  CubSum* const sum = SharedLibrary::open(path).function<CubSum>("cub_sum");
  const int64_t n = sizes.at("n");
  size_t bytes = 0;
  target.device.context().enter();  // CUB works in the context of the calling thread
  check(sum(nullptr, &bytes, nullptr, nullptr, n));

  Stage stage{{"cub::DeviceReduce::Sum", {"workspace", "A", "S"}, {}, {}}};
  stage.call = [sum, bytes, n](llvm::ArrayRef<void*> tensors) {
    size_t size = bytes;
    check(sum(tensors[0], &size, static_cast<float*>(tensors[1]), static_cast<float*>(tensors[2]),
              n));
  };
  Contender contender;
  contender.stages.push_back(std::move(stage));
  contender.temporaries = {{"workspace", tiles(static_cast<int64_t>(bytes), 4)}};
  return contender;
}

}  // namespace hone
