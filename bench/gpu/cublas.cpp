#include "bench/gpu/cublas.h"

#include "llvm/Support/ErrorHandling.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

constexpr int cuda_f32 = 0, cuda_i32 = 10;  // cudaDataType
// cublasComputeType_t; the last one has tensor cores multiply floats as tf32.
constexpr int sums_of_f32 = 68, sums_of_i32 = 72, sums_of_tf32 = 77;

int cuda_type(DType type) {
  switch (type) {
    case DType::f32:
    case DType::tf32:
      return cuda_f32;
    case DType::f16:
      return 2;
    case DType::bf16:
      return 14;
    case DType::f8e4m3:
      return 28;
    case DType::i8:
      return 3;
    case DType::i32:
      return cuda_i32;
    default:
      llvm_unreachable("no product that libraries compute has elements of that type");
  }
}

int compute_type(DType input) {
  if (!is_float(input)) return sums_of_i32;
  return input == DType::tf32 ? sums_of_tf32 : sums_of_f32;
}

/// cuBLAS with two handles: for pedantic products of f32, and for those of narrow types.
class Cublas {
 public:
  explicit Cublas(const std::string& path) {
    const SharedLibrary library = SharedLibrary::open(path);
    library.load(status_text_, "cublasGetStatusString");
    library.load(sgemm_, "cublasSgemm_v2");
    library.load(gemm_ex_, "cublasGemmEx");
    library.load(batched_, "cublasGemmStridedBatchedEx");
    constexpr int default_math = 0, pedantic_math = 2;
    exact_ = make_handle(library, pedantic_math);
    mixed_ = make_handle(library, default_math);
  }

  void sgemm(const ColumnProduct& p, llvm::ArrayRef<void*> tensors) const {
    const auto [m, n, k] = extents(p);
    check(
        sgemm_(exact_, operation(p), no_transpose, m, n, k, &one,
               static_cast<const float*>(tensors[1]), leading(p),
               static_cast<const float*>(tensors[0]), k, &zero, static_cast<float*>(tensors[2]), m),
        "cublasSgemm");
  }

  void gemm_ex(const ColumnProduct& p, llvm::ArrayRef<void*> tensors) const {
    const auto [m, n, k] = extents(p);
    const int status =
        p.batch == 1 ? gemm_ex_(mixed_, operation(p), no_transpose, m, n, k, p.one(), tensors[1],
                                p.input_type, leading(p), tensors[0], p.input_type, k, p.zero(),
                                tensors[2], p.output_type, m, p.compute_type, default_algorithm)
                     : batched_(mixed_, operation(p), no_transpose, m, n, k, p.one(), tensors[1],
                                p.input_type, leading(p), p.rows * p.depth, tensors[0],
                                p.input_type, k, p.depth * p.columns, p.zero(), tensors[2],
                                p.output_type, m, p.rows * p.columns, static_cast<int>(p.batch),
                                p.compute_type, default_algorithm);
    if (status == not_supported) throw Skipped("cuBLAS has no algorithm for these sizes");
    check(status, "cublasGemmEx");
  }

 private:
  using Create = int(void** handle);
  using SetMathMode = int(void* handle, int mode);
  using Sgemm = int(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                    const float* alpha, const float* A, int lda, const float* B, int ldb,
                    const float* beta, float* C, int ldc);
  using GemmEx = int(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                     const void* alpha, const void* A, int A_type, int lda, const void* B,
                     int B_type, int ldb, const void* beta, void* C, int C_type, int ldc,
                     int compute_type, int algorithm);
  using BatchedGemmEx = int(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                            const void* alpha, const void* A, int A_type, int lda, int64_t A_stride,
                            const void* B, int B_type, int ldb, int64_t B_stride, const void* beta,
                            void* C, int C_type, int ldc, int64_t C_stride, int batch,
                            int compute_type, int algorithm);

  void* make_handle(const SharedLibrary& library, int math_mode) const {
    void* handle = nullptr;
    check(library.function<Create>("cublasCreate_v2")(&handle), "cublasCreate");
    check(library.function<SetMathMode>("cublasSetMathMode")(handle, math_mode),
          "cublasSetMathMode");
    return handle;
  }

  void check(int status, const char* call) const { check_status(status, call, status_text_); }

  static std::array<int, 3> extents(const ColumnProduct& p) {
    return {static_cast<int>(p.rows), static_cast<int>(p.columns), static_cast<int>(p.depth)};
  }
  static int operation(const ColumnProduct& p) {
    return p.is_first_transposed ? transpose : no_transpose;
  }
  /// The distance between columns of the first operand, in elements.
  static int leading(const ColumnProduct& p) {
    return static_cast<int>(p.is_first_transposed ? p.depth : p.rows);
  }

  static constexpr float one = 1, zero = 0;
  static constexpr int default_algorithm = -1;
  StatusText* status_text_ = nullptr;
  Sgemm* sgemm_ = nullptr;
  GemmEx* gemm_ex_ = nullptr;
  BatchedGemmEx* batched_ = nullptr;
  void *exact_ = nullptr, *mixed_ = nullptr;
};

}  // namespace

const void* ColumnProduct::one() const {
  static constexpr float of_f32 = 1;
  static constexpr int32_t of_i32 = 1;
  return sum_type == cuda_i32 ? static_cast<const void*>(&of_i32) : &of_f32;
}

const void* ColumnProduct::zero() const {
  static constexpr float of_both = 0;
  return &of_both;
}

ColumnProduct column_product(const Contest& contest, const Sizes& sizes) {
  const bool is_scaled = contest.library_work == LibraryWork::scaled_product;
  return {
      .rows = sizes.at("N"),
      .columns = sizes.at("M"),
      .depth = sizes.at("K"),
      .batch = sizes.count("batch") ? sizes.at("batch") : 1,
      .is_first_transposed = is_scaled || contest.library_work == LibraryWork::transposed_product,
      .input_type = cuda_type(contest.input_type),
      .output_type = cuda_type(contest.output_type),
      .sum_type = is_float(contest.input_type) ? cuda_f32 : cuda_i32,
      .compute_type = compute_type(contest.input_type),
      .has_short_sums = is_scaled,
      .has_activation = contest.library_work == LibraryWork::activated_product};
}

void check_status(int status, const char* call, StatusText* text) {
  if (status != success)
    throw RuntimeError("{} failed with status {}: {}", call, status, text(status));
}

Contender cublas_contender(const std::string& path, const Contest& contest, const Sizes& sizes,
                           const Target& target) {
  target.device.context().enter();  // cuBLAS works in the context of the calling thread
  static const Cublas cublas(path);
  const bool is_exact = contest.input_type == DType::f32;
  Stage stage{{is_exact ? "cublasSgemm" : "cublasGemmEx", {"A", "B", "C"}, {}, {}}};
  stage.call = [p = column_product(contest, sizes), is_exact](llvm::ArrayRef<void*> tensors) {
    is_exact ? cublas.sgemm(p, tensors) : cublas.gemm_ex(p, tensors);
  };
  Contender contender;
  contender.stages.push_back(std::move(stage));
  return contender;
}

}  // namespace hone
