#include "tools/cli/profile/access_groups.h"

#include <algorithm>

#include "codegen/c_form/identifiers.h"
#include "codegen/shared_memory.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

AccessClass class_of(const PtxAccess& access) {
  const bool is_shared = access.space == PtxSpace::shared;
  switch (access.kind) {
    case PtxAccessKind::load:
      return is_shared ? AccessClass::shared_load : AccessClass::global_load;
    case PtxAccessKind::store:
      return is_shared ? AccessClass::shared_store : AccessClass::global_store;
    case PtxAccessKind::atomic:
      return is_shared ? AccessClass::shared_atomic : AccessClass::global_atomic;
  }
  llvm_unreachable("unknown kind of access");
}

AccessGroup group_for(const AccessReport& report, const SourceLoops& source,
                      const StatementLines& lines) {
  AccessGroup group;
  group.access.statement = report.statement;
  group.access.tensor = report.tensor;
  group.access.access_class = report.access_class;
  group.access.written_width = std::max(1, static_cast<int>(report.elements()));
  group.loops = source.around.lookup(report.statement.get());
  group.lines = lines.lookup(report.statement.get());
  if (!group.lines.empty()) group.access.line = group.lines[0];
  return group;
}

/// True if an access of the PTX may be to the tensor of a group. Without `names`, shared tensors
/// are not told apart.
bool may_be_of(const PtxAccess& access, const CompiledAccess& group, const KernelFunction& kernel,
               const Identifiers* names) {
  if (access.space == PtxSpace::local || class_of(access) != group.access_class) return false;
  if (access.param >= 0 && access.param < static_cast<int>(kernel.arguments.size()))
    return kernel.arguments[access.param]->id == group.tensor->id;
  if (access.symbol.empty() || !names) return true;
  const llvm::StringRef symbol = access.symbol, name = names->of(*group.tensor);
  return symbol.take_back(name.size()) == name;  // _ZZ6matmulE8A_shared
}

unsigned distance(const AccessGroup& group, unsigned line) {
  unsigned least = ~0u;
  for (const unsigned one : group.lines)
    least = std::min(least, std::max(one, line) - std::min(one, line));
  return least;
}

}  // namespace

double elements_of(const PtxAccess& access, const TensorNode& tensor) {
  return static_cast<double>(access.width) * access.bytes /
         static_cast<double>(size_of(tensor.type));
}

std::vector<AccessGroup> group_accesses(const KernelFunction& kernel, const CountReport& counts,
                                        const SourceLoops& source, const StatementLines& lines,
                                        llvm::ArrayRef<PtxAccess> compiled) {
  std::vector<AccessGroup> groups;
  for (const AccessReport& report : counts.accesses) {
    auto group =
        llvm::find_if(groups, [&](const AccessGroup& known) { return known.access.is_of(report); });
    if (group == groups.end())
      group = groups.insert(groups.end(), group_for(report, source, lines));
    group->elements += report.elements();
  }
  const Identifiers names(kernel, cuda_symbol(kernel), "");
  const bool is_arena = shared_memory(kernel).is_arena;
  for (const PtxAccess& access : compiled) {
    AccessGroup* nearest = nullptr;
    for (AccessGroup& group : groups)
      if (may_be_of(access, group.access, kernel, is_arena ? nullptr : &names) &&
          (!nearest || distance(group, access.line) < distance(*nearest, access.line)))
        nearest = &group;
    if (nearest) nearest->compiled.push_back(access);
  }
  return groups;
}

}  // namespace hone
