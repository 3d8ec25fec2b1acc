#include "tools/cli/explain/speed_costs.h"

#include <algorithm>

namespace hone {
namespace {

constexpr double bytes_of_sector = 32, sectors_of_line = 4, schedulers = 4;
/// Of an atomic update of one lane.
constexpr double global_update = 2, shared_update = 0.25;

struct Sectors {
  double filled, others;  ///< with bytes that are asked for, and beyond that
};

double passes(const MemoryCounts& counts) { return static_cast<double>(counts.passes()); }

Sectors sectors_of(const MemoryCounts& counts) {
  const auto all = static_cast<double>(counts.sectors);
  const double filled = std::min(all, static_cast<double>(counts.lane_bytes()) / bytes_of_sector);
  return {filled, all - filled};
}

double least_passes(const MemoryCounts& counts) {
  return std::max(static_cast<double>(counts.requests),
                  sectors_of(counts).filled / sectors_of_line);
}

double lanes_of(const MemoryCounts& counts) { return static_cast<double>(counts.bytes) / 4; }

}  // namespace

double access_cost(AccessClass access_class, const MemoryCounts& counts) {
  const auto [filled, others] = sectors_of(counts);
  switch (access_class) {
    case AccessClass::global_load:
      return passes(counts);
    case AccessClass::global_store:
      return passes(counts) + filled + 2 * others;
    case AccessClass::shared_load:
    case AccessClass::shared_store:
      return static_cast<double>(counts.wavefronts + counts.bank_conflicts());
    case AccessClass::global_atomic:
      return global_update * lanes_of(counts);
    case AccessClass::shared_atomic:
      return shared_update * lanes_of(counts);
  }
  llvm_unreachable("unknown class of accesses");
}

double least_cost(AccessClass access_class, const MemoryCounts& counts) {
  switch (access_class) {
    case AccessClass::global_load:
      return least_passes(counts);
    case AccessClass::global_store:
      return least_passes(counts) + sectors_of(counts).filled;
    case AccessClass::shared_load:
    case AccessClass::shared_store:
      return static_cast<double>(counts.ideal_wavefronts);
    case AccessClass::global_atomic:
    case AccessClass::shared_atomic:
      return access_cost(access_class, counts);
  }
  llvm_unreachable("unknown class of accesses");
}

double instruction_cost(double warps) { return warps / schedulers; }

double double_cost(double operations, const Gpu& gpu) {
  if (gpu.fp64_tflops <= 0) return 0;
  const double in_a_clock = gpu.fp64_tflops * 1e3 / (gpu.clock_ghz * gpu.multiprocessors);
  constexpr double issued_in_a_clock = 2 * 32 * schedulers;
  return std::max(operations / in_a_clock - operations / issued_in_a_clock, 0.0);
}

double tensor_cost(double operations, const Gpu& gpu) {
  if (gpu.tensor_tflops <= 0) return 0;
  return operations * gpu.clock_ghz * gpu.multiprocessors / (gpu.tensor_tflops * 1e3);
}

double dram_cost(double bytes, const Gpu& gpu) {
  return bytes * gpu.clock_ghz * gpu.multiprocessors / gpu.dram_gb_per_s;
}

double latency_factor(double bytes_in_flight, const Gpu& gpu) {
  constexpr double nanoseconds = 700, share = 0.25, most = 10;
  const double enough = gpu.dram_gb_per_s * nanoseconds / gpu.multiprocessors;
  return bytes_in_flight <= 0 ? 1 : std::min(1 + share * enough / bytes_in_flight, most);
}

}  // namespace hone
