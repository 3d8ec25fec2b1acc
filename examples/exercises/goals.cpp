#include "examples/exercises/goals.h"

#include <algorithm>

#include "codegen/cost/static_facts.h"
#include "ir/analysis/site.h"
#include "runtime/model/occupancy.h"

namespace hone {
namespace {

using Shortfall = std::function<std::string(const Attempt&)>;

double ratio(int64_t amount, int64_t of) {
  return of == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(of);
}

/// "4", "3.67", of which none is rounded to what a goal asks for.
std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string name_of(const char* tensor, AccessClass access_class) {
  return fmt::format("{}s of {}", to_string(access_class), tensor);
}

std::string no_accesses(const char* tensor, AccessClass access_class) {
  return fmt::format("there are no {}", name_of(tensor, access_class));
}

/// The kernel with the most threads: one that sets results to 0 has few.
const CountReport& main_kernel(const Attempt& attempt) {
  const auto fewer = [](const CountReport& a, const CountReport& b) {
    return a.threads() < b.threads();
  };
  return *std::max_element(attempt.measured.kernels.begin(), attempt.measured.kernels.end(), fewer);
}

StaticFacts facts_of(const Attempt& attempt) {
  for (const KernelFunction& kernel : attempt.measured.module.kernels)
    if (kernel.name == main_kernel(attempt).kernel) return static_facts(kernel);
  return static_facts(attempt.measured.module.kernels[0]);
}

}  // namespace

Goal sectors_at_most(const char* tensor, AccessClass access_class, double limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const MemoryCounts counts = attempt.measured.counts(tensor, access_class);
    if (counts.requests == 0) return no_accesses(tensor, access_class);
    if (counts.sectors_per_request() <= limit) return "";
    return fmt::format("a request of the {} takes {} sectors", name_of(tensor, access_class),
                       number(counts.sectors_per_request()));
  };
  return {fmt::format("at most {} sectors a request, of the {}", number(limit),
                      name_of(tensor, access_class)),
          shortfall, hint};
}

Goal vectors_of(int64_t width, const char* tensor, AccessClass access_class, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    for (const TensorCounts& access : attempt.measured.accesses())
      if (access.tensor == tensor && access.access_class == access_class)
        return access.width >= width
                   ? ""
                   : fmt::format("the {} move {} at a time", name_of(tensor, access_class),
                                 access.width == 1 ? "one element"
                                                   : fmt::format("{} elements", access.width));
    return no_accesses(tensor, access_class);
  };
  return {fmt::format("{} move {} elements at a time", name_of(tensor, access_class), width),
          shortfall, hint};
}

Goal elements_at_most(const char* tensor, AccessClass access_class, double limit,
                      const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const MemoryCounts counts = attempt.measured.counts(tensor, access_class);
    if (counts.requests == 0) return no_accesses(tensor, access_class);
    const double elements = ratio(counts.bytes / 4, attempt.measured.results);
    if (elements <= limit) return "";
    return fmt::format("there are {} {} per result", number(elements),
                       name_of(tensor, access_class));
  };
  return {fmt::format("at most {} {} per result", number(limit), name_of(tensor, access_class)),
          shortfall, hint};
}

Goal uses_tile(const char* tile, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    for (const auto access_class : {AccessClass::shared_store, AccessClass::shared_load})
      if (attempt.measured.counts(tile, access_class).requests == 0)
        return no_accesses(tile, access_class);
    return "";
  };
  return {fmt::format("{} in shared memory, written and read", tile), shortfall, hint};
}

Goal no_bank_conflicts(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    const int64_t accesses =
        attempt.measured.sum([](const CountReport& kernel) { return kernel.shared().requests; });
    const int64_t conflicts = attempt.measured.sum(
        [](const CountReport& kernel) { return kernel.shared().bank_conflicts(); });
    if (accesses == 0) return "nothing goes through shared memory";
    if (conflicts == 0) return "";
    const auto all = attempt.measured.accesses();
    const auto worst = std::max_element(
        all.begin(), all.end(), [](const TensorCounts& one, const TensorCounts& other) {
          return one.counts.bank_conflicts() < other.counts.bank_conflicts();
        });
    const int64_t there = worst->counts.bank_conflicts();
    return fmt::format("{} wavefronts are bank conflicts, {} of them in the {}", conflicts,
                       there == conflicts ? "all" : std::to_string(there),
                       name_of(worst->tensor.c_str(), worst->access_class));
  };
  return {"no bank conflict", shortfall, hint};
}

Goal shared_bytes_at_most(int64_t limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t bytes = facts_of(attempt).shared_bytes;
    return bytes <= limit ? "" : fmt::format("a block takes {} bytes of shared memory", bytes);
  };
  return {fmt::format("at most {} bytes of shared memory a block", limit), shortfall, hint};
}

Goal threads_per_block(int64_t least, int64_t most, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t threads = main_kernel(attempt).threads_per_block();
    if (threads >= least && threads <= most) return "";
    return fmt::format("a block has {} thread{}", threads, threads == 1 ? "" : "s");
  };
  const std::string wanted =
      least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  return {fmt::format("{} threads a block", wanted), shortfall, hint};
}

