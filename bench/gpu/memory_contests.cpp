// Contests without reuse: each byte moves once.

#include "bench/gpu/contest.h"

namespace hone {
namespace {

double combine_reference(const HostTensors& inputs, const Sizes&, int64_t element) {
  const double a = inputs.at("A")[element];
  const double b = inputs.at("B")[element];
  return inputs.at("C")[element] / (a * a + b * b + 1);
}

Sizes line(int64_t length) { return {{"n", length}, {"W", 8192}}; }

double transpose_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  return inputs.at("A")[element % M * N + element / M];
}

Sizes rectangle(int64_t M, int64_t N) { return {{"M", M}, {"N", N}}; }

}  // namespace

Contest combine_contest() {
  Contest contest;
  contest.name = "combine";
  contest.handwritten = handwritten_combine;
  contest.sizes = line;
  contest.problems = contest.quick_problems = {line(int64_t{64} << 20)};
  contest.edge_problems = {
      {{"n", 1}, {"W", 7}}, {{"n", 1009}, {"W", 37}}, {{"n", 4100}, {"W", 100}}};
  contest.inputs = {"A", "B", "C"};
  contest.output = "D";
  contest.elements = [](const std::string&, const Sizes& sizes) { return sizes.at("n"); };
  contest.reference = combine_reference;
  contest.work = [](const Sizes& sizes) { return 16.0 * sizes.at("n"); };
  contest.memory_bound = true;
  return contest;
}

Contest transpose_contest() {
  Contest contest;
  contest.name = "transpose";
  contest.handwritten = handwritten_transpose;
  contest.sizes = [](int64_t length) { return rectangle(length, length); };
  contest.problems = {rectangle(4096, 4096), rectangle(16384, 8192), rectangle(16384, 16384)};
  contest.quick_problems = {rectangle(4096, 4096)};
  contest.edge_problems = {rectangle(1, 1), rectangle(67, 129), rectangle(1, 300),
                           rectangle(132, 76), rectangle(4, 260)};
  contest.inputs = {"A"};
  contest.output = "B";
  contest.elements = [](const std::string&, const Sizes& sizes) {
    return sizes.at("M") * sizes.at("N");
  };
  contest.reference = transpose_reference;
  contest.work = [](const Sizes& sizes) { return 8.0 * sizes.at("M") * sizes.at("N"); };
  contest.memory_bound = true;
  return contest;
}

}  // namespace hone
