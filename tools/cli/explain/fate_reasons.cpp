#include "tools/cli/explain/fate_reasons.h"

#include <algorithm>

#include "ir/threads/instruction_nest.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/explain/tile_reasons.h"

namespace hone {
namespace {

using Fates = std::vector<const CompiledAccess*>;

/// Those that are not simply kept, the ones with most elements first.
Fates changed_fates(const Profile& profile, AccessClass access_class) {
  Fates fates;
  for (const KernelProfile& kernel : profile.kernels) {
    if (!kernel.compiled) continue;
    for (const CompiledAccess& access : kernel.compiled->accesses)
      if (access.access_class == access_class && access.fate != Fate::kept)
        fates.push_back(&access);
  }
  std::stable_sort(fates.begin(), fates.end(),
                   [](const CompiledAccess* lhs, const CompiledAccess* rhs) {
                     return lhs->written - lhs->left > rhs->written - rhs->left;
                   });
  return fates;
}

bool has_like(const Fates& fates, const CompiledAccess& access) {
  return llvm::any_of(fates, [&](const CompiledAccess* one) {
    return one->tensor->id == access.tensor->id && one->fate == access.fate;
  });
}

const char* noun_of(AccessClass access_class) {
  const bool is_load =
      access_class == AccessClass::global_load || access_class == AccessClass::shared_load;
  const bool is_store =
      access_class == AccessClass::global_store || access_class == AccessClass::shared_store;
  return is_load ? "load" : is_store ? "store" : "update";
}

std::string what_is_done(const CompiledAccess& access) {
  switch (access.fate) {
    case Fate::kept:
      break;
    case Fate::moved:
      return fmt::format("moves the {} of {} out of the loop {}", noun_of(access.access_class),
                         access.tensor->name, access.loop);
    case Fate::reused:
      return fmt::format("keeps {} in registers between uses", access.tensor->name);
    case Fate::in_register:
      return fmt::format("keeps {} in registers", access.tensor->name);
    case Fate::by_engine:
      return fmt::format("moves {}", access.tensor->name);
  }
  llvm_unreachable("nothing is done");
}

const char* who_does_it(const CompiledAccess& access) {
  return access.fate == Fate::by_engine ? "the copy engine" : "the compiler";
}

using TensorNames = std::vector<std::string>;

/// The tensors of a class with an access that is such a one.
TensorNames tensors_with(const Profile& profile, AccessClass access_class,
                         llvm::function_ref<bool(const CompiledAccess&)> is_such) {
  TensorNames names;
  for (const KernelProfile& kernel : profile.kernels) {
    if (!kernel.compiled) continue;
    for (const CompiledAccess& access : kernel.compiled->accesses)
      if (access.access_class == access_class && is_such(access) &&
          !llvm::is_contained(names, access.tensor->name))
        names.push_back(access.tensor->name);
  }
  return names;
}

/// Those that the schedule moves by several elements at a time.
TensorNames vectors_of(const Profile& profile, AccessClass access_class) {
  return tensors_with(profile, access_class, [](const CompiledAccess& access) {
    return access.left > 0 && access.written_width > 1;
  });
}

/// "vectors", or the words of the instructions that warps move these tensors by together.
std::string means_of(const Profile& profile, AccessClass access_class, const TensorNames& tensors) {
  TensorNames words;
  tensors_with(profile, access_class, [&](const CompiledAccess& access) {
    const auto* instr = llvm::dyn_cast<Instr>(access.statement);
    if (!instr || !opcode_with_lanes(access.statement)) return false;
    const std::string word = instr->opcode.word();
    if (llvm::is_contained(tensors, access.tensor->name) && !llvm::is_contained(words, word))
      words.push_back(word);
    return false;
  });
  return words.empty() ? "vectors" : enumerated(words);
}

TensorNames without(TensorNames names, const TensorNames& others) {
  llvm::erase_if(names, [&](const std::string& name) { return llvm::is_contained(others, name); });
  return names;
}

bool may_alias(const Profile& profile) {
  return llvm::any_of(profile.module.kernels,
                      [](const KernelFunction& kernel) { return kernel.may_alias; });
}

}  // namespace

std::string reason_in_fates(const Subject& before, const Subject& after, AccessClass access_class) {
  const Fates now = changed_fates(after.profile, access_class);
  const Fates former = changed_fates(before.profile, access_class);
  if (after.elements_per_result(access_class) < before.elements_per_result(access_class)) {
    for (const CompiledAccess* access : now)
      if (!has_like(former, *access))
        return fmt::format("{} {} (line {})", who_does_it(*access), what_is_done(*access),
                           access->line);
    return "";
  }
  for (const CompiledAccess* access : former) {
    if (has_like(now, *access)) continue;
    const char* cause =
        may_alias(after.profile) && !may_alias(before.profile) ? "arrays may overlap, and " : "";
    return fmt::format("{}{} no longer {}", cause, who_does_it(*access), what_is_done(*access));
  }
  return "";
}

std::string reason_in_vectors(const Subject& before, const Subject& after, AccessClass access_class,
                              bool rises) {
  const auto is_merged = [](const CompiledAccess& access) { return access.is_merged(); };
  const TensorNames now = tensors_with(after.profile, access_class, is_merged),
                    former = tensors_with(before.profile, access_class, is_merged);
  const TensorNames changed = rises ? without(now, former) : without(former, now);
  if (!changed.empty())
    return fmt::format("the compiler {} {}s of {}", rises ? "merges" : "no longer merges",
                       noun_of(access_class), enumerated(changed));
  const TensorNames vectors = vectors_of(after.profile, access_class),
                    old_vectors = vectors_of(before.profile, access_class);
  const TensorNames scheduled =
      rises ? without(vectors, old_vectors) : without(old_vectors, vectors);
  return scheduled.empty() ? ""
                           : fmt::format("the schedule {} {} by {}",
                                         rises ? "moves" : "no longer moves", enumerated(scheduled),
                                         means_of(rises ? after.profile : before.profile,
                                                  access_class, scheduled));
}

}  // namespace hone
