#include "ir/target/alignment.h"

#include "fmt/format.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

int64_t alignment_of(const TensorNode& tensor) {
  return std::max(vector_alignment, tensor.alignment);
}

std::optional<std::string> alignment_problem(const TensorNode& tensor) {
  const int64_t bytes = tensor.alignment;
  if (bytes == 0) return std::nullopt;
  if (tensor.scope != Scope::shared)
    return fmt::format("it is @{}, and only @shared has addresses to choose",
                       name(tensor.scope).str());
  if (bytes < 0 || !llvm::isPowerOf2_64(static_cast<uint64_t>(bytes)))
    return fmt::format("{} is no power of two", bytes);
  if (bytes > widest_alignment)
    return fmt::format("{} is more than {}, the most that anything needs", bytes, widest_alignment);
  return std::nullopt;
}

}  // namespace hone
