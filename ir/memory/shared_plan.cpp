#include "ir/memory/shared_plan.h"

#include "ir/core/layout.h"
#include "ir/memory/liveness.h"
#include "ir/target/alignment.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// Bytes that the lanes of a warp access at once, a word each.
constexpr int64_t warp_bytes = 128;

bool is_small(const TensorNode& tensor) { return storage_bytes(tensor) <= warp_bytes; }

/// The largest number where there is no such number.
int64_t end_of(int64_t address, const TensorNode& tensor) {
  int64_t end;
  return llvm::AddOverflow(address, storage_bytes(tensor), end) ? INT64_MAX : end;
}

/// The lowest address where the tensor meets none of `beside`.
int64_t lowest_address(const TensorNode& tensor, llvm::ArrayRef<const SharedPlace*> beside) {
  for (int64_t address = 0;;) {
    const auto meets = [&](const SharedPlace* other) {
      return address < other->end() && other->address < end_of(address, tensor);
    };
    const auto* met = llvm::find_if(beside, meets);
    if (met == beside.end()) return address;
    if ((*met)->end() > INT64_MAX - widest_alignment) return INT64_MAX;
    address = llvm::alignTo((*met)->end(), alignment_of(tensor));
  }
}

}  // namespace

int64_t storage_bytes(const TensorNode& tensor) {
  int64_t bytes = size_of(tensor.type);
  const auto shape = storage_shape(tensor);
  for (const Expr& extent : within_block(tensor, shape))
    if (llvm::MulOverflow(bytes, *as_int(extent), bytes)) return INT64_MAX;
  return bytes;
}

int64_t SharedPlace::end() const { return end_of(address, *tensor); }

llvm::SmallVector<SharedPlace, 4> plan_shared(const Stmt& body, const Facts& facts) {
  const SharedLiveness liveness(body, facts);
  llvm::SmallVector<SharedPlace, 4> plan;
  for (const TensorPtr& tensor : liveness.tensors()) {
    SharedPlace place{tensor, 0, {}};
    llvm::SmallVector<const SharedPlace*, 4> beside;
    for (size_t n = 0; n < plan.size(); ++n) {
      if (!liveness.meet(plan.size(), n) && !is_small(*tensor) && !is_small(*plan[n].tensor))
        continue;
      place.beside.push_back(n);
      beside.push_back(&plan[n]);
    }
    place.address = lowest_address(*tensor, beside);
    plan.push_back(std::move(place));
  }
  return plan;
}

}  // namespace hone
