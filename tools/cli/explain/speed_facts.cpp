#include "tools/cli/explain/speed_facts.h"

#include <algorithm>
#include <cmath>

#include "ir/threads/tensor_operations.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/explain/access_facts.h"
#include "tools/cli/explain/amount_text.h"
#include "tools/cli/explain/speed_costs.h"
#include "tools/cli/explain/tile_reasons.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

// ---- Reasons ------------------------------------------------------------------------------------

std::string for_no_reason(const Subject&, const Subject&) { return ""; }

std::string blocks_text(int64_t blocks) {
  return blocks == 1 ? "one block" : fmt::format("{} blocks", blocks);
}

/// Of the kernel that moves most, at the usual sizes.
int64_t blocks_of(const Subject& subject) {
  return std::llround(value_of(subject.largest().facts.blocks, subject.profile.usual));
}

/// Of a multiprocessor, as the grid has them.
int64_t given_blocks(const Subject& subject) {
  return std::max<int64_t>(llvm::divideCeil(blocks_of(subject), subject.gpu.multiprocessors), 1);
}

/// Blocks of other sizes tell of a change, and else what there could be more of.
std::string because_of_limits(const Subject& before, const Subject& after) {
  const Occupancy& occupancy = after.largest().occupancy;
  const int64_t former = before.largest().block.threads, now = after.largest().block.threads;
  const bool is_same_grid = blocks_of(before) == blocks_of(after);
  const bool is_limited = given_blocks(after) < occupancy.blocks_per_sm;
  if (former != now &&
      ((given_blocks(before) == 1 && given_blocks(after) == 1) || (is_same_grid && is_limited)))
    return fmt::format("blocks have {} threads instead of {}", now, former);
  if (is_limited) return fmt::format("the grid has {}", blocks_text(blocks_of(after)));
  std::vector<std::string> limiters;
  for (const OccupancyLimit limit : occupancy.limiters) limiters.push_back(name(limit).str());
  return limiters.empty() ? "" : fmt::format("the limit is {}", enumerated(limiters));
}

/// False of a persistent kernel with fewer tiles than blocks.
bool have_all_work(const Subject& subject) {
  const KernelProfile& largest = subject.largest();
  return largest.work.blocks == 0 || largest.work.blocks == largest.counts.blocks();
}

std::string because_of_blocks(const Subject& before, const Subject& after) {
  const int64_t now = after.largest().work.blocks, former = before.largest().work.blocks;
  if (now == 0 || former == 0)
    return fmt::format("the grid {} {}, however large the sizes are", now == 0 ? "had" : "has",
                       blocks_text(std::max(now, former)));
  if (!have_all_work(before) || !have_all_work(after))
    return fmt::format("{} have work instead of {}", blocks_text(now), former);
  return fmt::format("the grid has {} instead of {}", blocks_text(now), former);
}

/// The words of the instructions of tensor cores in all kernels.
std::vector<std::string> tensor_words(const Subject& subject) {
  std::vector<std::string> words;
  for (const KernelFunction& kernel : subject.profile.module.kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      if (!tensor_operations(stmt)) return;
      const std::string word = llvm::cast<Instr>(stmt.get())->opcode.word();
      if (!llvm::is_contained(words, word)) words.push_back(word);
    });
  return words;
}

std::string because_of_tensor_cores(const Subject& before, const Subject& after) {
  const auto now = tensor_words(after), former = tensor_words(before);
  if (now.empty() == former.empty()) return "";
  return now.empty() ? fmt::format("warps no longer compute products by {}", enumerated(former))
                     : fmt::format("warps compute products by {}", enumerated(now));
}

// ---- Amounts ------------------------------------------------------------------------------------

double local_accesses(const Subject& subject) {
  return subject.per_result(subject.sum([](const KernelProfile& kernel) {
    return kernel.compiled ? kernel.compiled->local_accesses * kernel.counts.threads() : 0;
  }));
}

double local_cost(const Subject& subject) {
  return 2 * local_accesses(subject) * subject.profile.results / 32;
}

