// The roofline of named GPUs: how long a launch must take at least, and which resource says so.
// Pure arithmetic; peaks are those that NVIDIA states, which no kernel quite reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/model/gpus.h"

namespace hone {

/// The work of a launch, over all threads.
struct Work {
  double flops = 0;         ///< a fused multiply-add is two
  double double_flops = 0;  ///< of these in double precision
  double tensor_flops = 0;  ///< of these by tensor cores
  /// Of one of these, in parts of one of floats of 16 bits: 2 of tf32, 1/2 of floats of 8 bits.
  double tensor_time = 1;
  double dram_bytes = 0;         ///< read and written
  double l2_bytes = 0;           ///< between L2 and the L1 caches: 32 for each sector
  double shared_wavefronts = 0;  ///< passes of shared memory, bank conflicts included
  int64_t blocks = 0;            ///< no more multiprocessors are at work; 0: all are
};

enum class Resource : uint8_t { fp32, fp64, tensor, dram, l2, shared };
/// "fp32", "fp64", "tensor cores", "DRAM", "L2", "shared memory"
llvm::StringRef name(Resource resource);

/// Seconds that each resource needs if it never waits; the launch takes at least the largest.
struct Bound {
  /// Those of fp64 and of tensor cores are 0 where their peak is not known.
  double fp32_seconds = 0, fp64_seconds = 0, tensor_seconds = 0;
  double dram_seconds = 0, l2_seconds = 0, shared_seconds = 0;
  Resource resource = Resource::fp32;  ///< that needs most; of equals the first
  double seconds = 0;                  ///< that it needs
  double tflops = 0;                   ///< of the launch if it takes no longer; 0 without work
  double intensity = 0;                ///< FLOPs per byte of DRAM; infinite without bytes
  /// The arithmetic of more than half of the FLOPs; single precision where there is none.
  Arithmetic arithmetic = Arithmetic::fp32;

  /// 0 to 1, of the peak of its arithmetic; nothing where that is not known.
  std::optional<double> share_of_peak(const Gpu& gpu) const;
};

/// The multiprocessors that work of so many blocks keeps at work; all for 0.
int at_work(const Gpu& gpu, int64_t blocks);

/// Of launches one after the other, each of the resources of the multiprocessors that it keeps at
/// work. Throws RuntimeError where an amount of work is negative or not a number.
Bound roofline(const Gpu& gpu, llvm::ArrayRef<Work> launches);

/// "at least 0.0321 ms, by fp32; at most 67 TFLOP/s, 100 % of the peak; 42.7 FLOP per byte of DRAM,
/// and 20 where the roofs meet"; of doubles "of the peak in double precision", of tensor cores "of
/// the peak of tensor cores"
std::string to_string(const Bound& bound, const Gpu& gpu);

}  // namespace hone
