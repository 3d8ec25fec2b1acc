// The places of the lanes of an access in the host's memory. All accesses are checked here: for
// bounds, for alignment, and by the observer.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

struct Targets {
  std::array<uint64_t, lanes> address;  ///< in the space of the lane
  std::array<std::byte*, lanes> data;
  bool is_uniform = false;  ///< all active lanes have one place
};

/// For the active lanes. The first source of the op is the address, if it has one. Throws Fault.
void find_targets(Warp& warp, const Op& op, const MemoryDetail& detail, Targets& targets);

/// The host's memory of one place, for somebody other than a load or a store: an engine, printf.
/// Throws Fault for the lane where the bytes are not all in one piece of memory.
std::byte* find_bytes(Warp& warp, int lane, uint64_t generic_address, int64_t bytes);

/// A place in memory that an engine uses.
struct Found {
  Block* owner = nullptr;  ///< of shared memory; null: it is global memory
  uint64_t address = 0;    ///< in the shared memory of the owner; or of the host
  std::byte* data = nullptr;

  Found behind(int64_t bytes) const { return {owner, address + bytes, data + bytes}; }
};
/// The same for an access of that kind, at a multiple of `alignment` bytes.
Found find_place(Warp& warp, int lane, uint64_t generic_address, int64_t bytes, int64_t alignment,
                 MemoryDetail::Kind kind);
/// The place in shared memory that an address of it names, whose block is there.
Found shared_place(Block& block, uint64_t address);

/// The same as find_targets for addresses, generic ones, that are in `targets`; of an access that
/// is Program::memory[number].
void find_at(Warp& warp, uint32_t number, Targets& targets);

/// The same for these lanes, whose addresses are of global memory at any alignment. `detail` may
/// say more of the access than the one in the program.
void find_lanes(Warp& warp, const MemoryDetail& detail, uint32_t number, LaneMask lanes,
                Targets& targets);

/// A generic one.
uint64_t address_in(const Warp& warp, const AddressOperand& operand, int lane);

/// An op that reads or writes memory, for an element of that many bytes and registers of those:
/// null where there is none.
Op::Execute load_op(int bytes, int register_bytes, bool is_signed);
Op::Execute store_op(int bytes, int register_bytes);
/// Null where there is none of that operation ("add", "cas") and type.
Op::Execute atomic_op(llvm::StringRef operation, Type type);
/// The same of bytes that an engine brings.
AsyncDetail::Combine combine_of(llvm::StringRef operation, Type type);

/// Parameters of the kernel, at byte `detail`; of functions, in the area `sources[1]`, whose bytes
/// by lane are `sources[2].bits`.
Op::Execute load_param_op(int bytes, int register_bytes, bool is_signed);
Op::Execute load_area_op(int bytes, int register_bytes, bool is_signed);
Op::Execute store_area_op(int bytes, int register_bytes);

}  // namespace hone::ptx
