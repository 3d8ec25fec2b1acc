#include "tools/page/counter_changes.h"

#include <algorithm>
#include <cmath>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// The counts of all kernels together, as compiled where that is known.
CountReport sum_of_kernels(const Profile& profile) {
  CountReport sum;
  for (const KernelProfile& kernel : profile.kernels) {
    const CountReport one = counts_as_compiled(kernel);
    for (int number = 0; number < access_classes; ++number)
      sum.totals[number] += one.totals[number];
    sum.branch_total += one.branch_total;
    sum.flops += one.flops;
    sum.double_flops += one.double_flops;
    sum.tensor_operations += one.tensor_operations;
    sum.barriers += one.barriers;
    sum.shuffles += one.shuffles;
    sum.statements += one.statements;
  }
  return sum;
}

template <AccessClass access_class, int64_t MemoryCounts::*count>
std::optional<double> total(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).total(access_class).*count);
}

template <AccessClass access_class>
std::optional<double> sectors_per_request(const Profile& profile) {
  return sum_of_kernels(profile).total(access_class).sectors_per_request();
}

template <AccessClass access_class>
std::optional<double> conflicts(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).total(access_class).bank_conflicts());
}

std::optional<double> kernels(const Profile& profile) {
  return static_cast<double>(profile.kernels.size());
}

/// Of the only kernel, or of none.
const KernelProfile* only_kernel(const Profile& profile) {
  return profile.kernels.size() == 1 ? profile.kernels.data() : nullptr;
}

std::optional<double> blocks(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel) return std::nullopt;
  return static_cast<double>(kernel->counts.blocks());
}

std::optional<double> threads_per_block(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel) return std::nullopt;
  return static_cast<double>(kernel->counts.threads_per_block());
}

std::optional<double> barriers_per_block(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel) return std::nullopt;
  return kernel->counts.barriers_per_block();
}

std::optional<double> warp_instructions(const Profile& profile) {
  double sum = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    if (!kernel.compiled) return std::nullopt;
    sum += kernel.warp_instructions();
  }
  return sum;
}

std::optional<double> shuffles(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).shuffles.warps);
}

std::optional<double> lanes(const Profile& profile) {
  return sum_of_kernels(profile).statements.lanes_per_warp();
}

std::optional<double> divergent_branches(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).branch_total.divergent);
}

std::optional<double> flops(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).flops);
}

std::optional<double> tensor_operations(const Profile& profile) {
  return static_cast<double>(sum_of_kernels(profile).tensor_operations);
}

std::optional<double> flops_per_byte(const Profile& profile) {
  return sum_of_kernels(profile).global_intensity();
}

std::optional<double> registers(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel || !kernel->registers.info) return std::nullopt;
  return kernel->registers.info->registers;
}

std::optional<double> spilled_bytes(const Profile& profile) {
  double sum = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    if (!kernel.registers.info) return std::nullopt;
    sum += kernel.registers.info->spill_store_bytes;
  }
  return sum;
}

std::optional<double> shared_bytes(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel) return std::nullopt;
  return static_cast<double>(kernel->block.shared_bytes);
}

std::optional<double> resident_warps(const Profile& profile) {
  const KernelProfile* kernel = only_kernel(profile);
  if (!kernel) return std::nullopt;
  return kernel->occupancy.warps_per_sm;
}

constexpr auto gld = AccessClass::global_load, gst = AccessClass::global_store,
               sld = AccessClass::shared_load, sst = AccessClass::shared_store,
               gat = AccessClass::global_atomic, sat = AccessClass::shared_atomic;

