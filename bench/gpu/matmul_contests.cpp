// Matrix products, of matrices that lie in memory in several ways.

#include <cmath>

#include "bench/gpu/contest.h"

namespace hone {

Sizes square(int64_t length) { return {{"M", length}, {"N", length}, {"K", length}}; }

double operations(const Sizes& sizes) {
  return 2.0 * sizes.at("M") * sizes.at("N") * sizes.at("K");
}

int64_t elements(const std::string& tensor, const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K");
  if (tensor == "alpha" || tensor == "beta" || tensor.ends_with("_scale")) return 1;
  if (tensor == "bias") return N;
  if (tensor == "A") return M * K;
  return tensor == "B" ? K * N : M * N;
}

double dot(const Strided& lhs, const Strided& rhs, int64_t length) {
  double sum = 0;
  for (int64_t k = 0; k < length; ++k)
    sum += double{lhs.elements[lhs.first + k * lhs.stride]} *
           double{rhs.elements[rhs.first + k * rhs.stride]};
  return sum;
}

namespace {

double row_major_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N"), K = sizes.at("K");
  return dot({inputs.at("A"), element / N * K, 1}, {inputs.at("B"), element % N, N}, K);
}

double column_major_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), K = sizes.at("K");
  return dot({inputs.at("A"), element % M, M}, {inputs.at("B"), element / M * K, 1}, K);
}

double transposed_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K");
  return dot({inputs.at("A"), element / N, M}, {inputs.at("B"), element % N * K, 1}, K);
}

/// Of C = A B^T, where a row of B is a column of the product's second operand.
double rows_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N"), K = sizes.at("K");
  return dot({inputs.at("A"), element / N * K, 1}, {inputs.at("B"), element % N * K, 1}, K);
}

double gemm_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  return double{inputs.at("alpha")[0]} * row_major_reference(inputs, sizes, element) +
         double{inputs.at("beta")[0]} * double{inputs.at("C")[element]};
}

double layer_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const double x = row_major_reference(inputs, sizes, element) +
                   double{inputs.at("bias")[element % sizes.at("N")]};
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double scaled_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  return double{inputs.at("A_scale")[0]} * double{inputs.at("B_scale")[0]} *
         rows_reference(inputs, sizes, element);
}

/// Elements along k, and rows of B, that have a scale together.
constexpr int64_t scale_block = 128;

int64_t blocks_of(int64_t size) { return (size + scale_block - 1) / scale_block; }

int64_t elements_with_block_scales(const std::string& tensor, const Sizes& sizes) {
  const int64_t blocks = blocks_of(sizes.at("K"));
  if (tensor == "A_scale") return sizes.at("M") * blocks;
  if (tensor == "B_scale") return blocks_of(sizes.at("N")) * blocks;
  return elements(tensor, sizes);
}

double block_scaled_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N"), K = sizes.at("K"), blocks = blocks_of(K);
  const int64_t row = element / N, column = element % N;
  double sum = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t k = block * scale_block;
    sum += double{inputs.at("A_scale")[row * blocks + block]} *
           double{inputs.at("B_scale")[column / scale_block * blocks + block]} *
           dot({inputs.at("A"), row * K + k, 1}, {inputs.at("B"), column * K + k, 1},
               std::min(scale_block, K - k));
  }
  return sum;
}

}  // namespace

Contest product_contest() {
  Contest contest;
  contest.name = "matmul";
  contest.handwritten = handwritten_matmul;
  contest.sizes = square;
  contest.problems = {square(1024), square(2048), square(4096)};
  contest.quick_problems = {square(1024)};
  contest.edge_problems = {square(1),
                           {{"M", 67}, {"N", 131}, {"K", 45}},
                           {{"M", 257}, {"N", 33}, {"K", 129}},
                           {{"M", 199}, {"N", 260}, {"K", 36}}};
  contest.inputs = {"A", "B"};
  contest.output = "C";
  contest.elements = elements;
  contest.reference = row_major_reference;
  contest.work = operations;
  return contest;
}

