#include <array>

#include "bench/gpu/cublas.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

constexpr uint64_t most_workspace = uint64_t{32} << 20;  // bytes
constexpr int most_algorithms = 8;

/// cublasLtMatmulAlgo_t
struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct Proposal {
  Algorithm algorithm;
  size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Proposal) == 96);

/// A descriptor that the library makes, and that its function destroys with the last copy.
using Descriptor = std::shared_ptr<void>;

/// The operation and the layouts of its matrices, by columns.
struct LtProduct {
  Descriptor operation, first, second, result;
};

/// A tensor that the operation reads, beside its matrices.
struct LtPointer {
  int attribute;
  const char* tensor;
};

/// Our B is the first operand of the library, our A the second one.
std::vector<LtPointer> pointers_of(const Contest& contest) {
  constexpr int bias = 8, scale_of_first = 17, scale_of_second = 18;
  if (contest.library_work == LibraryWork::activated_product) return {{bias, "bias"}};
  if (contest.library_work == LibraryWork::scaled_product)
    return {{scale_of_first, "B_scale"}, {scale_of_second, "A_scale"}};
  return {};
}

class CublasLt {
 public:
  explicit CublasLt(const std::string& path) {
    const SharedLibrary library = SharedLibrary::open(path);
    library.load(status_text_, "cublasLtGetStatusString");
    library.load(create_operation_, "cublasLtMatmulDescCreate");
    library.load(destroy_operation_, "cublasLtMatmulDescDestroy");
    library.load(set_operation_, "cublasLtMatmulDescSetAttribute");
    library.load(create_layout_, "cublasLtMatrixLayoutCreate");
    library.load(destroy_layout_, "cublasLtMatrixLayoutDestroy");
    library.load(set_layout_, "cublasLtMatrixLayoutSetAttribute");
    library.load(propose_, "cublasLtMatmulAlgoGetHeuristic");
    library.load(matmul_, "cublasLtMatmul");
    check(library.function<Create>("cublasLtCreate")(&handle_), "cublasLtCreate");
    make_preference(library);
  }

  LtProduct product(const ColumnProduct& p) const {
    const bool transposed = p.is_first_transposed;
    return {operation(p, transposed ? transpose : no_transpose),
            transposed ? layout(p, p.input_type, p.depth, p.rows)
                       : layout(p, p.input_type, p.rows, p.depth),
            layout(p, p.input_type, p.depth, p.columns),
            layout(p, p.output_type, p.rows, p.columns)};
  }

  /// Algorithms, the one first that the library expects to be the fastest.
  std::vector<Algorithm> propose(const LtProduct& p) const {
    std::array<Proposal, most_algorithms> proposals = {};
    int count = 0;
    const int status =
        propose_(handle_, p.operation.get(), p.first.get(), p.second.get(), p.result.get(),
                 p.result.get(), preference_, most_algorithms, proposals.data(), &count);
    if (status == not_supported) return {};
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<Algorithm> algorithms;
    for (int n = 0; n < count; ++n)
      if (proposals[n].status == success) algorithms.push_back(proposals[n].algorithm);
    return algorithms;
  }

  /// The operation reads a tensor from there, on the device.
  void set_pointer(const LtProduct& p, const LtPointer& pointer, const void* data) const {
    set(p.operation, pointer.attribute, data);
  }

  /// Computes C; the tensors are A, B, C and a workspace.
  void multiply(const ColumnProduct& factors, const LtProduct& p, const Algorithm& algorithm,
                llvm::ArrayRef<void*> tensors) const {
    void* const stream = nullptr;
    check(matmul_(handle_, p.operation.get(), factors.one(), tensors[1], p.first.get(), tensors[0],
                  p.second.get(), factors.zero(), tensors[2], p.result.get(), tensors[2],
                  p.result.get(), &algorithm, tensors[3], most_workspace, stream),
          "cublasLtMatmul");
  }

 private:
  using Create = int(void** made);
  using Destroy = int(void* descriptor);
  using SetAttribute = int(void* descriptor, int attribute, const void* value, size_t bytes);
  using CreateOperation = int(void** made, int compute_type, int scale_type);
  using CreateLayout = int(void** made, int type, uint64_t rows, uint64_t columns, int64_t leading);
  using Propose = int(void* handle, void* operation, void* A, void* B, void* C, void* D,
                      void* preference, int most, Proposal* proposals, int* count);
  using Matmul = int(void* handle, void* operation, const void* alpha, const void* A,
                     void* A_layout, const void* B, void* B_layout, const void* beta, const void* C,
                     void* C_layout, void* D, void* D_layout, const Algorithm* algorithm,
                     void* workspace, size_t workspace_bytes, void* stream);

