#include "runtime/ptx/images/image_lanes.h"

#include "fmt/format.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

[[noreturn]] void fail_image(const Warp& warp, int lane, std::string what, const char* access) {
  fail(warp, lane, {FindingKind::invalid_operation, std::move(what), access});
}

const ImageObject& object_of(const Warp& warp, int lane, uint64_t handle, ImageKind kind,
                             const char* access) {
  const bool is_texture = kind == ImageKind::texture;
  const char* const wanted = is_texture ? "texture object" : "surface object";
  const ImageObject* const object = warp.block->run.module.memory().images().find(handle);
  if (!object)
    fail_image(warp, lane, fmt::format("the handle {:#x} is no {}", handle, wanted), access);
  if (object->is_destroyed)
    fail_image(warp, lane, fmt::format("{} was destroyed", object->name), access);
  if (object->is_texture() != is_texture)
    fail_image(warp, lane, fmt::format("{} is no {}", object->name, wanted), access);
  return *object;
}

/// Unset handles and coordinates are found as unset addresses are.
void observe_operands(Warp& warp, const ImageDetail& detail) {
  Observer* const observer = warp.block->observer.get();
  if (!observer || warp.at_hand.frame->unset.empty()) return;
  observer->use_address(warp, detail.handle);
  observer->use_address(warp, detail.layer);
  for (const Ref coordinate : detail.coordinates) observer->use_address(warp, coordinate);
}

}  // namespace

void for_each_image(Warp& warp, const Op& op, ImageKind kind, const char* access,
                    llvm::function_ref<void(const ImageLanes&)> use) {
  const ImageDetail& detail = warp.block->run.program.images[op.detail];
  observe_operands(warp, detail);
  std::array<uint64_t, lanes> handles;
  std::copy_n(warp.at<uint64_t>(detail.handle), lanes, handles.begin());
  for (LaneMask left = warp.active; left != 0;) {
    const int first = std::countr_zero(left);
    LaneMask same = 0;
    for_each_lane(left,
                  [&](int lane) { same |= LaneMask{handles[lane] == handles[first]} << lane; });
    const ImageObject& object = object_of(warp, first, handles[first], kind, access);
    use({warp, detail, object, same});
    left &= ~same;
  }
}

void check_shape(const ImageLanes& at, const ImageShape& shape, const char* access) {
  const ImageShape& wanted = at.detail.shape;
  if (wanted == shape) return;
  fail_image(at.warp, std::countr_zero(at.lanes),
             fmt::format("coordinates for {}, and {} is {}", to_string(wanted), at.object.name,
                         to_string(shape)),
             access);
}

}  // namespace hone::ptx
