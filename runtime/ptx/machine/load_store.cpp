// Loads and stores, of memory and of parameters.

#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {
namespace {

template <class Use>
void for_active(const Warp& warp, const Use& use) {
  if (warp.active == all_lanes) {
    for (int lane = 0; lane < lanes; ++lane) use(lane);
    return;
  }
  for_each_lane(warp.active, use);
}

const MemoryDetail& detail_of(const Warp& warp, const Op& op) {
  return warp.block->run.program.memory[op.detail];
}

/// An element of a type in memory, in a register of another one.
template <class Element, class Register>
Register read(const std::byte* from) {
  Element element;
  std::memcpy(&element, from, sizeof element);
  return static_cast<Register>(element);
}

template <class Element, class Register>
void write(std::byte* to, Register value) {
  const auto element = static_cast<Element>(value);
  std::memcpy(to, &element, sizeof element);
}

template <class Element, class Register>
void run_load(Warp& warp, const Op& op) {
  const MemoryDetail& detail = detail_of(warp, op);
  Targets targets;
  find_targets(warp, op, detail, targets);
  for (size_t n = 0; n < detail.values.size(); ++n) {
    if (!detail.values[n].exists()) continue;
    auto* const result = warp.at<Register>(detail.values[n]);
    if (targets.is_uniform) {
      const std::byte* const from = targets.data[std::countr_zero(warp.active)];
      const auto value = read<Element, Register>(from + n * sizeof(Element));
      for_active(warp, [&](int lane) { result[lane] = value; });
      continue;
    }
    for_active(warp, [&](int lane) {
      result[lane] = read<Element, Register>(targets.data[lane] + n * sizeof(Element));
    });
  }
}

template <class Element, class Register>
void run_store(Warp& warp, const Op& op) {
  const MemoryDetail& detail = detail_of(warp, op);
  Targets targets;
  find_targets(warp, op, detail, targets);
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const auto* const value = warp.at<Register>(detail.values[n]);
    for_active(warp, [&](int lane) {
      write<Element>(targets.data[lane] + n * sizeof(Element), value[lane]);
    });
  }
}

// ---- Parameters ---------------------------------------------------------------------------------

template <class Element, class Register>
void run_load_param(Warp& warp, const Op& op) {
  const MemoryDetail& detail = detail_of(warp, op);
  const std::byte* const from = warp.block->run.params.data() + detail.offset;
  for (size_t n = 0; n < detail.values.size(); ++n) {
    if (!detail.values[n].exists()) continue;
    const auto value = read<Element, Register>(from + n * sizeof(Element));
    auto* const result = warp.at<Register>(detail.values[n]);
    for_active(warp, [&](int lane) { result[lane] = value; });
  }
}

/// The bytes of a lane in an area of the frame.
std::byte* area_of(const Warp& warp, const Op& op, const MemoryDetail& detail, int lane) {
  return warp.at<std::byte>(op.sources[1]) + lane * static_cast<int64_t>(op.sources[2].bits) +
         detail.offset;
}

template <class Element, class Register>
void run_load_area(Warp& warp, const Op& op) {
  const MemoryDetail& detail = detail_of(warp, op);
  for (size_t n = 0; n < detail.values.size(); ++n) {
    if (!detail.values[n].exists()) continue;
    auto* const result = warp.at<Register>(detail.values[n]);
    for_active(warp, [&](int lane) {
      result[lane] = read<Element, Register>(area_of(warp, op, detail, lane) + n * sizeof(Element));
    });
  }
}

template <class Element, class Register>
void run_store_area(Warp& warp, const Op& op) {
  const MemoryDetail& detail = detail_of(warp, op);
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const auto* const value = warp.at<Register>(detail.values[n]);
    for_active(warp, [&](int lane) {
      write<Element>(area_of(warp, op, detail, lane) + n * sizeof(Element), value[lane]);
    });
  }
}

// ---- By type ------------------------------------------------------------------------------------

using Wide = unsigned __int128;

template <class Element, class Use>
Op::Execute with_register(int bytes, const Use& use) {
  switch (bytes) {
    case 2:
      return use.template operator()<Element, uint16_t>();
    case 4:
      return use.template operator()<Element, uint32_t>();
    case 8:
      return use.template operator()<Element, uint64_t>();
    case 16:
      return use.template operator()<Element, Wide>();
  }
  return nullptr;
}

template <class Use>
Op::Execute with_types(int bytes, int register_bytes, bool is_signed, const Use& use) {
  switch (bytes) {
    case 1:
      return is_signed ? with_register<int8_t>(register_bytes, use)
                       : with_register<uint8_t>(register_bytes, use);
    case 2:
      return is_signed ? with_register<int16_t>(register_bytes, use)
                       : with_register<uint16_t>(register_bytes, use);
    case 4:
      return is_signed ? with_register<int32_t>(register_bytes, use)
                       : with_register<uint32_t>(register_bytes, use);
    case 8:
      return with_register<uint64_t>(register_bytes, use);
    case 16:
      return with_register<Wide>(register_bytes, use);
  }
  return nullptr;
}

}  // namespace

Op::Execute load_op(int bytes, int register_bytes, bool is_signed) {
  return with_types(bytes, register_bytes, is_signed,
                    []<class E, class R>() -> Op::Execute { return run_load<E, R>; });
}

Op::Execute store_op(int bytes, int register_bytes) {
  return with_types(bytes, register_bytes, false,
                    []<class E, class R>() -> Op::Execute { return run_store<E, R>; });
}

Op::Execute load_param_op(int bytes, int register_bytes, bool is_signed) {
  return with_types(bytes, register_bytes, is_signed,
                    []<class E, class R>() -> Op::Execute { return run_load_param<E, R>; });
}

Op::Execute load_area_op(int bytes, int register_bytes, bool is_signed) {
  return with_types(bytes, register_bytes, is_signed,
                    []<class E, class R>() -> Op::Execute { return run_load_area<E, R>; });
}

Op::Execute store_area_op(int bytes, int register_bytes) {
  return with_types(bytes, register_bytes, false,
                    []<class E, class R>() -> Op::Execute { return run_store_area<E, R>; });
}

}  // namespace hone::ptx
