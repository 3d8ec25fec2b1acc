// The one place that every access to memory goes through, with all that is known about it: the
// tensor, the statement, the active lanes and their offsets. All accesses are checked and counted
// here.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// The places of the elements of an access: that of a lane is base->values[lane] + uniform, or
/// `uniform` for all lanes if there is no base.
struct Address {
  const Base* base = nullptr;
  int64_t uniform = 0;
  std::byte* data = nullptr;  ///< element 0 of the tensor

  int64_t element(int lane) const { return base ? base->values[lane] + uniform : uniform; }
};

/// The access of an instruction.
inline const Access& access_of(const Worker& worker, const Instruction& instruction) {
  return worker.program.accesses[instruction.detail];
}

/// Resolves the access for the active lanes. Throws SimError where one of them is out of bounds, or
/// a vector of one of them is misaligned.
Address open_access(Worker& worker, const Access& access);

/// Bytes, of which the address of an access is a multiple: those of its width, or of its box.
int64_t alignment_in_bytes(const Access& access, int64_t element_bytes);

/// The distance in bytes from the last such multiple to the element's address.
int64_t bytes_past_vector(const Worker& worker, const Access& access, int64_t element);

/// Takes stock of a base after its lanes were computed.
void summarise_base(Worker& worker, const Instruction& instruction);
void summarise(Base& base, const Mask& all_lanes);

}  // namespace hone
