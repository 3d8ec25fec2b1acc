#include "bench/gpu/library.h"

#include "bench/gpu/cublas.h"
#include "llvm/Support/ErrorHandling.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/shared_library.h"

namespace hone {
namespace {

using CubSum = const char*(void* workspace, size_t* workspace_bytes, const float* A, float* S,
                           long long n);

void check(const char* problem) {
  if (problem) throw RuntimeError("CUB's sum: {}", problem);
}

/// The sum of A.
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

/// "13.1.0", by the function that gives the numbers of a version one by one; empty without it.
std::string version_of(const std::string& path, const char* function) {
  using GetProperty = int(int property, int* value);
  auto* get = reinterpret_cast<GetProperty*>(SharedLibrary::open(path).find(function));
  int numbers[3] = {};
  for (int property = 0; property < 3; ++property)
    if (!get || get(property, &numbers[property]) != 0) return "";
  return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

}  // namespace

const char* Library::option() const {
  switch (kind) {
    case Kind::cub:
      return "--cub";
    case Kind::cublas:
      return "--cublas";
    case Kind::cublaslt:
      return "--cublaslt";
  }
  llvm_unreachable("no such library");
}

const char* Library::side() const { return kind == Kind::cublaslt ? "lt" : option() + 2; }

bool Library::is_comparable(const Contest& contest) const {
  switch (contest.library_work) {
    case LibraryWork::none:
      return false;
    case LibraryWork::sum:
      return kind == Kind::cub;
    case LibraryWork::product:
    case LibraryWork::transposed_product:
      return kind != Kind::cub;
    case LibraryWork::scaled_product:
    case LibraryWork::activated_product:
      return kind == Kind::cublaslt;
  }
  llvm_unreachable("no such work");
}

std::string Library::describe() const {
  if (kind == Kind::cub) return path;
  const std::string version =
      version_of(path, kind == Kind::cublas ? "cublasGetProperty" : "cublasLtGetProperty");
  return version.empty() ? path : version + ", " + path;
}

std::vector<Contender> library_contenders(const Library& library, const Contest& contest,
                                          const Sizes& sizes, const Target& target) {
  switch (library.kind) {
    case Library::Kind::cub:
      return {cub_contender(library.path, sizes, target)};
    case Library::Kind::cublas:
      return {cublas_contender(library.path, contest, sizes, target)};
    case Library::Kind::cublaslt:
      return cublaslt_contenders(library.path, contest, sizes, target);
  }
  llvm_unreachable("no such library");
}

}  // namespace hone
