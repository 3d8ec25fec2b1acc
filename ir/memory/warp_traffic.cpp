#include "ir/memory/warp_traffic.h"

#include <bit>

#include "ir/memory/warp_access.h"

namespace hone {
namespace {

bool moves_one_element(const SharedAccess& access, size_t first, uint32_t active) {
  const auto one = static_cast<size_t>(std::countr_zero(active));
  for (size_t lane = one; lane < warp_size; ++lane)
    for (const ThreadValues& index : access.indices)
      if ((active >> lane & 1) != 0 && index.of(first + lane) != index.of(first + one))
        return false;
  return true;
}

}  // namespace

void WarpTraffic::add(const SharedAccess& access) {
  for_each_warp(*access.active, [&](size_t first, uint32_t active) {
    const int64_t bytes = access.elements * size_of(access.tensor->type);
    if (moves_one_element(access, first, active)) {
      one_element_ += bank_counts(active, bytes, [](size_t) { return 0; });
      return;
    }
    Request request{access.elements, active, {}};
    for (size_t lane = 0; lane < warp_size; ++lane)
      for (const ThreadValues& index : access.indices)
        request.indices.push_back((active >> lane & 1) != 0 ? index.of(first + lane) : 0);
    ++times_[request];
  });
}

BankCounts WarpTraffic::counts(const TensorNode& tensor, int64_t most) const {
  const StorageMap map(tensor);
  BankCounts counts = one_element_;
  for (const auto& [request, times] : times_) {
    const llvm::ArrayRef<int64_t> indices(request.indices);
    const size_t rank = tensor.rank();
    const int64_t bytes = size_of(tensor.type);
    const auto address = [&](size_t lane) {
      return map.offset(indices.slice(lane * rank, rank)) * bytes;
    };
    const BankCounts once = bank_counts(request.active, request.elements * bytes, address);
    counts += {once.requests * times, once.wavefronts * times, once.ideal * times};
    if (counts.wavefronts > most) break;
  }
  return counts;
}

}  // namespace hone
