#include <regex>

#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/check.h"

namespace hone {

/// "mma_m16n8k16_bf16", "wgmma_m64nNk64_bf16", "wgmma_mNn64k64_bf16"
static std::string kind_of(const Opcode& opcode) {
  static const std::regex rows("wgmma_m64n[0-9]+"), columns("wgmma_m[0-9]+n64");
  const std::string word = opcode.word();
  return word.starts_with("wgmma_m64n") ? std::regex_replace(word, rows, "wgmma_m64nN")
                                        : std::regex_replace(word, columns, "wgmma_mNn64");
}

void describe(const Module& module, GpuResult& result) {
  for (const KernelFunction& kernel : module.kernels) {
    result.has_clusters |= kernel.cluster > 1;
    for (int dim = 0; dim < 3; ++dim) {
      result.has_grid |= !is_int(kernel.grid[dim], 1);
      result.has_block |= !is_int(kernel.block[dim], 1);
    }
    walk(kernel.body, [&](const Stmt& stmt) {
      result.has_barrier |= is_barrier(stmt);
      const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
      result.has_registers |= alloc && alloc->tensor->scope == Scope::registers;
      result.has_shared |= alloc && alloc->tensor->scope == Scope::shared;
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      result.has_vectors |= copy && copy->vector > 1;
      const auto* store = llvm::dyn_cast<Store>(stmt);
      result.has_atomics |= store && store->is_atomic;
      result.has_arrivals |= is<op::arrive>(stmt);
      result.has_tests |= is<op::test_mbarrier>(stmt);
      result.has_async_copies |= is<op::copy_async>(stmt);
      result.has_bulk_copies |= is<op::copy_bulk>(stmt);
      result.has_bulk_stores |= is<op::store_bulk>(stmt);
      result.has_mbarriers |= is<op::init_mbarrier>(stmt);
      const auto* instr = llvm::dyn_cast<Instr>(stmt);
      if (instr && !instr->opcode.rules.spreads.empty())
        result.warp_instructions.insert(kind_of(instr->opcode));
    });
    walk_exprs(kernel.body,
               [&](const Expr& expr) { result.has_shuffles |= llvm::isa<Shuffle>(expr); });
  }
}

}  // namespace hone
