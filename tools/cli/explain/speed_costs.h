// The costs that facts are ranked by: roughly, the time of a multiprocessor that a kernel's
// requests take.
//
// The unit is a cycle of a multiprocessor. An instruction of a warp takes a quarter, a pass of the
// unit that loads and stores one: of shared memory a wavefront, and two where lanes wait for a
// bank, of global memory a line of 128 bytes. A sector that is stored takes one more, one that is
// stored in part two. Bytes of DRAM take their share of its bandwidth, and more where few are in
// flight. Costs are added up, as if nothing overlapped, and shared by the multiprocessors at work:
// they order facts, and are no prediction of a time.
#pragma once

#include "runtime/model/roofline.h"
#include "runtime/sim/count/count.h"

namespace hone {

/// Of accesses of a class.
double access_cost(AccessClass access_class, const MemoryCounts& counts);
/// The same without bank conflicts, and where sectors hold nothing else.
double least_cost(AccessClass access_class, const MemoryCounts& counts);
/// Of instructions of warps.
double instruction_cost(double warps);
/// Of operations in double precision, two in a fused multiply-add, beyond that of their
/// instructions; 0 where the GPU's peak is not known.
double double_cost(double operations, const Gpu& gpu);
/// Of operations of tensor cores, beyond that of their instructions; 0 where the GPU's peak is not
/// known.
double tensor_cost(double operations, const Gpu& gpu);
/// Of bytes of DRAM, where each multiprocessor has its share.
double dram_cost(double bytes, const Gpu& gpu);
/// By how much that is more where a multiprocessor has only so many bytes in flight.
double latency_factor(double bytes_in_flight, const Gpu& gpu);

}  // namespace hone