namespace {

/// "32 x 8", and the third extent where it is not 1.
std::string shape_text(const std::array<int64_t, 3>& extents) {
  const std::string plane = fmt::format("{} x {}", extents[0], extents[1]);
  return extents[2] == 1 ? plane : fmt::format("{} x {}", plane, extents[2]);
}

Goal extents_are(const char* what, std::array<int64_t, 3> CountReport::*extents,
                 const std::array<int64_t, 3>& wanted, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const std::array<int64_t, 3>& actual = main_kernel(attempt).*extents;
    return actual == wanted ? "" : fmt::format("{} is {}", what, shape_text(actual));
  };
  return {fmt::format("{} is {}", what, shape_text(wanted)), shortfall, hint};
}

}  // namespace

Goal block_of(int64_t x, int64_t y, const char* hint) {
  return extents_are("the block", &CountReport::block, {x, y, 1}, hint);
}

Goal grid_of(int64_t x, int64_t y, const char* hint) {
  return extents_are("the grid", &CountReport::grid, {x, y, 1}, hint);
}

Goal threads_at_least(int64_t least, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t threads = main_kernel(attempt).threads();
    return threads >= least ? "" : fmt::format("all blocks together have {} threads", threads);
  };
  return {fmt::format("{} threads in all", least), shortfall, hint};
}

Goal blocks_at_least(int64_t least, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t blocks = main_kernel(attempt).blocks();
    return blocks >= least ? ""
                           : fmt::format("the grid has {} block{}", blocks, blocks == 1 ? "" : "s");
  };
  return {fmt::format("{} blocks", least), shortfall, hint};
}

Goal barriers_at_most(double limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const double barriers = main_kernel(attempt).barriers_per_block();
    return barriers <= limit ? "" : fmt::format("a block meets {} barriers", number(barriers));
  };
  return {fmt::format("at most {} barrier{} a block", number(limit), limit == 1 ? "" : "s"),
          shortfall, hint};
}

Goal busy_lanes_at_least(double lanes, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const double busy = main_kernel(attempt).statements.lanes_per_warp();
    return busy >= lanes ? ""
                         : fmt::format("{} of the 32 lanes of a warp {} busy", number(busy),
                                       number(busy) == "1" ? "is" : "are");
  };
  return {fmt::format("{} busy lanes a warp", number(lanes)), shortfall, hint};
}

Goal shuffles(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    const int64_t count =
        attempt.measured.sum([](const CountReport& kernel) { return kernel.shuffles.warps; });
    return count > 0 ? "" : "no lane reads another one's register";
  };
  return {"results pass between registers", shortfall, hint};
}

Goal shuffles_at_most(double limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const CountReport& kernel = main_kernel(attempt);
    const int64_t warps = kernel.blocks() * ((kernel.threads_per_block() + 31) / 32);
    const double shuffles = ratio(kernel.shuffles.warps, warps);
    return shuffles <= limit ? "" : fmt::format("a warp has {} shuffles", number(shuffles));
  };
  return {fmt::format("at most {} shuffles a warp", number(limit)), shortfall, hint};
}

Goal occupancy_at_least(double fraction, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const Occupancy fitting = occupancy(
        "sm_90", {main_kernel(attempt).threads_per_block(), 0, facts_of(attempt).shared_bytes});
    if (fitting.fraction >= fraction) return "";
    return "on a multiprocessor there is room for " + to_string(fitting, "sm_90");
  };
  return {fmt::format("room for {:.0f} % of the warps", fraction * 100), shortfall, hint};
}

Goal tile_registers_at_most(int64_t limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const int64_t registers = facts_of(attempt).tile_registers();
    return registers <= limit ? ""
                              : fmt::format("the tiles of a thread take {} registers", registers);
  };
  return {fmt::format("at most {} registers for the tiles of a thread", limit), shortfall, hint};
}

Goal kernels_at_most(size_t limit, const char* hint) {
  const auto shortfall = [=](const Attempt& attempt) -> std::string {
    const size_t kernels = attempt.measured.module.kernels.size();
    return kernels <= limit ? "" : fmt::format("there are {} kernels", kernels);
  };
  return {fmt::format("at most {} kernel{}", limit, limit == 1 ? "" : "s"), shortfall, hint};
}

Goal no_guards(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    std::string guard;
    find_stmt(attempt.loops->body, [&](const Stmt& stmt) {
      if (llvm::isa<If>(stmt)) guard = head_of(stmt);
      return !guard.empty();
    });
    return guard.empty() ? "" : fmt::format("there is a guard, `{}`", guard);
  };
  return {"no guard", shortfall, hint};
}

Goal same_loops(const char* text, const char* hint) {
  const auto shortfall =
      [wanted = llvm::StringRef(text).trim().str()](const Attempt& attempt) -> std::string {
    llvm::SmallVector<llvm::StringRef> lines, wanted_lines;
    const std::string loops = to_string(*attempt.loops);
    llvm::StringRef(loops).trim().split(lines, '\n');
    llvm::StringRef(wanted).split(wanted_lines, '\n');
    for (size_t n = 0; n < std::min(lines.size(), wanted_lines.size()); ++n)
      if (lines[n] != wanted_lines[n])
        return fmt::format("line {} reads `{}` and is to read `{}`", n + 1, lines[n].trim().str(),
                           wanted_lines[n].trim().str());
    if (lines.size() == wanted_lines.size()) return "";
    return fmt::format("there are {} lines, and are to be {}", lines.size(), wanted_lines.size());
  };
  return {"the loops as the task prints them", shortfall, hint};
}

}  // namespace hone
