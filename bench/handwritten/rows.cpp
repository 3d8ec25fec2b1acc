#include "bench/handwritten/rows.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {

HandwrittenKernel row_kernel(const char* rung, const char* entry, const std::string& source,
                             std::vector<std::string> tensors, const Sizes& sizes,
                             const RowShape& shape) {
  const std::string constants =
      fmt::format("constexpr int THREADS = {}, ITEMS = {}, LEAST_BLOCKS = {};\n", shape.threads,
                  shape.items, shape.least_blocks);
  return {rung,
          entry,
          constants + source,
          std::move(tensors),
          {"N"},
          {{sizes.at("M"), 1, 1}, {shape.threads, 1, 1}}};
}

HandwrittenLaunch thread_per_row(const char* entry, std::vector<std::string> tensors,
                                 const Sizes& sizes) {
  return {entry, std::move(tensors), {"M", "N"}, {{tiles(sizes.at("M"), 128), 1, 1}, {128, 1, 1}}};
}

std::vector<HandwrittenKernel> handwritten_softmax(const Sizes& sizes) {
  std::vector<HandwrittenKernel> kernels = softmax_by_passes(sizes);
  llvm::append_range(kernels, softmax_in_registers(sizes));
  return kernels;
}

std::vector<HandwrittenKernel> handwritten_layernorm(const Sizes& sizes) {
  std::vector<HandwrittenKernel> kernels = layernorm_by_passes(sizes);
  llvm::append_range(kernels, layernorm_in_registers(sizes));
  kernels.push_back(layernorm_with_shared_weights(sizes));
  return kernels;
}

}  // namespace hone