constexpr CounterMeaning all_meanings[] = {
    {"kernels", "Launches, one after the other; each waits for the one before.", kernels},
    {"blocks", "Blocks of the grid. A GPU needs several for each multiprocessor.", blocks},
    {"threads per block", "Threads that share memory and barriers; 32 of them are a warp.",
     threads_per_block},
    {"instructions of warps", "Instructions that warps issue, counted in the compiled code.",
     warp_instructions},
    {"global load requests", "Instructions of warps that read global memory.",
     total<gld, &MemoryCounts::requests>},
    {"global load sectors",
     "Pieces of 32 bytes that these reads touch: what crosses from L2 if L1 holds none.",
     total<gld, &MemoryCounts::sectors>},
    {"sectors per global load",
     "4 where the 32 lanes of a warp read neighbouring floats; 32 where each reads a line of its "
     "own.",
     sectors_per_request<gld>},
    {"global store requests", "Instructions of warps that write global memory.",
     total<gst, &MemoryCounts::requests>},
    {"global store sectors", "Pieces of 32 bytes that these writes touch.",
     total<gst, &MemoryCounts::sectors>},
    {"sectors per global store", "4 where the lanes of a warp write neighbouring floats.",
     sectors_per_request<gst>},
    {"global atomic requests", "Instructions of warps that update global memory at once.",
     total<gat, &MemoryCounts::requests>},
    {"shared load requests", "Instructions of warps that read shared memory.",
     total<sld, &MemoryCounts::requests>},
    {"shared load wavefronts",
     "Passes that these reads take: one where the 32 banks are each asked for one word.",
     total<sld, &MemoryCounts::wavefronts>},
    {"bank conflicts of loads", "Passes beyond the least, as lanes ask a bank for several words.",
     conflicts<sld>},
    {"shared store requests", "Instructions of warps that write shared memory.",
     total<sst, &MemoryCounts::requests>},
    {"shared store wavefronts", "Passes that these writes take.",
     total<sst, &MemoryCounts::wavefronts>},
    {"bank conflicts of stores", "Passes beyond the least, as lanes write several words of a bank.",
     conflicts<sst>},
    {"shared atomic requests", "Instructions of warps that update shared memory at once.",
     total<sat, &MemoryCounts::requests>},
    {"shuffles", "Exchanges between the registers of a warp's lanes, without memory.", shuffles},
    {"barriers per block", "Times that all threads of a block wait for each other.",
     barriers_per_block},
    {"divergent branches", "Branches that some lanes of a warp take and others do not.",
     divergent_branches},
    {"lanes at work", "Of the 32 lanes of a warp, those that do something, on average.", lanes},
    {"floating-point operations", "A fused multiply-add is two.", flops},
    {"operations of tensor cores", "Products and sums that the lanes of a warp compute together.",
     tensor_operations},
    {"operations per byte of sectors",
     "Arithmetic intensity: floating-point operations for a byte that crosses between L2 and L1.",
     flops_per_byte},
    {"registers per thread",
     "As the assembler reports them; 65536 are there for all threads of a "
     "multiprocessor.",
     registers},
    {"bytes of spills", "Registers of a thread that did not fit and go to local memory.",
     spilled_bytes},
    {"bytes of shared memory", "Taken by a block.", shared_bytes},
    {"resident warps", "Warps that a multiprocessor holds at a time, to hide waiting behind work.",
     resident_warps},
};

std::string with_thousands(const std::string& digits) {
  std::string text;
  for (size_t n = 0; n < digits.size(); ++n) {
    if (n > 0 && (digits.size() - n) % 3 == 0) text += ',';
    text += digits[n];
  }
  return text;
}

}  // namespace

llvm::ArrayRef<CounterMeaning> counter_meanings() { return all_meanings; }

bool CounterChange::is_change() const {
  if (!before) return false;
  return std::abs(after - *before) > 0.01 * std::max(std::abs(after), std::abs(*before));
}

std::vector<CounterChange> counter_changes(const Profile* before, const Profile& after) {
  std::vector<CounterChange> changes;
  for (const CounterMeaning& counter : all_meanings) {
    const auto now = counter.value(after);
    const auto former = before ? counter.value(*before) : std::nullopt;
    if (now && (*now != 0 || former.value_or(0) != 0)) changes.push_back({&counter, former, *now});
  }
  return changes;
}

std::string amount_text(double amount) {
  if (std::abs(amount) >= 100 || amount == std::floor(amount))
    return with_thousands(fmt::format("{:.0f}", amount));
  return fmt::format("{:.3g}", amount);
}

std::string change_text(const CounterChange& change) {
  if (!change.is_change()) return "";
  if (*change.before == 0) return "new";
  if (change.after == 0) return "gone";
  const double factor = change.after / *change.before;
  return factor < 1 ? fmt::format("{:.3g}x less", 1 / factor) : fmt::format("{:.3g}x more", factor);
}

}  // namespace hone
