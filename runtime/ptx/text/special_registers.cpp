#include "runtime/ptx/text/special_registers.h"

#include "fmt/format.h"
#include "llvm/ADT/StringSet.h"

namespace hone::ptx {
namespace {

/// "name#5" stands for name0 to name4.
constexpr const char* special_registers =
    "tid ntid laneid warpid nwarpid ctaid nctaid smid nsmid gridid is_explicit_cluster clusterid "
    "nclusterid cluster_ctaid cluster_nctaid cluster_ctarank cluster_nctarank lanemask_eq "
    "lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi clock64 pm#8 pm#8_64 "
    "envreg#32 globaltimer globaltimer_lo globaltimer_hi reserved_smem_offset_begin "
    "reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_#2 total_smem_size "
    "aggr_smem_size dynamic_smem_size current_graph_exec";

void add_special_register(llvm::StringSet<>& names, llvm::StringRef pattern) {
  const auto [stem, behind] = pattern.split('#');
  llvm::StringRef rest = behind;
  unsigned count = 0;
  if (rest.consumeInteger(10, count)) {
    names.insert(fmt::format("%{}", stem.str()));
    return;
  }
  for (unsigned i = 0; i < count; ++i)
    names.insert(fmt::format("%{}{}{}", stem.str(), i, rest.str()));
}

llvm::StringSet<> all_special_registers() {
  llvm::StringSet<> result;
  for (llvm::StringRef rest = special_registers; !rest.empty();) {
    const auto [pattern, others] = rest.split(' ');
    add_special_register(result, pattern);
    rest = others;
  }
  return result;
}

}  // namespace

bool is_special_register(llvm::StringRef name) {
  static const llvm::StringSet<> names = all_special_registers();
  return names.contains(name);
}

}  // namespace hone::ptx
