#include "runtime/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

constexpr int l2_bytes_of_sm = 64, wavefront_bytes = 128;

constexpr Gpu gpus[] = {
    // Turing whitepaper (TU104), T4 datasheet: 8.1 TFLOPS, 320 GB/s.
    {"T4", "sm_75", 40, 64, 1.59, 8.1, 320},
    // A100 whitepaper: 1410 MHz, 5120 bytes per clock of L2; A100 datasheet: 19.5 TFLOPS, 1555 and
    // 2039 GB/s.
    {"A100 SXM 40GB", "sm_80", 108, 64, 1.41, 19.5, 1555, 5120},
    {"A100 SXM 80GB", "sm_80", 108, 64, 1.41, 19.5, 2039, 5120},
    // GA102 whitepaper, A10 datasheet: 31.2 TFLOPS, 600 GB/s.
    {"A10", "sm_86", 72, 128, 1.695, 31.2, 600},
    // GA102 whitepaper: 35.6 TFLOPS, 936 GB/s.
    {"RTX 3090", "sm_86", 82, 128, 1.695, 35.6, 936},
    // L4 datasheet: 7424 cores, 30.3 TFLOPS, 300 GB/s.
    {"L4", "sm_89", 58, 128, 2.04, 30.3, 300},
    // L40S datasheet: 18176 cores, 91.6 TFLOPS, 864 GB/s.
    {"L40S", "sm_89", 142, 128, 2.52, 91.6, 864},
    // Ada whitepaper: 82.6 TFLOPS, 1008 GB/s.
    {"RTX 4090", "sm_89", 128, 128, 2.52, 82.6, 1008},
    // H100 whitepaper and datasheet: 51 TFLOPS and 2 TB/s; 67 TFLOPS and 3.35 TB/s. An H100 SXM
    // says itself 132 SMs, 1980 MHz, 5120 bits at 2619 MHz: 3352 GB/s.
    {"H100 PCIe", "sm_90", 114, 128, 1.755, 51.2, 2039},
    {"H100 SXM", "sm_90", 132, 128, 1.98, 66.9, 3352},
    // H200 datasheet: 67 TFLOPS, 4.8 TB/s.
    {"H200 SXM", "sm_90", 132, 128, 1.98, 66.9, 4800},
    // HGX B200 datasheet, an eighth of it: 75 TFLOPS, 8 TB/s.
    {"B200", "sm_100", 148, 128, 1.965, 75, 8000},
    // RTX Blackwell whitepaper: 104.8 TFLOPS, 1792 GB/s.
    {"RTX 5090", "sm_120", 170, 128, 2.407, 104.8, 1792},
};

/// Lower case, only letters and digits, without the maker.
std::string key(llvm::StringRef name) {
  std::string letters;
  for (const char c : name)
    if (llvm::isAlnum(c)) letters += llvm::toLower(c);
  return letters.starts_with("nvidia") ? letters.substr(6) : letters;
}

void check(const char* what, double amount) {
  if (!(amount >= 0) || std::isinf(amount))
    throw RuntimeError("a launch cannot have {} {}", amount, what);
}

}  // namespace

double Gpu::l2_gb_per_s() const {
  const int taken = multiprocessors * l2_bytes_of_sm;
  return clock_ghz * (l2_bytes_per_clock ? std::min(l2_bytes_per_clock, taken) : taken);
}

double Gpu::shared_gb_per_s() const { return clock_ghz * multiprocessors * wavefront_bytes; }

llvm::ArrayRef<Gpu> known_gpus() { return gpus; }

const Gpu& find_gpu(llvm::StringRef name) {
  for (const Gpu& gpu : gpus)
    if (key(gpu.name) == key(name)) return gpu;
  const auto names = llvm::map_range(known_gpus(), [](const Gpu& gpu) { return gpu.name.str(); });
  throw RuntimeError("no GPU {} is known; there are {}", name.str(),
                     fmt::join(names.begin(), names.end(), ", "));
}

llvm::StringRef name(Resource resource) {
  constexpr llvm::StringLiteral names[] = {"fp32", "DRAM", "L2", "shared memory"};
  return names[static_cast<int>(resource)];
}

Bound roofline(const Gpu& gpu, const Work& work) {
  check("FLOPs", work.flops);
  check("bytes of DRAM", work.dram_bytes);
  check("bytes of L2", work.l2_bytes);
  check("wavefronts of shared memory", work.shared_wavefronts);

  Bound bound;
  bound.fp32_seconds = work.flops / (gpu.fp32_tflops * 1e12);
  bound.dram_seconds = work.dram_bytes / (gpu.dram_gb_per_s * 1e9);
  bound.l2_seconds = work.l2_bytes / (gpu.l2_gb_per_s() * 1e9);
  bound.shared_seconds = work.shared_wavefronts * wavefront_bytes / (gpu.shared_gb_per_s() * 1e9);

  const double seconds[] = {bound.fp32_seconds, bound.dram_seconds, bound.l2_seconds,
                            bound.shared_seconds};
  const auto* longest = std::max_element(std::begin(seconds), std::end(seconds));
  bound.resource = static_cast<Resource>(longest - std::begin(seconds));
  bound.seconds = *longest;
  if (bound.seconds > 0) bound.tflops = work.flops / bound.seconds / 1e12;
  bound.intensity =
      work.dram_bytes > 0 ? work.flops / work.dram_bytes : std::numeric_limits<double>::infinity();
  return bound;
}

std::string to_string(const Bound& bound) {
  return fmt::format("at least {:.3g} ms, by {}; {:.3g} TFLOP/s", bound.seconds * 1e3,
                     name(bound.resource).str(), bound.tflops);
}

}  // namespace hone
