// Places in memory, as a finding names them.
#pragma once

#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// "tile, byte 128", "byte 128 of shared memory"
std::string name_of_shared(const Run& run, uint64_t address);
/// "A[32]": the element of an allocation, for an access of so many bytes.
std::string name_of_global(const Run& run, uint64_t address, int64_t bytes);
/// "writes", "reads", "updates"
const char* verb_of(const MemoryDetail& detail);
/// An access to shared memory of the cluster, with a lane whose address names a block.
bool is_of_other_block(const MemoryAccess& access);

}  // namespace hone::ptx
