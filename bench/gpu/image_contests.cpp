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

// ---- conv2d-nhwc

Sizes images(int64_t batch, int64_t H, int64_t W, int64_t C, int64_t O) {
  Sizes sizes = channels(C, O, H, W);
  sizes["batch"] = batch;
  return sizes;
}

int64_t conv2d_elements(const std::string& tensor, const Sizes& sizes) {
  const int64_t C = sizes.at("C"), O = sizes.at("O");
  if (tensor == "w") return O * 9 * C;
  return sizes.at("batch") * sizes.at("H") * sizes.at("W") * (tensor == "in" ? C : O);
}

/// Channels lie side by side, and zeros around an image.
double conv2d_reference(const HostTensors& inputs, const Sizes& sizes, int64_t element) {
  const int64_t H = sizes.at("H"), W = sizes.at("W"), C = sizes.at("C"), O = sizes.at("O");
  const int64_t o = element % O, x = element / O % W, y = element / O / W % H;
  const float *in = inputs.at("in").data(), *w = inputs.at("w").data();
  double sum = 0;
  for (int64_t tap = 0; tap < 9; ++tap) {
    const int64_t row = y + tap / 3 - 1, column = x + tap % 3 - 1;
    if (row < 0 || row >= H || column < 0 || column >= W) continue;
    const int64_t pixel = element / O + (row - y) * W + column - x;
    for (int64_t c = 0; c < C; ++c)
      sum += double{in[pixel * C + c]} * double{w[(o * 9 + tap) * C + c]};
  }
  return sum;
}

Contest conv2d_contest() {
  Contest contest;
  contest.name = "conv2d-nhwc";
  contest.handwritten = [](const Sizes&) { return std::vector<HandwrittenKernel>(); };
  contest.sizes = [](int64_t length) { return images(32, length, length, 64, 64); };
  contest.problems =
      contest.quick_problems = {images(32, 56, 56, 64, 64), images(32, 28, 28, 128, 256)};
  // Channels are pieces of 16 bytes, or not; images are whole tiles of pixels, or not.
  contest.edge_problems = {images(1, 1, 1, 1, 1),    images(3, 11, 13, 24, 40),
                           images(1, 9, 7, 72, 72),  images(2, 5, 6, 5, 9),
                           images(4, 16, 8, 64, 64), images(9, 12, 20, 16, 136)};
  contest.inputs = {"in", "w"};
  contest.output = "out";
  contest.elements = conv2d_elements;
  contest.reference = conv2d_reference;
  contest.work = [](const Sizes& sizes) {
    return 2.0 * 9 * sizes.at("C") * conv2d_elements("out", sizes);
  };
  contest.input_type = contest.output_type = DType::bf16;
  contest.burst_milliseconds = 2;
  return contest;
}

}  // namespace

std::vector<Contest> image_contests() {
  return {stencil_contest(), convolution_contest(), conv2d_contest()};
}

}  // namespace hone
