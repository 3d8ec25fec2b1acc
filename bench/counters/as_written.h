// CUDA text whose accesses to memory stay as they are written.
#pragma once

#include <string>

namespace hone {

/// The text of a kernel, as emit_cuda makes it, with volatile tensors in global and in shared
/// memory: the compiler neither merges nor drops what is read and written there. A pair stays one
/// access of 8 bytes. Accesses of vectors stay as they are in any case; so do tensors that atomic
/// updates touch, since these take no pointers to volatile elements.
std::string with_volatile_accesses(const std::string& cuda);

}  // namespace hone