double warp_instructions(const Subject& subject) {
  return subject.sum([&](const KernelProfile& kernel) { return kernel.warp_instructions(); });
}

/// Of a warp, on average.
double lanes(const Subject& subject) {
  return ratio(subject.sum([](const KernelProfile& k) { return k.counts.statements.lanes; }),
               subject.sum([](const KernelProfile& k) { return k.counts.statements.warps; }));
}

/// Of threads.
double instructions(const Subject& subject) {
  return subject.per_result(warp_instructions(subject) * lanes(subject));
}

double idle_factor(const Subject& subject) { return ratio(1, lanes(subject)); }

double issue_cost(const Subject& subject) {
  return instruction_cost(subject.sum([&](const KernelProfile& kernel) {
    const double warps = kernel.warp_instructions();
    return warps == 0 ? 0 : warps * subject.growth(kernel, kernel.compiled->statements);
  }));
}

double dram_bytes(const Subject& subject) {
  return subject.per_result(
      subject.sum([](const KernelProfile& kernel) { return kernel.work.dram_bytes; }));
}

/// Of the kernel that moves most.
double multiprocessors(const Subject& subject) {
  return at_work(subject.gpu, subject.largest().work.blocks);
}

double all_multiprocessors(const Subject& subject) { return subject.gpu.multiprocessors; }

double idle_multiprocessors(const Subject& subject) {
  return subject.gpu.multiprocessors / multiprocessors(subject);
}

/// Of a multiprocessor at work, of the kernel that moves most.
double bytes_in_flight(const Subject& subject) {
  const KernelProfile& most = subject.largest();
  if (!most.compiled) return 0;
  const double threads =
      value_of(most.facts.blocks * most.facts.threads_per_block, subject.profile.usual);
  return most.compiled->bytes_in_flight *
         std::min(threads / multiprocessors(subject), 32.0 * most.occupancy.warps_per_sm);
}

double waiting_factor(const Subject& subject) {
  return latency_factor(bytes_in_flight(subject), subject.gpu);
}

double cost_of_dram(const Subject& subject) {
  return waiting_factor(subject) *
         dram_cost(dram_bytes(subject) * static_cast<double>(subject.profile.results), subject.gpu);
}

double flops(const Subject& subject) {
  return subject.per_result(
      subject.sum([](const KernelProfile& kernel) { return kernel.counts.flops; }));
}

double double_flops(const Subject& subject) {
  return subject.per_result(
      subject.sum([](const KernelProfile& kernel) { return kernel.counts.double_flops; }));
}

double cost_of_doubles(const Subject& subject) {
  return double_cost(double_flops(subject) * static_cast<double>(subject.profile.results),
                     subject.gpu);
}

double operations_of_tensor_cores(const Subject& subject) {
  return subject.per_result(
      subject.sum([](const KernelProfile& kernel) { return kernel.counts.tensor_operations; }));
}

double cost_of_tensor_cores(const Subject& subject) {
  return tensor_cost(
      operations_of_tensor_cores(subject) * static_cast<double>(subject.profile.results),
      subject.gpu);
}

double shuffles(const Subject& subject) {
  return subject.per_result(
      subject.sum([](const KernelProfile& kernel) { return kernel.counts.shuffles.lanes; }));
}

double shuffle_cost(const Subject& subject) {
  return subject.sum([](const KernelProfile& kernel) { return kernel.counts.shuffles.warps; });
}

double occupied(const Subject& subject) {
  const Occupancy& occupancy = subject.largest().occupancy;
  if (occupancy.blocks_per_sm == 0) return 0;
  const double resident = std::min<int64_t>(occupancy.blocks_per_sm, given_blocks(subject));
  return 100 * occupancy.fraction * resident / occupancy.blocks_per_sm;
}

double barriers(const Subject& subject) {
  return subject.sum(
      [](const KernelProfile& kernel) { return kernel.counts.barriers_per_block(); });
}

double barrier_cost(const Subject& subject) {
  return subject.sum([](const KernelProfile& kernel) {
    const int64_t warps = (kernel.counts.threads_per_block() + 31) / 32;
    return static_cast<double>(kernel.counts.barriers * warps);
  });
}

