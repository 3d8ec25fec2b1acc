// GPUs by name. They are data: the shipped ones are those of runtime/model/gpus.json, and users add
// files of their own. docs/gpus.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// The units that compute, each with a peak.
enum class Arithmetic : uint8_t {
  fp32,    ///< of single precision
  fp64,    ///< of double precision
  tensor,  ///< tensor cores
  int8,    ///< tensor cores, of products of int8
  tf32,    ///< tensor cores, of products of tf32
  fp8,     ///< tensor cores, of products of floats of 8 bits
};
/// "fp32", "fp64", "tensor cores", "tensor cores, int8"
llvm::StringRef name(Arithmetic arithmetic);
inline bool is_of_tensor_cores(Arithmetic arithmetic) { return arithmetic >= Arithmetic::tensor; }

/// Bytes that a multiprocessor takes from L2 in a clock.
inline constexpr int l2_bytes_of_sm = 64;

/// The peaks of a GPU at its highest clock.
struct Gpu {
  std::string name;  ///< "H100 SXM"
  std::string arch;  ///< "sm_90"
  int multiprocessors;
  int fp32_per_clock;  ///< operations of a multiprocessor: a fused multiply-add is one
  double clock_ghz;
  double fp32_tflops;          ///< as stated; a fused multiply-add is two
  double dram_gb_per_s;        ///< 10^9 bytes
  int l2_bytes_per_clock = 0;  ///< of the whole L2, where it is stated; 0: what all SMs can take
  double l2_mb = 0;            ///< of 2^20 bytes; 0 where it is not known
  double fp64_tflops = 0;      ///< as fp32_tflops; 0 where it is not known
  /// Of tensor cores, without sparsity: products of floats of 16 bits with sums in single
  /// precision. 0 where it is not known. Products of tf32 take twice as long, and those of floats
  /// of 8 bits half as long.
  double tensor_tflops = 0;
  double tensor_int8_tops = 0;            ///< the same of int8, with sums in int32
  std::vector<std::string> devices = {};  ///< names that the driver has for it: "NVIDIA H200"

  /// Between L2 and the L1 caches: 64 bytes per clock and multiprocessor, or less where L2 has
  /// less.
  double l2_gb_per_s() const;
  /// Of shared memory: a wavefront of 128 bytes per clock and multiprocessor.
  double shared_gb_per_s() const;
  /// 0 where it is not known.
  double tflops(Arithmetic arithmetic) const;
  /// FLOPs per byte of DRAM where the two roofs meet.
  double ridge(Arithmetic arithmetic = Arithmetic::fp32) const {
    return tflops(arithmetic) * 1e3 / dram_gb_per_s;
  }
};

/// The GPUs of a text in the format of docs/gpus.md. Throws RuntimeError that names `origin`, the
/// GPU and the field where it is something else.
std::vector<Gpu> parse_gpus(llvm::StringRef text, llvm::StringRef origin);
/// Those of a file. Throws RuntimeError where it cannot be read, too.
std::vector<Gpu> read_gpus(const std::string& path);

/// The shipped ones, and those of the files that HONE_GPUS names, with ':' between them: one of a
/// name that is known takes its place. Throws as read_gpus does.
llvm::ArrayRef<Gpu> known_gpus();

/// "H100 SXM", "h100-sxm", "NVIDIA H100 SXM": case does not matter, nor do spaces, '-' and '_'. A
/// word of the name does where no other GPU has it: "4090". Throws RuntimeError that lists the
/// known ones, or those that the word may mean.
const Gpu& find_gpu(llvm::StringRef name);

/// The GPU whose driver calls it so; null where none is known.
const Gpu* gpu_of_device(llvm::StringRef device);
/// Its name, "H200 SXM" of the driver's "NVIDIA H200"; the driver's own where none is known.
std::string gpu_name(llvm::StringRef device);

}  // namespace hone
