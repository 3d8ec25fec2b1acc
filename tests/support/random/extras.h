// Features that random programs and schedules may have beyond the plain ones.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace hone {

enum class Extra : uint8_t {
  sizes,       ///< extents of 0 and 1, primes, one more or less than a tile
  types,       ///< bf16, i8 and bool, and inputs of tf32 and floats of 8 bits
  scatters,    ///< H(bin(k)) = sum(k, 1)
  gathers,     ///< A(at(i))
  products,    ///< A((i * j) % 5), select(i * i * i < 100, ...), beyond 32 bits too
  scalars,     ///< S() = sum({a, b, c}, ...)
  outputs,     ///< definitions that do not depend on each other
  names,       ///< words of C, CUDA and libc
  combines,    ///< reduction axes over threads and blocks, inside one another
  indices,     ///< one index of the device for several loops
  write_outs,  ///< nests written out, and bound one by one
  in_places,   ///< C(i) += sum(k, ...), outputs that other definitions read
  functions,   ///< floor and its like; bits of integers
  elements,    ///< tiles of some of the accesses to a tensor
  fusions,     ///< tiles in registers along fused axes
  units,       ///< loops over lanes and warps, several axes at once
  levels,      ///< reductions whose levels have no short name
  alignments,  ///< tiles at multiples of up to 1024 bytes
  roles,       ///< loops with producers
  launches,    ///< blocks that a multiprocessor holds, kernels that overlap
  clusters,    ///< loops over the blocks of a cluster
  tensors,     ///< products of narrow types, and nests that instructions of warps compute
  parts,       ///< tiles that the iterations of a loop write back, a part each
  lets,        ///< values with names
  globals,     ///< copies of arguments in global memory, rings that the copy engine fills at once
  engines,     ///< schedules that move tiles past threads most of all; not one of "all"
  warps,       ///< products that warps compute, most of all; not one of "all"
  warpgroups,  ///< products that warpgroups compute, most of all; not one of "all"
  multicasts,  ///< of these, tiles that blocks of a cluster fill for each other; not one of "all"
  matrices,    ///< results of two bytes, which warps store by stmatrix; not one of "all"
};

/// A set of them. By name: "scatters,names"; "all"; "all,-names".
class Extras {
 public:
  Extras() = default;
  /// Throws std::invalid_argument, which lists the names that there are.
  explicit Extras(llvm::StringRef names);

  /// The names again, as in "scatters,names".
  std::string text() const;
  bool has(Extra extra) const { return (bits_ >> static_cast<unsigned>(extra) & 1) != 0; }

 private:
  uint32_t bits_ = 0;
};

}  // namespace hone
