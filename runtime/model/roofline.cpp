#include "runtime/model/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmt/format.h"
#include "llvm/Support/ErrorHandling.h"
#include "runtime/error.h"

namespace hone {
namespace {

constexpr int wavefront_bytes = 128;

void check(const char* what, double amount) {
  if (!(amount >= 0) || std::isinf(amount))
    throw RuntimeError("a launch cannot have {} {}", amount, what);
}

void check(const Work& work) {
  check("FLOPs", work.flops);
  check("FLOPs in double precision", work.double_flops);
  check("FLOPs of tensor cores", work.tensor_flops);
  check("times of tensor cores", work.tensor_time);
  check("bytes of DRAM", work.dram_bytes);
  check("bytes of L2", work.l2_bytes);
  check("wavefronts of shared memory", work.shared_wavefronts);
  check("blocks", static_cast<double>(work.blocks));
}

/// Of a GPU that has no more multiprocessors than are at work.
Gpu part_at_work(const Gpu& gpu, const Work& work) {
  Gpu part = gpu;
  part.multiprocessors = at_work(gpu, work.blocks);
  for (double* peak : {&part.fp32_tflops, &part.fp64_tflops, &part.tensor_tflops})
    *peak *= static_cast<double>(part.multiprocessors) / gpu.multiprocessors;
  return part;
}

void add_seconds(Bound& bound, const Gpu& gpu, const Work& work) {
  const double single_flops = work.flops - work.double_flops - work.tensor_flops;
  bound.fp32_seconds += std::max(single_flops, 0.0) / (gpu.fp32_tflops * 1e12);
  if (gpu.fp64_tflops > 0) bound.fp64_seconds += work.double_flops / (gpu.fp64_tflops * 1e12);
  if (gpu.tensor_tflops > 0)
    bound.tensor_seconds += work.tensor_flops * work.tensor_time / (gpu.tensor_tflops * 1e12);
  bound.dram_seconds += work.dram_bytes / (gpu.dram_gb_per_s * 1e9);
  bound.l2_seconds += work.l2_bytes / (gpu.l2_gb_per_s() * 1e9);
  bound.shared_seconds += work.shared_wavefronts * wavefront_bytes / (gpu.shared_gb_per_s() * 1e9);
}

/// Sums over launches.
struct Flops {
  double all = 0, of_doubles = 0, of_tensor_cores = 0;
  double tensor_time = 0;  ///< in FLOPs of floats of 16 bits

  void add(const Work& work) {
    all += work.flops;
    of_doubles += work.double_flops;
    of_tensor_cores += work.tensor_flops;
    tensor_time += work.tensor_flops * work.tensor_time;
  }
};

/// The arithmetic of more than half of the FLOPs; single precision where there is none.
Arithmetic most_of(const Flops& flops) {
  if (2 * flops.of_doubles > flops.all) return Arithmetic::fp64;
  if (2 * flops.of_tensor_cores <= flops.all) return Arithmetic::fp32;
  const double time = flops.tensor_time / flops.of_tensor_cores;
  return time > 1.5 ? Arithmetic::tf32 : time < 0.75 ? Arithmetic::fp8 : Arithmetic::tensor;
}

/// Behind "of the peak".
const char* peak_text(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return "";
    case Arithmetic::fp64:
      return " in double precision";
    case Arithmetic::tensor:
    case Arithmetic::int8:
    case Arithmetic::tf32:
    case Arithmetic::fp8:
      return " of tensor cores";
  }
  llvm_unreachable("unknown arithmetic");
}

}  // namespace

double Gpu::tflops(Arithmetic arithmetic) const {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return fp32_tflops;
    case Arithmetic::fp64:
      return fp64_tflops;
    case Arithmetic::tensor:
      return tensor_tflops;
    case Arithmetic::int8:
      return tensor_int8_tops;
    case Arithmetic::tf32:
      return tensor_tflops / 2;
    case Arithmetic::fp8:
      return tensor_tflops * 2;
  }
  llvm_unreachable("unknown arithmetic");
}

llvm::StringRef name(Arithmetic arithmetic) {
  constexpr llvm::StringLiteral names[] = {"fp32",
                                           "fp64",
                                           "tensor cores",
                                           "tensor cores, int8",
                                           "tensor cores, tf32",
                                           "tensor cores, fp8"};
  return names[static_cast<int>(arithmetic)];
}

double Gpu::l2_gb_per_s() const {
  const int taken = multiprocessors * l2_bytes_of_sm;
  return clock_ghz * (l2_bytes_per_clock ? std::min(l2_bytes_per_clock, taken) : taken);
}

double Gpu::shared_gb_per_s() const { return clock_ghz * multiprocessors * wavefront_bytes; }

llvm::StringRef name(Resource resource) {
  constexpr llvm::StringLiteral names[] = {"fp32", "fp64", "tensor cores",
                                           "DRAM", "L2",   "shared memory"};
  return names[static_cast<int>(resource)];
}

int at_work(const Gpu& gpu, int64_t blocks) {
  const int64_t all = gpu.multiprocessors;
  return static_cast<int>(blocks == 0 ? all : std::min(blocks, all));
}

Bound roofline(const Gpu& gpu, llvm::ArrayRef<Work> launches) {
  Bound bound;
  Flops flops;
  double dram_bytes = 0;
  for (const Work& work : launches) {
    check(work);
    add_seconds(bound, part_at_work(gpu, work), work);
    flops.add(work);
    dram_bytes += work.dram_bytes;
  }
  bound.arithmetic = most_of(flops);
  const double seconds[] = {bound.fp32_seconds, bound.fp64_seconds, bound.tensor_seconds,
                            bound.dram_seconds, bound.l2_seconds,   bound.shared_seconds};
  const auto* longest = std::max_element(std::begin(seconds), std::end(seconds));
  bound.resource = static_cast<Resource>(longest - std::begin(seconds));
  bound.seconds = *longest;
  if (bound.seconds > 0) bound.tflops = flops.all / bound.seconds / 1e12;
  bound.intensity =
      dram_bytes > 0 ? flops.all / dram_bytes : std::numeric_limits<double>::infinity();
  return bound;
}

std::optional<double> Bound::share_of_peak(const Gpu& gpu) const {
  const double peak = gpu.tflops(arithmetic);
  return peak > 0 ? std::optional(tflops / peak) : std::nullopt;
}

std::string to_string(const Bound& bound, const Gpu& gpu) {
  std::string text =
      fmt::format("at least {:.3g} ms, by {}", bound.seconds * 1e3, name(bound.resource).str());
  if (bound.tflops <= 0) return text;
  text += fmt::format("; at most {:.3g} TFLOP/s", bound.tflops);
  const auto share = bound.share_of_peak(gpu);
  if (share)
    text += fmt::format(", {:.3g} % of the peak{}", 100 * *share, peak_text(bound.arithmetic));
  if (std::isinf(bound.intensity)) return text;
  text += fmt::format("; {:.3g} FLOP per byte of DRAM", bound.intensity);
  if (share) text += fmt::format(", and {:.3g} where the roofs meet", gpu.ridge(bound.arithmetic));
  return text;
}

}  // namespace hone
