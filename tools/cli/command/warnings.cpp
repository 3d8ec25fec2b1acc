#include "tools/cli/command/warnings.h"

#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Fewer elements than this are as well computed by one thread: an initial value, one per warp.
constexpr double few_elements = 64;
/// Lanes of a warp that are too few, and lines of a request that are too many.
constexpr double few_lanes = 8, many_lines = 16;

double ratio(int64_t dividend, int64_t divisor) {
  return divisor == 0 ? 0 : static_cast<double>(dividend) / static_cast<double>(divisor);
}

/// Of a request, on average.
double lanes_of(const AccessReport& access) {
  return ratio(access.counts.bytes,
               access.counts.requests * access.width * size_of(access.tensor->type));
}

void warn_of_one_thread(const Profile& profile, const CountReport& counts,
                        std::vector<std::string>& warnings) {
  if (counts.threads() != 1 || counts.statements.lanes <= few_elements) return;
  const bool is_alone = profile.module.kernels.size() == 1;
  warnings.push_back(
      fmt::format("{}: one thread computes {}; bind an axis of it to block.x and one to thread.x",
                  counts.kernel, is_alone ? "everything, as nothing is bound" : "this nest"));
}

void warn_of_tiles(const CountReport& counts, std::vector<std::string>& warnings) {
  for (const AccessReport& access : counts.accesses) {
    const double elements = ratio(access.counts.bytes, size_of(access.tensor->type)) /
                            static_cast<double>(counts.counted_blocks);
    if (access.access_class != AccessClass::shared_store || elements <= few_elements) continue;
    if (counts.threads_per_block() < warp_size || lanes_of(access) > 1) continue;
    if (box_move(Stmt(access.statement))) continue;  // one lane asks the copy engine
    warnings.push_back(fmt::format(
        "{}: one lane at a time fills the tile {}, {:.0f} elements a block; bind an axis of the "
        "nest that fills it to thread.x, or take copy_loops of the tile and bind those",
        counts.kernel, access.tensor->name, elements));
  }
}

void warn_of_idle_lanes(const CountReport& counts, std::vector<std::string>& warnings) {
  const double lanes = counts.statements.lanes_per_warp();
  if (counts.threads() == 1 || counts.statements.lanes <= few_elements || lanes >= few_lanes)
    return;
  warnings.push_back(fmt::format(
      "{}: {:.2g} of the 32 lanes of a warp are at work, on average; give blocks a multiple of 32 "
      "threads, and let threads that follow each other take a condition alike",
      counts.kernel, lanes));
}

/// The loops of a body that have none inside, with their statements.
void for_each_innermost(const Stmt& body, llvm::function_ref<void(const For&)> visit_loop) {
  walk(body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop) return;
    if (!any_of(loop->body, [](const Stmt& inner) { return llvm::isa<For>(inner); }))
      visit_loop(*loop);
  });
}

void warn_of_lines(const KernelFunction& kernel, const CountReport& counts,
                   std::vector<std::string>& warnings) {
  for_each_innermost(kernel.body, [&](const For& loop) {
    for (const AccessReport& access : counts.accesses) {
      const bool is_inside =
          any_of(loop.body, [&](const Stmt& stmt) { return stmt.same_as(access.statement); });
      const double lines = ratio(access.counts.lines, access.counts.requests);
      if (!is_inside || access.access_class != AccessClass::global_load || lines < many_lines)
        continue;
      warnings.push_back(
          fmt::format("{}: lanes read {} in the loop {} from {:.3g} lines of 128 bytes at once; "
                      "bind the axis of "
                      "its last index to thread.x, or stage {} with cache_shared",
                      counts.kernel, access.text, loop.axis->name, lines, access.tensor->name));
    }
  });
}

}  // namespace

std::vector<std::string> warnings_of(const Profile& profile) {
  std::vector<std::string> warnings;
  for (const KernelProfile& one : profile.kernels) {
    warn_of_one_thread(profile, one.counts, warnings);
    warn_of_tiles(one.counts, warnings);
    warn_of_idle_lanes(one.counts, warnings);
    for (const KernelFunction& kernel : profile.module.kernels)
      if (kernel.name == one.counts.kernel) warn_of_lines(kernel, one.counts, warnings);
  }
  return warnings;
}

}  // namespace hone
