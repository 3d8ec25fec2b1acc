#include "ir/memory/banks.h"

#include <map>

#include "ir/memory/warp_access.h"

namespace hone {

BankCounts& BankCounts::operator+=(const BankCounts& other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  return *this;
}

void for_each_warp(llvm::ArrayRef<uint8_t> active,
                   llvm::function_ref<void(size_t first, uint32_t active)> use) {
  for (size_t first = 0; first < active.size(); first += warp_size) {
    uint32_t lanes = 0;
    for (size_t lane = 0; lane < warp_size && first + lane < active.size(); ++lane)
      if (active[first + lane] != 0) lanes |= uint32_t{1} << lane;
    if (lanes != 0) use(first, lanes);
  }
}

BankCounts bank_counts(uint32_t active, int64_t bytes,
                       llvm::function_ref<int64_t(size_t lane)> address) {
  BankCounts counts;
  WarpAccess warp;
  warp.active = active;
  warp.width = static_cast<int>(std::min<int64_t>(bytes, widest_access));
  for (size_t lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) warp.addresses[lane] = address(lane);
  for (int64_t moved = 0; moved < bytes; moved += warp.width) {
    const Wavefronts wavefronts = count_wavefronts(warp);
    counts += {1, wavefronts.actual, wavefronts.ideal};
    for (int64_t& start : warp.addresses) start += warp.width;
  }
  return counts;
}

BankCounts bank_counts(const SharedAccess& access, const StorageMap& map) {
  const int64_t element = size_of(access.tensor->type);
  BankCounts counts;
  for_each_warp(*access.active, [&](size_t first, uint32_t active) {
    counts += bank_counts(active, element * access.elements, [&](size_t lane) {
      return map.offset(access.indices, first + lane) * element;
    });
  });
  return counts;
}

std::optional<std::vector<AccessBanks>> access_banks(const Stmt& stmt,
                                                     const BlockOfThreads& block) {
  std::vector<AccessBanks> result;
  std::map<const TensorNode*, StorageMap> maps;
  const AccessWalk walk = for_each_shared_access(stmt, block, [&](const SharedAccess& access) {
    const StorageMap& map = maps.try_emplace(access.tensor.get(), *access.tensor).first->second;
    const int64_t bytes = size_of(access.tensor->type) * access.elements;
    auto place = llvm::find_if(result, [&](const AccessBanks& other) {
      return other.statement.same_as(access.statement) && other.tensor == access.tensor &&
             other.writes == access.writes && other.bytes == bytes;
    });
    if (place == result.end())
      place = result.insert(place, {access.statement, access.tensor, access.writes, bytes, {}});
    place->counts += bank_counts(access, map);
  });
  return walk == AccessWalk::whole ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace hone