namespace {

Contest matmul_contest() {
  Contest contest = product_contest();
  contest.library_work = LibraryWork::product;
  return contest;
}

Contest double_contest() {
  Contest contest = product_contest();
  contest.name = "matmul-double";
  contest.handwritten = handwritten_matmul_double;
  contest.input_type = contest.output_type = DType::f64;
  return contest;
}

Contest column_major_contest() {
  Contest contest = product_contest();
  contest.name = "matmul-column-major";
  contest.handwritten = handwritten_matmul_column_major;
  contest.reference = column_major_reference;
  return contest;
}

Contest transposed_contest() {
  Contest contest = product_contest();
  contest.name = "matmul-transposed";
  contest.handwritten = handwritten_matmul_transposed;
  contest.reference = transposed_reference;
  return contest;
}

Contest gemm_contest() {
  Contest contest = product_contest();
  contest.name = "gemm";
  contest.handwritten = handwritten_gemm;
  contest.inputs = {"alpha", "beta", "A", "B", "C"};
  contest.output = "D";
  contest.reference = gemm_reference;
  return contest;
}

// ---- 16-bit floats

Sizes shape(int64_t M, int64_t N, int64_t K) { return {{"M", M}, {"N", N}, {"K", K}}; }

}  // namespace

Contest hgemm_contest() {
  Contest contest = matmul_contest();
  contest.name = "hgemm";
  contest.handwritten = [](const Sizes&) { return std::vector<HandwrittenKernel>(); };
  contest.problems = {square(1024), square(2048), square(4096), square(8192),
                      shape(8192, 2048, 4096)};
  contest.quick_problems = {square(4096)};
  // Rows of bf16 hold vectors of one element where a size is odd, else of 2, 4 or 8.
  contest.edge_problems = {square(1),           shape(1, 300, 17),    shape(65, 129, 33),
                           shape(127, 255, 63), shape(200, 518, 130), shape(66, 260, 68),
                           shape(129, 264, 72), shape(257, 8, 1000),  shape(128, 256, 64)};
  contest.input_type = contest.output_type = DType::bf16;
  contest.burst_milliseconds = 2;
  return contest;
}

namespace {

Contest hgemm_nt_contest() {
  Contest contest = hgemm_contest();
  contest.name = "hgemm-nt";
  contest.library_work = LibraryWork::transposed_product;
  contest.reference = rows_reference;
  return contest;
}

Contest hgemm_f16_contest() {
  Contest contest = hgemm_contest();
  contest.name = "hgemm-f16";
  contest.input_type = contest.output_type = DType::f16;
  return contest;
}

Contest layer_contest() {
  Contest contest = hgemm_contest();
  contest.name = "gemm-bias-gelu";
  contest.inputs = {"A", "B", "bias"};
  contest.library_work = LibraryWork::activated_product;
  contest.reference = layer_reference;
  return contest;
}

Contest igemm_contest() {
  Contest contest = hgemm_nt_contest();
  contest.name = "igemm-s8";
  // Rows of bytes hold vectors of 1, 2, 4, 8 or 16 elements.
  contest.edge_problems = {square(1),           shape(1, 300, 17),    shape(65, 129, 34),
                           shape(127, 255, 60), shape(200, 518, 136), shape(129, 264, 144),
                           shape(257, 8, 1000), shape(128, 256, 128)};
  contest.input_type = DType::i8;
  contest.output_type = DType::i32;
  return contest;
}

/// Inputs are floats with the digits that tensor cores take, so that no side cuts or rounds them.
Contest gemm_tf32_contest() {
  Contest contest = hgemm_nt_contest();
  contest.name = "gemm-tf32";
  // Rows of floats hold vectors of 1, 2 or 4 elements.
  contest.edge_problems = {square(1),           shape(1, 300, 17),    shape(65, 129, 34),
                           shape(127, 255, 60), shape(200, 518, 130), shape(129, 264, 36),
                           shape(257, 8, 1000), shape(128, 256, 32)};
  contest.input_type = DType::tf32;
  contest.output_type = DType::f32;
  return contest;
}

Contest gemm_fp8_contest() {
  Contest contest = igemm_contest();
  contest.name = "gemm-fp8";
  contest.inputs = {"A", "B", "A_scale", "B_scale"};
  contest.scales = {"A_scale", "B_scale"};
  contest.library_work = LibraryWork::scaled_product;
  contest.reference = scaled_reference;
  contest.input_type = DType::f8e4m3;
  contest.output_type = DType::bf16;
  return contest;
}

/// No library is compared: cuBLASLt takes such scales of A by blocks of k first, and then by rows.
Contest gemm_fp8_blocks_contest() {
  Contest contest = gemm_fp8_contest();
  contest.name = "gemm-fp8-blocks";
  contest.problems = {square(4096), square(8192), shape(4096, 7168, 16384)};
  contest.edge_problems.push_back(shape(131, 257, 320));
  contest.elements = elements_with_block_scales;
  contest.library_work = LibraryWork::none;
  contest.reference = block_scaled_reference;
  return contest;
}

// ---- pitched

/// Rows that begin at multiples of 128 bytes where the dense ones do, each matrix with a gap of its
/// own.
Sizes pitched(Sizes sizes) {
  sizes["lda"] = sizes.at("K") + 32;
  sizes["ldb"] = sizes.at("N") + 64;
  sizes["ldc"] = sizes.at("N") + 96;
  return sizes;
}

int64_t pitched_elements(const std::string& tensor, const Sizes& sizes) {
  if (tensor == "A") return sizes.at("M") * sizes.at("lda");
  return tensor == "B" ? sizes.at("K") * sizes.at("ldb") : sizes.at("M") * sizes.at("ldc");
}

double pitched_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t row = element / sizes.at("ldc"), column = element % sizes.at("ldc");
  return dot({inputs.at("A"), row * sizes.at("lda"), 1}, {inputs.at("B"), column, sizes.at("ldb")},
             sizes.at("K"));
}

