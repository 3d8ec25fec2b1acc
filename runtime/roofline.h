// The roofline of named GPUs: how long a launch must take at least, and which resource says so.
// Pure arithmetic; peaks are those that NVIDIA states, which no kernel quite reaches.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// The peaks of a GPU at its highest clock.
struct Gpu {
  llvm::StringLiteral name;  ///< "H100 SXM"
  llvm::StringLiteral arch;  ///< "sm_90"
  int multiprocessors;
  int fp32_per_clock;  ///< operations of a multiprocessor: a fused multiply-add is one
  double clock_ghz;
  double fp32_tflops;          ///< as stated; a fused multiply-add is two
  double dram_gb_per_s;        ///< 10^9 bytes
  int l2_bytes_per_clock = 0;  ///< of the whole L2, where it is stated; 0: what all SMs can take

  /// Between L2 and the L1 caches: 64 bytes per clock and multiprocessor, or less where L2 has
  /// less.
  double l2_gb_per_s() const;
  /// Of shared memory: a wavefront of 128 bytes per clock and multiprocessor.
  double shared_gb_per_s() const;
  /// FLOPs per byte of DRAM where the two roofs meet.
  double ridge() const { return fp32_tflops * 1e3 / dram_gb_per_s; }
};

llvm::ArrayRef<Gpu> known_gpus();

/// "H100 SXM", "h100-sxm", "NVIDIA H100 SXM": case does not matter, nor do spaces, '-' and '_'.
/// Throws RuntimeError that lists the known ones.
const Gpu& find_gpu(llvm::StringRef name);

/// What a launch does, over all threads.
struct Work {
  double flops = 0;              ///< in single precision; a fused multiply-add is two
  double dram_bytes = 0;         ///< read and written
  double l2_bytes = 0;           ///< between L2 and the L1 caches: 32 for each sector
  double shared_wavefronts = 0;  ///< passes of shared memory, bank conflicts included
};

enum class Resource : uint8_t { fp32, dram, l2, shared };
/// "fp32", "DRAM", "L2", "shared memory"
llvm::StringRef name(Resource resource);

/// Seconds that each resource needs if it never waits; the launch takes at least the largest.
struct Bound {
  double fp32_seconds = 0, dram_seconds = 0, l2_seconds = 0, shared_seconds = 0;
  Resource resource = Resource::fp32;  ///< that needs most; of equals the first
  double seconds = 0;                  ///< that it needs
  double tflops = 0;                   ///< of the launch if it takes no longer; 0 without work
  double intensity = 0;                ///< FLOPs per byte of DRAM; infinite without bytes
};

/// Throws RuntimeError where an amount of work is negative or not a number.
Bound roofline(const Gpu& gpu, const Work& work);

/// "at least 0.0321 ms, by fp32; 67 TFLOP/s": the time with three digits.
std::string to_string(const Bound& bound);

}  // namespace hone