  void make_preference(const SharedLibrary& library) {
    check(library.function<Create>("cublasLtMatmulPreferenceCreate")(&preference_),
          "cublasLtMatmulPreferenceCreate");
    constexpr int max_workspace_bytes = 1;
    check(library.function<SetAttribute>("cublasLtMatmulPreferenceSetAttribute")(
              preference_, max_workspace_bytes, &most_workspace, sizeof most_workspace),
          "cublasLtMatmulPreferenceSetAttribute");
  }

  Descriptor operation(const ColumnProduct& p, int32_t of_first) const {
    void* made = nullptr;
    check(create_operation_(&made, p.compute_type, p.sum_type), "cublasLtMatmulDescCreate");
    Descriptor operation(made, destroy_operation_);
    constexpr int transpose_first = 3, epilogue = 7, fast_accumulation = 25;
    constexpr int32_t gelu_with_bias = 36;
    set(operation, transpose_first, of_first);
    if (p.has_short_sums) set(operation, fast_accumulation, int8_t{1});
    if (p.has_activation) set(operation, epilogue, gelu_with_bias);
    return operation;
  }

  template <class Value>
  void set(const Descriptor& operation, int attribute, const Value& value) const {
    check(set_operation_(operation.get(), attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }

  /// Matrices whose columns follow each other without gaps, as they do.
  Descriptor layout(const ColumnProduct& p, int type, int64_t rows, int64_t columns) const {
    void* made = nullptr;
    check(create_layout_(&made, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                         rows),
          "cublasLtMatrixLayoutCreate");
    Descriptor layout(made, destroy_layout_);
    const auto batch = static_cast<int32_t>(p.batch);
    const int64_t stride = rows * columns;
    constexpr int batch_count = 5, batch_stride = 6;
    check(set_layout_(made, batch_count, &batch, sizeof batch), "cublasLtMatrixLayoutSetAttribute");
    check(set_layout_(made, batch_stride, &stride, sizeof stride),
          "cublasLtMatrixLayoutSetAttribute");
    return layout;
  }

  void check(int status, const char* call) const { check_status(status, call, status_text_); }

  StatusText* status_text_ = nullptr;
  CreateOperation* create_operation_ = nullptr;
  CreateLayout* create_layout_ = nullptr;
  Destroy *destroy_operation_ = nullptr, *destroy_layout_ = nullptr;
  SetAttribute *set_operation_ = nullptr, *set_layout_ = nullptr;
  Propose* propose_ = nullptr;
  Matmul* matmul_ = nullptr;
  void *handle_ = nullptr, *preference_ = nullptr;
};

}  // namespace

std::vector<Contender> cublaslt_contenders(const std::string& path, const Contest& contest,
                                           const Sizes& sizes, const Target& target) {
  target.device.context().enter();  // cuBLASLt works in the context of the calling thread
  static const CublasLt library(path);
  const ColumnProduct columns = column_product(contest, sizes);
  const LtProduct product = library.product(columns);
  const std::vector<Algorithm> algorithms = library.propose(product);
  if (algorithms.empty()) throw Skipped("cuBLASLt has no algorithm for these sizes");
  const std::vector<LtPointer> pointers = pointers_of(contest);
  std::vector<Contender> contenders;
  for (const Algorithm& algorithm : algorithms) {
    const size_t number = contenders.size() + 1;
    Stage stage{{fmt::format("cublasLtMatmul, algorithm {} of {}", number, algorithms.size()),
                 {"A", "B", "C", "workspace"},
                 {},
                 {}}};
    const size_t matrices = stage.tensors.size();
    for (const LtPointer& pointer : pointers) stage.tensors.push_back(pointer.tensor);
    stage.call = [=](llvm::ArrayRef<void*> tensors) {
      for (size_t n = 0; n < pointers.size(); ++n)
        library.set_pointer(product, pointers[n], tensors[matrices + n]);
      library.multiply(columns, product, algorithm, tensors);
    };
    Contender& contender = contenders.emplace_back();
    contender.stages.push_back(std::move(stage));
    contender.temporaries = {{"workspace", static_cast<int64_t>(most_workspace / 4)}};
  }
  return contenders;
}

}  // namespace hone