Contest pitched_contest() {
  Contest contest = product_contest();
  contest.name = "matmul-pitched";
  contest.handwritten = handwritten_matmul_pitched;
  contest.sizes = [](int64_t length) { return pitched(square(length)); };
  for (auto* problems : {&contest.problems, &contest.quick_problems, &contest.edge_problems})
    for (Sizes& sizes : *problems) sizes = pitched(sizes);
  contest.elements = pitched_elements;
  contest.reference = pitched_reference;
  contest.is_padding = [](const Sizes& sizes, int64_t element) {
    return element % sizes.at("ldc") >= sizes.at("N");
  };
  return contest;
}

// ---- pitched columns

/// Columns that begin at multiples of 128 bytes where the dense ones do.
Sizes with_pitched_columns(Sizes sizes) {
  sizes["lda"] = sizes.at("M") + 32;
  sizes["ldb"] = sizes.at("K") + 64;
  sizes["ldc"] = sizes.at("M") + 96;
  return sizes;
}

int64_t elements_of_columns(const std::string& tensor, const Sizes& sizes) {
  if (tensor == "A") return sizes.at("K") * sizes.at("lda");
  return sizes.at("N") * sizes.at(tensor == "B" ? "ldb" : "ldc");
}

double pitched_columns_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t column = element / sizes.at("ldc"), row = element % sizes.at("ldc");
  return dot({inputs.at("A"), row, sizes.at("lda")}, {inputs.at("B"), column * sizes.at("ldb"), 1},
             sizes.at("K"));
}

Contest pitched_columns_contest() {
  Contest contest = product_contest();
  contest.name = "matmul-pitched-columns";
  contest.handwritten = handwritten_matmul_pitched_columns;
  contest.sizes = [](int64_t length) { return with_pitched_columns(square(length)); };
  for (auto* problems : {&contest.problems, &contest.quick_problems, &contest.edge_problems})
    for (Sizes& sizes : *problems) sizes = with_pitched_columns(sizes);
  contest.elements = elements_of_columns;
  contest.reference = pitched_columns_reference;
  contest.is_padding = [](const Sizes& sizes, int64_t element) {
    return element % sizes.at("ldc") >= sizes.at("M");
  };
  return contest;
}

}  // namespace

std::vector<Contest> matmul_contests() {
  return {matmul_contest(),     double_contest(),          column_major_contest(),
          pitched_contest(),    pitched_columns_contest(), gemm_contest(),
          transposed_contest(), hgemm_contest(),           hgemm_nt_contest(),
          hgemm_f16_contest(),  igemm_contest(),           gemm_tf32_contest(),
          gemm_fp8_contest(),   gemm_fp8_blocks_contest(), layer_contest()};
}

}  // namespace hone
