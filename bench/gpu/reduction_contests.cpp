// Contests whose results are made of many elements each.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "bench/gpu/contest.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

// ---- to one number

Sizes line(int64_t length) { return {{"n", length}}; }

double sum_reference(const HostTensors& inputs, const Sizes&, int64_t) {
  double sum = 0;
  for (const float a : inputs.at("A")) sum += a;
  return sum;
}

Contest reduce_contest() {
  Contest contest;
  contest.name = "reduce";
  contest.handwritten = handwritten_reduce;
  contest.sizes = line;
  contest.problems = {line(int64_t{1} << 20), line(int64_t{1} << 30)};
  contest.quick_problems = {line(int64_t{1} << 26)};
  contest.edge_problems = {line(1), line(31), line(1000), line(8196), line(100'003), line(1 << 20)};
  contest.inputs = {"A"};
  contest.library_work = LibraryWork::sum;
  contest.positive = true;
  contest.output = "S";
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    return tensor == "S" ? int64_t{1} : sizes.at("n");
  };
  contest.reference = sum_reference;
  contest.work = [](const Sizes& sizes) { return 4.0 * sizes.at("n"); };
  contest.memory_bound = true;
  return contest;
}

double dot_reference(const HostTensors& inputs, const Sizes&, int64_t) {
  return std::inner_product(inputs.at("A").begin(), inputs.at("A").end(), inputs.at("B").begin(),
                            0.0, std::plus<>(), std::multiplies<double>());
}

Contest dot_contest() {
  Contest contest = reduce_contest();
  contest.name = "dot";
  contest.handwritten = handwritten_dot;
  contest.problems = {line(int64_t{1} << 20), line(int64_t{1} << 29)};
  contest.inputs = {"A", "B"};
  contest.library_work = LibraryWork::none;
  contest.reference = dot_reference;
  contest.work = [](const Sizes& sizes) { return 8.0 * sizes.at("n"); };
  return contest;
}

double argmax_reference(const HostTensors& inputs, const Sizes&, int64_t number) {
  const std::vector<float>& A = inputs.at("A");
  const auto largest = std::max_element(A.begin(), A.end());
  return number == 0 ? double{*largest} : static_cast<double>(largest - A.begin());
}

Contest argmax_contest() {
  Contest contest = reduce_contest();
  contest.name = "argmax";
  contest.handwritten = handwritten_argmax;
  contest.library_work = LibraryWork::none;
  contest.positive = false;
  contest.output_type = f32_i32;
  contest.reference = argmax_reference;
  return contest;
}

// ---- along the rows of a matrix

Sizes rows(int64_t M, int64_t N) { return {{"M", M}, {"N", N}}; }

/// A row of a matrix.
llvm::ArrayRef<float> row_of(const std::vector<float>& matrix, int64_t row, int64_t length) {
  return {matrix.data() + row * length, static_cast<size_t>(length)};
}

double softmax_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N");
  double sum = 0;
  // Elements are between -1 and 1: no exponential is too large.
  for (const float x : row_of(inputs.at("X"), element / N, N)) sum += std::exp(double{x});
  return std::exp(double{inputs.at("X")[element]}) / sum;
}

double layernorm_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N"), column = element % N;
  const llvm::ArrayRef<float> row = row_of(inputs.at("X"), element / N, N);
  double sum = 0, squares = 0;
  for (const float x : row) sum += x;
  const double mean = sum / static_cast<double>(N);
  for (const float x : row) squares += (x - mean) * (x - mean);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(N) + 1e-5);
  return (row[column] - mean) * scale * inputs.at("gamma")[column] + inputs.at("beta")[column];
}

/// A contest over the rows of X; each byte of X is read once and each of Y written once.
Contest row_contest() {
  Contest contest;
  contest.sizes = [](int64_t length) { return rows(16384, length); };
  contest.problems = {rows(16384, 1024), rows(16384, 8192), rows(16384, 32768)};
  contest.quick_problems = {rows(16384, 1024)};
  contest.edge_problems = {rows(1, 1),    rows(3, 7),    rows(130, 36),
                           rows(5, 1000), rows(2, 1025), rows(7, 4100)};
  contest.inputs = {"X"};
  contest.output = "Y";
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    const bool is_row = tensor == "gamma" || tensor == "beta";
    return is_row ? sizes.at("N") : sizes.at("M") * sizes.at("N");
  };
  contest.work = [](const Sizes& sizes) { return 8.0 * sizes.at("M") * sizes.at("N"); };
  contest.memory_bound = true;
  return contest;
}