double kernels(const Subject& subject) {
  return static_cast<double>(subject.profile.kernels.size());
}

// ---- The table ----------------------------------------------------------------------------------

template <Amount amount>
std::string percent_text(const Subject& subject) {
  return fmt::format("{:.0f} %", amount(subject));
}

constexpr Fact multiprocessors_fact = {"multiprocessors at work",
                                       " of the GPU's ",
                                       multiprocessors,
                                       amount_text<multiprocessors>,
                                       busy_cost,
                                       idle_multiprocessors,
                                       because_of_blocks,
                                       /*nothing=*/0,
                                       /*needs_reason=*/false,
                                       /*when_new=*/nullptr,
                                       /*is_work=*/false,
                                       all_multiprocessors};

/// Of counts of machine code that are estimates: ptxas unrolls loops, and runs short branches with
/// lanes that do nothing.
constexpr double least_sure_change = 1.25;

constexpr Fact other_facts[] = {
    {"accesses to local memory", " per result", local_accesses, amount_text<local_accesses>,
     local_cost, nullptr, for_no_reason},
    {"bytes of DRAM", " per result", dram_bytes, amount_text<dram_bytes>, cost_of_dram, nullptr,
     for_no_reason},
    {"bytes in flight", " of a multiprocessor", bytes_in_flight, amount_text<bytes_in_flight>,
     cost_of_dram, waiting_factor, for_no_reason},
    {"instructions", " per result", instructions, amount_text<instructions>, issue_cost, nullptr,
     because_of_tensor_cores, /*nothing=*/0, /*needs_reason=*/false, /*when_new=*/nullptr,
     /*is_work=*/false, /*whole=*/nullptr, least_sure_change},
    {"lanes at work", " of a warp", lanes, amount_text<lanes>, issue_cost, idle_factor,
     for_no_reason, /*nothing=*/32, /*needs_reason=*/false, /*when_new=*/nullptr,
     /*is_work=*/false, /*whole=*/nullptr, least_sure_change},
    {"operations in double precision", " per result", double_flops, amount_text<double_flops>,
     cost_of_doubles, nullptr, for_no_reason},
    {"operations of tensor cores", " per result", operations_of_tensor_cores,
     amount_text<operations_of_tensor_cores>, cost_of_tensor_cores, nullptr,
     because_of_tensor_cores},
    {"shuffles", " per result", shuffles, amount_text<shuffles>, shuffle_cost, nullptr,
     for_no_reason},
    {"barriers", " a block", barriers, amount_text<barriers>, barrier_cost, nullptr, for_no_reason},
    {"resident warps", " of a multiprocessor", occupied, percent_text<occupied>, nullptr, nullptr,
     because_of_limits},
    {"kernels", "", kernels, amount_text<kernels>, nullptr, nullptr, for_no_reason, /*nothing=*/1},
    {"floating-point operations", " per result", flops, amount_text<flops>, nullptr, nullptr,
     for_no_reason, /*nothing=*/0, /*needs_reason=*/false, /*when_new=*/nullptr, /*is_work=*/true},
};

}  // namespace

llvm::ArrayRef<Fact> speed_facts() {
  static const std::vector<Fact> all = [] {
    std::vector<Fact> facts = {multiprocessors_fact};
    llvm::append_range(facts, access_facts());
    llvm::append_range(facts, llvm::ArrayRef<Fact>(other_facts));
    return facts;
  }();
  return all;
}

std::string unit_text(const Fact& fact, const Subject& subject) {
  return fact.whole ? fact.unit + number_text(fact.whole(subject)) : fact.unit;
}

double busy_cost(const Subject& subject) {
  double total = 0;
  for (const Fact& fact : speed_facts())
    if (fact.cost && !fact.factor) total += fact.cost(subject);
  return total;
}

double total_cost(const Subject& subject) {
  return busy_cost(subject) * idle_multiprocessors(subject);
}

}  // namespace hone
