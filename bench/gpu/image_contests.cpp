// Contests over images, whose pixels are read by their neighbours.

#include "bench/gpu/contest.h"

namespace hone {
namespace {

// ---- stencil

Sizes image(int64_t H, int64_t W) { return {{"H", H}, {"W", W}}; }

int64_t stencil_elements(const std::string& tensor, const Sizes& sizes) {
  const int64_t H = sizes.at("H"), W = sizes.at("W");
  if (tensor == "w") return 9;
  return tensor == "in" ? (H + 2) * (W + 2) : H * W;
}

/// The weighted sum of the 3 x 3 pixels from (y, x) on.
double weighted(const float* weights, const float* image, int64_t pitch, int64_t y, int64_t x) {
  double sum = 0;
  for (int64_t dy = 0; dy < 3; ++dy)
    for (int64_t dx = 0; dx < 3; ++dx)
      sum += double{weights[dy * 3 + dx]} * double{image[(y + dy) * pitch + x + dx]};
  return sum;
}

double stencil_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t W = sizes.at("W");
  return weighted(inputs.at("w").data(), inputs.at("in").data(), W + 2, element / W, element % W);
}

Contest stencil_contest() {
  Contest contest;
  contest.name = "stencil";
  contest.handwritten = handwritten_stencil;
  contest.sizes = [](int64_t length) { return image(length, length); };
  contest.problems = contest.quick_problems = {image(8192, 8192)};
  contest.edge_problems = {image(1, 1), image(13, 67), image(8, 32), image(33, 31)};
  contest.inputs = {"in", "w"};
  contest.output = "out";
  contest.elements = stencil_elements;
  contest.reference = stencil_reference;
  contest.work = [](const Sizes& sizes) {
    return 4.0 * (stencil_elements("in", sizes) + stencil_elements("out", sizes));
  };
  contest.memory_bound = true;
  return contest;
}

// ---- convolution

Sizes channels(int64_t C, int64_t O, int64_t H, int64_t W) {
  return {{"C", C}, {"O", O}, {"H", H}, {"W", W}};
}

int64_t convolution_elements(const std::string& tensor, const Sizes& sizes) {
  const int64_t C = sizes.at("C"), O = sizes.at("O"), H = sizes.at("H"), W = sizes.at("W");
  if (tensor == "w") return O * C * 9;
  return tensor == "in" ? C * (H + 2) * (W + 2) : O * H * W;
}

double convolution_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t C = sizes.at("C"), H = sizes.at("H"), W = sizes.at("W");
  const int64_t o = element / (H * W), y = element / W % H, x = element % W;
  double sum = 0;
  for (int64_t c = 0; c < C; ++c)
    sum += weighted(&inputs.at("w")[(o * C + c) * 9], &inputs.at("in")[c * (H + 2) * (W + 2)],
                    W + 2, y, x);
  return sum;
}

Contest convolution_contest() {
  Contest contest;
  contest.name = "convolution";
  contest.handwritten = handwritten_convolution;
  contest.sizes = [](int64_t length) { return channels(64, 64, length, length); };
  contest.problems = contest.quick_problems = {channels(64, 64, 256, 256)};
  contest.edge_problems = {channels(1, 1, 1, 1), channels(3, 11, 17, 35), channels(5, 8, 32, 16)};
  contest.inputs = {"in", "w"};
  contest.output = "out";
  contest.elements = convolution_elements;
  contest.reference = convolution_reference;
  contest.work = [](const Sizes& sizes) {
    return 2.0 * 9 * sizes.at("C") * convolution_elements("out", sizes);
  };
  return contest;
}

}  // namespace

std::vector<Contest> image_contests() { return {stencil_contest(), convolution_contest()}; }

}  // namespace hone