Contest softmax_contest() {
  Contest contest = row_contest();
  contest.name = "softmax";
  contest.handwritten = handwritten_softmax;
  contest.reference = softmax_reference;
  return contest;
}

Contest layernorm_contest() {
  Contest contest = row_contest();
  contest.name = "layernorm";
  contest.handwritten = handwritten_layernorm;
  contest.inputs = {"X", "gamma", "beta"};
  contest.reference = layernorm_reference;
  return contest;
}

// ---- to a vector

double rowsum_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  double sum = 0;
  for (const float x : row_of(inputs.at("X"), element, sizes.at("N"))) sum += x;
  return sum;
}

double colsum_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  double sum = 0;
  for (int64_t i = 0; i < M; ++i) sum += inputs.at("X")[i * N + element];
  return sum;
}

double matvec_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N");
  const llvm::ArrayRef<float> row = row_of(inputs.at("A"), element, N);
  return std::inner_product(row.begin(), row.end(), inputs.at("x").begin(), 0.0, std::plus<>(),
                            std::multiplies<double>());
}

/// A contest over a matrix, each byte of which is read once; vectors are short beside it.
Contest vector_contest() {
  Contest contest = row_contest();
  contest.positive = true;
  contest.output = "S";
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    const int64_t M = sizes.at("M"), N = sizes.at("N");
    return tensor == "S" || tensor == "y" ? M : tensor == "x" ? N : M * N;
  };
  contest.work = [](const Sizes& sizes) { return 4.0 * sizes.at("M") * sizes.at("N"); };
  return contest;
}

Contest rowsum_contest() {
  Contest contest = vector_contest();
  contest.name = "rowsum";
  contest.handwritten = handwritten_rowsum;
  contest.reference = rowsum_reference;
  return contest;
}

Contest colsum_contest() {
  Contest contest = vector_contest();
  contest.name = "colsum";
  contest.handwritten = handwritten_colsum;
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    return tensor == "S" ? sizes.at("N") : sizes.at("M") * sizes.at("N");
  };
  contest.reference = colsum_reference;
  return contest;
}

Contest matvec_contest() {
  Contest contest = vector_contest();
  contest.name = "matvec";
  contest.handwritten = handwritten_matvec;
  contest.inputs = {"A", "x"};
  contest.output = "y";
  contest.reference = matvec_reference;
  return contest;
}

// ---- to where the data say

double histogram_reference(const HostTensors& inputs, const Sizes&, int64_t element) {
  const auto count = llvm::count(inputs.at("data"), static_cast<float>(element));
  return static_cast<double>(count);
}

Contest histogram_contest() {
  Contest contest = reduce_contest();
  contest.name = "histogram";
  contest.handwritten = handwritten_histogram;
  contest.problems = {line(int64_t{1} << 20), line(int64_t{1} << 28)};
  contest.edge_problems = {line(1), line(31), line(1000), line(16400), line(100'003)};
  contest.inputs = {"data"};
  contest.input_type = DType::u8;
  contest.library_work = LibraryWork::none;
  contest.output = "H";
  contest.output_type = DType::i32;
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    return tensor == "H" ? int64_t{256} : sizes.at("n");
  };
  contest.reference = histogram_reference;
  contest.samples = 8;  // each goes over all values
  contest.work = [](const Sizes& sizes) { return static_cast<double>(sizes.at("n")); };
  return contest;
}

}  // namespace

std::vector<Contest> reduction_contests() {
  return {reduce_contest(),  dot_contest(),       argmax_contest(),
          softmax_contest(), layernorm_contest(), rowsum_contest(),
          colsum_contest(),  matvec_contest(),    histogram_contest()};
}

}  // namespace hone
