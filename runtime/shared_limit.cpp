#include "runtime/shared_limit.h"

#include "codegen/shared_memory.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/ordered.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"

namespace hone {

int64_t max_shared_bytes(llvm::StringRef arch) {
  const ArchitectureLimits* limits = find_architecture(arch);
  return limits ? limits->shared_bytes_per_block
                : widest_architecture().static_shared_bytes_per_block;
}

void check_shared_bytes(const KernelFunction& kernel, llvm::StringRef arch) {
  const int64_t bytes = shared_memory(kernel).bytes, limit = max_shared_bytes(arch);
  if (bytes > limit)
    throw RuntimeError("{} needs {} bytes of shared memory, and {} gives a block at most {}",
                       kernel.name, bytes, arch.str(), limit);
}

namespace {

/// The opcodes that the kernel issues, each once, in the order of the families.
llvm::SmallVector<const Opcode*, 8> issued_opcodes(const KernelFunction& kernel) {
  llvm::SmallPtrSet<const Opcode*, 8> issued;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt)) issued.insert(&instr->opcode);
  });
  llvm::SmallVector<const Opcode*, 8> opcodes;
  for (const Family& family : opcode_families())
    llvm::copy_if(family.opcodes, std::back_inserter(opcodes),
                  [&](const Opcode* opcode) { return issued.contains(opcode); });
  return opcodes;
}

/// The opcode that needs the newest GPU; null where any GPU has all that the kernel issues.
const Opcode* most_demanding(const KernelFunction& kernel) {
  const Opcode* most = nullptr;
  for (const Opcode* opcode : issued_opcodes(kernel))
    if (opcode->rules.least_capability > (most ? most->rules.least_capability : 0)) most = opcode;
  return most;
}

int capability_of(const Opcode* opcode) { return opcode ? opcode->rules.least_capability : 0; }

}  // namespace

int least_capability(const KernelFunction& kernel) {
  const int of_instructions = capability_of(most_demanding(kernel));
  return kernel.cluster > 1 ? std::max(90, of_instructions) : of_instructions;
}

/// An opcode that GPUs of this capability have no more; null where they have all.
static const Opcode* last_of_its_kind(const KernelFunction& kernel, int capability) {
  for (const Opcode* opcode : issued_opcodes(kernel))
    if (const int last = opcode->rules.last_capability; last != 0 && capability > last)
      return opcode;
  return nullptr;
}

bool runs_on(const KernelFunction& kernel, int capability) {
  return capability >= least_capability(kernel) && !last_of_its_kind(kernel, capability);
}

std::string target_of(const KernelFunction& kernel, llvm::StringRef arch) {
  const bool is_plain = !arch.empty() && llvm::isDigit(arch.back());
  const bool is_of_one = any_of(kernel.body, [](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    return instr && instr->opcode.rules.is_of_one_architecture;
  });
  return arch.str() + (is_plain && is_of_one ? "a" : "");
}

std::string target_of(const Module& module, llvm::StringRef arch) {
  std::string target = arch.str();
  for (const KernelFunction& kernel : module.kernels) target = target_of(kernel, target);
  return target;
}

std::vector<std::string> options_of(const KernelFunction& kernel) {
  return keeps_order(kernel.body) ? std::vector<std::string>{"--ptxas-options=-O1"}
                                  : std::vector<std::string>();
}

std::vector<std::string> options_of(const Module& module) {
  for (const KernelFunction& kernel : module.kernels)
    if (auto options = options_of(kernel); !options.empty()) return options;
  return {};
}

namespace {

/// The work for which a kernel needs its least capability.
const char* feature_needing_capability(const KernelFunction& kernel) {
  const Opcode* most = most_demanding(kernel);
  if (capability_of(most) >= 90) return most->rules.work;
  return kernel.cluster > 1 ? "has clusters of blocks" : most->rules.work;
}

}  // namespace

void check_architecture(const KernelFunction& kernel, llvm::StringRef arch) {
  const ArchitectureLimits* limits = find_architecture(arch);
  const int least = least_capability(kernel);
  if (limits && limits->capability < least)
    throw RuntimeError("{} {}, which GPUs have from sm_{} on, and not {}", kernel.name,
                       feature_needing_capability(kernel), least, arch.str());
  const Opcode* last = limits ? last_of_its_kind(kernel, limits->capability) : nullptr;
  if (last)
    throw RuntimeError("{} {}, which GPUs of sm_{} alone have, and not {}", kernel.name,
                       last->rules.work, last->rules.last_capability, arch.str());
  check_shared_bytes(kernel, arch);
}

}  // namespace hone
