#include "tools/cli/explain/tile_reasons.h"

#include "fmt/ranges.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Tiles = std::map<std::string, TensorPtr>;  // by name

/// The tensors that the kernels of a profile allocate in a scope.
Tiles tiles_of(const Profile& profile, Scope scope) {
  Tiles tiles;
  for (const KernelFunction& kernel : profile.module.kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
      if (alloc && alloc->tensor->scope == scope) tiles.emplace(alloc->tensor->name, alloc->tensor);
    });
  return tiles;
}

bool is_store(AccessClass access_class) {
  return access_class == AccessClass::global_store || access_class == AccessClass::shared_store;
}

/// The tiles in registers whose elements go to memory.
Tiles stored_tiles(const Profile& profile) {
  Tiles tiles;
  const auto note = [&](const TensorPtr& tensor) {
    if (tensor->scope == Scope::registers) tiles.emplace(tensor->name, tensor);
  };
  for (const KernelFunction& kernel : profile.module.kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      const auto* store = llvm::dyn_cast<Store>(stmt);
      if (copy && copy->destination.tensor->scope != Scope::registers) note(copy->source.tensor);
      if (store && store->tensor->scope != Scope::registers)
        walk(store->value, [&](const Expr& part) {
          if (const auto* load = llvm::dyn_cast<Load>(part)) note(load->tensor);
        });
    });
  return tiles;
}

/// The tiles in registers that make accesses of the class fewer: stores, if they go to memory.
Tiles sparing_tiles(const Profile& profile, AccessClass access_class) {
  return is_store(access_class) ? stored_tiles(profile) : tiles_of(profile, Scope::registers);
}

std::string shape_text(const TensorNode& tensor) {
  return tensor.rank() == 0 ? "1" : fmt::format("{}", fmt::join(tensor.shape, " x "));
}

/// "each block keeps tiles of A and B in shared memory"
std::string added_text(llvm::ArrayRef<std::string> tensors, Scope scope) {
  return scope == Scope::shared
             ? fmt::format("each block keeps {} of {} in shared memory",
                           tensors.size() == 1 ? "a tile" : "tiles", enumerated(tensors))
             : fmt::format("each thread keeps its part of {} in registers", enumerated(tensors));
}

/// "A.shared and B.shared are 32 x 32 instead of 16 x 16"
std::string reshaped_text(llvm::ArrayRef<std::string> tiles, const std::string& change) {
  return fmt::format("{} {} {}", enumerated(tiles), tiles.size() == 1 ? "is" : "are", change);
}

/// Appends the differences of the tiles in this scope of those tensors that `concerns`. Tiles
/// in registers make accesses fewer, never more.
void append_changes(const Tiles& before, const Tiles& after, Scope scope,
                    llvm::function_ref<bool(llvm::StringRef tensor)> concerns, bool falls,
                    std::vector<std::string>& texts) {
  std::vector<std::string> added;
  std::map<std::string, std::vector<std::string>> reshaped;  // names, by what became of them
  for (const auto& [name, tile] : after) {
    const std::string tensor = cached_name(name).str();
    if (!concerns(tensor)) continue;
    const auto old = before.find(name);
    if (old == before.end()) {
      if (!llvm::is_contained(added, tensor)) added.push_back(tensor);
    } else if (shape_text(*old->second) != shape_text(*tile)) {
      reshaped[fmt::format("{} instead of {}", shape_text(*tile), shape_text(*old->second))]
          .push_back(name);
    }
  }
  const bool is_cause = falls || scope == Scope::shared;
  if (!added.empty() && is_cause) texts.push_back(added_text(added, scope));
  for (const auto& [change, names] : reshaped) texts.push_back(reshaped_text(names, change));
}

}  // namespace

std::string enumerated(llvm::ArrayRef<std::string> names) {
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return fmt::format("{} and {}", fmt::join(names.drop_back(), ", "), names.back());
}

std::string reason_in_tiles(const Subject& before, const Subject& after, AccessClass access_class) {
  const auto concerns = [&](llvm::StringRef tensor) {
    return before.elements_per_result(access_class, tensor) !=
           after.elements_per_result(access_class, tensor);
  };
  const bool falls =
      after.elements_per_result(access_class) < before.elements_per_result(access_class);
  const auto changes = [&](Scope scope, const Tiles& former, const Tiles& now) {
    std::vector<std::string> texts;
    append_changes(former, now, scope, concerns, falls, texts);
    return texts;
  };
  const std::vector<std::string> registers =
      changes(Scope::registers, sparing_tiles(before.profile, access_class),
              sparing_tiles(after.profile, access_class));
  const bool is_shared =
      access_class == AccessClass::shared_load || access_class == AccessClass::shared_store;
  if (is_shared && falls && !registers.empty()) return enumerated(registers);
  std::vector<std::string> texts = changes(Scope::shared, tiles_of(before.profile, Scope::shared),
                                           tiles_of(after.profile, Scope::shared));
  llvm::append_range(texts, registers);
  return enumerated(texts);
}

}  // namespace hone
