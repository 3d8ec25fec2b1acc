#include "bench/gpu/library.h"

#include "runtime/cuda/cuda_driver.h"
#include "runtime/shared_library.h"

namespace hone {
namespace {

using CubSum = const char*(void* workspace, size_t* workspace_bytes, const float* A, float* S,
                           long long n);

void check(const char* problem) {
  if (problem) throw RuntimeError("CUB's sum: {}", problem);
}

}  // namespace

Contender cub_contender(const std::string& path, const Sizes& sizes, const Target& target) {
  CubSum* const sum = SharedLibrary::open(path).function<CubSum>("cub_sum");
  const int64_t n = sizes.at("n");
  size_t bytes = 0;
  target.device.context().enter();  // CUB works in the context of the calling thread
  check(sum(nullptr, &bytes, nullptr, nullptr, n));

  Stage stage{{"cub::DeviceReduce::Sum", {"workspace", "A", "S"}, {}, {}}};
  stage.call = [sum, bytes, n](llvm::ArrayRef<void*> tensors) {
    size_t size = bytes;
    check(sum(tensors[0], &size, static_cast<float*>(tensors[1]), static_cast<float*>(tensors[2]),
              n));
  };
  Contender contender;
  contender.stages.push_back(std::move(stage));
  contender.temporaries = {{"workspace", tiles(static_cast<int64_t>(bytes), 4)}};
  return contender;
}

}  // namespace hone
