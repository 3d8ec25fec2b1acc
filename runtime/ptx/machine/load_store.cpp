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

template <class Use>
void for_each_value(const MemoryDetail& detail, const Use& use) {
  for (size_t n = 0; n < detail.values.size(); ++n)
    if (detail.values[n].exists()) use(n, detail.values[n]);
}

/// All active lanes read one place.
template <class Element, class Register>
void load_one(const Warp& warp, const MemoryDetail& detail, const std::byte* from) {
  for_each_value(detail, [&](size_t n, Ref destination) {
    const auto value = read<Element, Register>(from + n * sizeof(Element));
    auto* const result = warp.at<Register>(destination);
    for_active(warp, [&](int lane) { result[lane] = value; });
  });
}

/// `place_of` is that of a lane.
template <class Element, class Register, class PlaceOf>
void load_each(const Warp& warp, const MemoryDetail& detail, const PlaceOf& place_of) {
  for_each_value(detail, [&](size_t n, Ref destination) {
    auto* const result = warp.at<Register>(destination);
    for_active(warp, [&](int lane) {
      result[lane] = read<Element, Register>(place_of(lane) + n * sizeof(Element));
    });
  });
}

template <class Element, class Register, class PlaceOf>
void store_each(const Warp& warp, const MemoryDetail& detail, const PlaceOf& place_of) {
  for_each_value(detail, [&](size_t n, Ref source) {
    const auto* const value = warp.at<Register>(source);
    for_active(
        warp, [&](int lane) { write<Element>(place_of(lane) + n * sizeof(Element), value[lane]); });
  });
}

struct Load {
  template <class Element, class Register>
  static void run(Warp& warp, const Op& op) {
    const MemoryDetail& detail = detail_of(warp, op);
    Targets targets;
    find_targets(warp, op, detail, targets);
    if (targets.is_uniform)
      return load_one<Element, Register>(warp, detail, targets.data[std::countr_zero(warp.active)]);
    load_each<Element, Register>(warp, detail, [&](int lane) { return targets.data[lane]; });
  }
};

struct Store {
  template <class Element, class Register>
  static void run(Warp& warp, const Op& op) {
    const MemoryDetail& detail = detail_of(warp, op);
    Targets targets;
    find_targets(warp, op, detail, targets);
    store_each<Element, Register>(warp, detail, [&](int lane) { return targets.data[lane]; });
  }
};

// ---- Parameters ---------------------------------------------------------------------------------

struct LoadParam {
  template <class Element, class Register>
  static void run(Warp& warp, const Op& op) {
    const MemoryDetail& detail = detail_of(warp, op);
    load_one<Element, Register>(warp, detail, warp.block->run.params.data() + detail.offset);
  }
};

/// The bytes of a lane in an area of the frame.
auto area_of(const Warp& warp, const Op& op, const MemoryDetail& detail) {
  std::byte* const first = warp.at<std::byte>(op.sources[1]) + detail.offset;
  const auto stride = static_cast<int64_t>(op.sources[2].bits);
  return [=](int lane) { return first + lane * stride; };
}

struct LoadArea {
  template <class Element, class Register>
  static void run(Warp& warp, const Op& op) {
    const MemoryDetail& detail = detail_of(warp, op);
    load_each<Element, Register>(warp, detail, area_of(warp, op, detail));
  }
};

struct StoreArea {
  template <class Element, class Register>
  static void run(Warp& warp, const Op& op) {
    const MemoryDetail& detail = detail_of(warp, op);
    store_each<Element, Register>(warp, detail, area_of(warp, op, detail));
  }
};

// ---- By type ------------------------------------------------------------------------------------

using Wide = unsigned __int128;

template <class Access, class Element>
Op::Execute with_register(int bytes) {
  switch (bytes) {
    case 2:
      return Access::template run<Element, uint16_t>;
    case 4:
      return Access::template run<Element, uint32_t>;
    case 8:
      return Access::template run<Element, uint64_t>;
    case 16:
      return Access::template run<Element, Wide>;
  }
  return nullptr;
}

template <class Access>
Op::Execute with_types(int bytes, int register_bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? with_register<Access, int8_t>(register_bytes)
                       : with_register<Access, uint8_t>(register_bytes);
    case 2:
      return is_signed ? with_register<Access, int16_t>(register_bytes)
                       : with_register<Access, uint16_t>(register_bytes);
    case 4:
      return is_signed ? with_register<Access, int32_t>(register_bytes)
                       : with_register<Access, uint32_t>(register_bytes);
    case 8:
      return with_register<Access, uint64_t>(register_bytes);
    case 16:
      return with_register<Access, Wide>(register_bytes);
  }
  return nullptr;
}

}  // namespace

Op::Execute load_op(int bytes, int register_bytes, bool is_signed) {
  return with_types<Load>(bytes, register_bytes, is_signed);
}

Op::Execute store_op(int bytes, int register_bytes) {
  return with_types<Store>(bytes, register_bytes, false);
}

Op::Execute load_param_op(int bytes, int register_bytes, bool is_signed) {
  return with_types<LoadParam>(bytes, register_bytes, is_signed);
}

Op::Execute load_area_op(int bytes, int register_bytes, bool is_signed) {
  return with_types<LoadArea>(bytes, register_bytes, is_signed);
}

Op::Execute store_area_op(int bytes, int register_bytes) {
  return with_types<StoreArea>(bytes, register_bytes, false);
}

}  // namespace hone::ptx
