#include "codegen/emit/cuda_cluster.h"

#include "fmt/format.h"

namespace hone {
namespace {

constexpr const char* address_in_cluster = R"(
// The element of shared memory in that block of the cluster.
template <class T>
static __device__ T* of_block(T* element, unsigned block) {
  unsigned long long address;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(element), "r"(block));
  return reinterpret_cast<T*>(address);
}
)";

}  // namespace

std::string cuda_cluster_dims(const KernelFunction& kernel) {
  return kernel.cluster == 1 ? "" : fmt::format(" __cluster_dims__({}, 1, 1)", kernel.cluster);
}

std::string cuda_in_block(const std::string& address, const std::string& block) {
  return fmt::format("of_block({}, {})", address, block);
}

std::string cuda_cluster_helpers(llvm::StringRef statements) {
  return statements.contains("of_block(") ? address_in_cluster : "";
}

}  // namespace hone
