#include "examples/exercises/tensor_goals.h"

#include "tools/draw/words.h"

namespace hone {
namespace {

int64_t loads(const Attempt& attempt, AccessClass access_class) {
  return attempt.measured.sum(
      [=](const CountReport& kernel) { return kernel.total(access_class).requests; });
}

}  // namespace

Goal products_by_tensor_cores(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    const int64_t all =
        attempt.measured.sum([](const CountReport& kernel) { return kernel.flops; });
    const int64_t by_tensor_cores =
        attempt.measured.sum([](const CountReport& kernel) { return kernel.tensor_flops; });
    if (by_tensor_cores == all) return "";
    return fmt::format("tensor cores have {} of {} floating point operations",
                       grouped(by_tensor_cores), grouped(all));
  };
  return {"all products by tensor cores", shortfall, hint};
}

Goal shared_loads_at_most(int64_t requests, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t actual = loads(attempt, AccessClass::shared_load);
    if (actual <= requests) return "";
    return fmt::format("warps ask {} times for elements in shared memory", grouped(actual));
  };
  return {fmt::format("at most {} loads from shared memory", grouped(requests)), shortfall, hint};
}

Goal no_global_loads(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    const int64_t actual = loads(attempt, AccessClass::global_load);
    return actual == 0 ? ""
                       : fmt::format("warps make {} loads from global memory", grouped(actual));
  };
  return {"no thread loads from global memory", shortfall, hint};
}

}  // namespace hone
