#include "bench/gpu/contest.h"

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

int64_t matmul_elements(const std::string& tensor, const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K");
  if (tensor == "A") return M * K;
  return tensor == "B" ? K * N : M * N;
}

double matmul_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t N = sizes.at("N"), K = sizes.at("K");
  const float* a = &inputs.at("A")[element / N * K];
  const float* b = &inputs.at("B")[element % N];
  double sum = 0;
  for (int64_t k = 0; k < K; ++k) sum += double{a[k]} * double{b[k * N]};
  return sum;
}

Contest matmul_contest() {
  Contest contest;
  contest.ladder = matmul_ladder();
  contest.handwritten = handwritten_matmul;
  contest.sizes = [](int64_t length) { return Sizes{{"M", length}, {"N", length}, {"K", length}}; };
  contest.lengths = {512, 1024, 2048, 4096};
  contest.quick_lengths = {512, 1024};
  contest.inputs = {"A", "B"};
  contest.output = "C";
  contest.elements = matmul_elements;
  contest.reference = matmul_reference;
  return contest;
}

double combine_reference(const HostTensors& inputs, const Sizes&, int64_t element) {
  const double a = inputs.at("A")[element];
  const double b = inputs.at("B")[element];
  return inputs.at("C")[element] / (a * a + b * b + 1);
}

Contest combine_contest() {
  Contest contest;
  contest.ladder = combine_ladder();
  contest.handwritten = handwritten_combine;
  contest.sizes = [](int64_t length) { return Sizes{{"n", length}, {"W", 8192}}; };
  contest.lengths = contest.quick_lengths = {int64_t{64} << 20};
  contest.inputs = {"A", "B", "C"};
  contest.output = "D";
  contest.elements = [](const std::string&, const Sizes& sizes) { return sizes.at("n"); };
  contest.reference = combine_reference;
  contest.memory_bound = true;
  return contest;
}

}  // namespace

std::vector<Contest> all_contests() { return {matmul_contest(), combine_contest()}; }

}  // namespace hone
