// Many matrix products in a launch.

#include "bench/gpu/contest.h"

namespace hone {
namespace {

Sizes batched(int64_t batch, Sizes sizes) {
  sizes["batch"] = batch;
  return sizes;
}

double batched_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K");
  const int64_t batch = element / (M * N), row = element / N % M, column = element % N;
  return dot({inputs.at("A"), (batch * M + row) * K, 1},
             {inputs.at("B"), batch * K * N + column, N}, K);
}

Contest batched_contest() {
  Contest contest = product_contest();
  contest.name = "batched";
  contest.handwritten = handwritten_batched;
  contest.sizes = [](int64_t length) { return batched(64, square(length)); };
  contest.problems = contest.quick_problems = {batched(512, square(256))};
  contest.edge_problems = {batched(1, square(1)), batched(3, {{"M", 67}, {"N", 131}, {"K", 45}}),
                           batched(5, {{"M", 32}, {"N", 33}, {"K", 129}}),
                           batched(2, {{"M", 66}, {"N", 132}, {"K", 36}})};
  contest.elements = [](const std::string& tensor, const Sizes& sizes) {
    return sizes.at("batch") * elements(tensor, sizes);
  };
  contest.reference = batched_reference;
  contest.work = [](const Sizes& sizes) { return sizes.at("batch") * operations(sizes); };
  return contest;
}

Contest hgemm_batched_contest() {
  Contest contest = batched_contest();
  const Contest single = hgemm_contest();
  contest.name = "hgemm-batched";
  contest.handwritten = single.handwritten;
  contest.library_work = single.library_work;
  contest.problems = contest.quick_problems = {batched(64, square(512))};
  contest.input_type = contest.output_type = DType::bf16;
  contest.burst_milliseconds = single.burst_milliseconds;
  return contest;
}

constexpr int64_t tile_rows = 128;

/// Tiles of rows, each of a group.
Sizes grouped(int64_t tiles, int64_t groups, int64_t N, int64_t K) {
  return {{"tiles", tiles}, {"groups", groups}, {"M", tile_rows}, {"N", N}, {"K", K}};
}

double grouped_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K");
  const int64_t row = element / N, column = element % N;
  const auto group = static_cast<int64_t>(inputs.at("group_of")[static_cast<size_t>(row / M)]);
  return dot({inputs.at("A"), row * K, 1}, {inputs.at("B"), group * K * N + column, N}, K);
}

int64_t elements_of_groups(const std::string& tensor, const Sizes& sizes) {
  if (tensor == "group_of") return sizes.at("tiles");
  return sizes.at(tensor == "B" ? "groups" : "tiles") * elements(tensor, sizes);
}

Contest hgemm_grouped_contest() {
  Contest contest = hgemm_batched_contest();
  contest.name = "hgemm-grouped";
  contest.library_work = LibraryWork::none;
  contest.sizes = [](int64_t length) {
    return grouped(std::max<int64_t>(length / tile_rows, 1), 8, length, length);
  };
  contest.problems =
      contest.quick_problems = {grouped(128, 64, 2048, 4096), grouped(64, 8, 4096, 4096)};
  contest.edge_problems = {grouped(1, 1, 1, 1), grouped(3, 2, 264, 72), grouped(5, 3, 33, 129)};
  contest.inputs.push_back("group_of");
  contest.indices = {{"group_of", "groups"}};
  contest.elements = elements_of_groups;
  contest.reference = grouped_reference;
  contest.work = [](const Sizes& sizes) { return sizes.at("tiles") * operations(sizes); };
  return contest;
}

}  // namespace

std::vector<Contest> batched_contests() {
  return {batched_contest(), hgemm_batched_contest(), hgemm_grouped_contest()};
}

}  // namespace hone
