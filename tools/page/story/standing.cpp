#include "tools/page/story/standing.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/page/counter_changes.h"

namespace hone {
namespace {

/// Times that differ by less are the same.
constexpr double measuring_error = 0.02;

/// Rungs by their numbers, with the number of the one that each builds on.
class RungTree {
 public:
  explicit RungTree(const Ladder& ladder) : ladder_(ladder) {}

  bool is_host(size_t rung) const { return ladder_.rungs[rung].target == RungTarget::host; }

  /// Nothing where there is none, or where it runs on another machine.
  std::optional<size_t> base_of(size_t rung) const {
    const Rung* base = built_on(ladder_, ladder_.rungs[rung]);
    if (!base || base->target != ladder_.rungs[rung].target) return std::nullopt;
    return base - ladder_.rungs.data();
  }

  /// From the first rung of a GPU to that one.
  std::vector<size_t> line_to(size_t rung) const {
    std::vector<size_t> line = {rung};
    while (const auto base = base_of(line.back())) line.push_back(*base);
    std::reverse(line.begin(), line.end());
    return line;
  }

 private:
  const Ladder& ladder_;
};

/// The last rung of a GPU that is as fast as any; without times the last one.
std::optional<size_t> goal_of(const RungTree& tree, llvm::ArrayRef<RungStanding> standings) {
  double least = 0;
  for (size_t n = 0; n < standings.size(); ++n)
    if (!tree.is_host(n) && standings[n].seconds > 0)
      least = least > 0 ? std::min(least, standings[n].seconds) : standings[n].seconds;
  for (size_t n = standings.size(); n-- > 0;) {
    const bool is_fast = least == 0 || (standings[n].seconds > 0 &&
                                        standings[n].seconds <= least * (1 + measuring_error));
    if (!tree.is_host(n) && is_fast) return n;
  }
  return std::nullopt;
}

void find_lines(const RungTree& tree, std::vector<RungStanding>& standings) {
  const auto goal = goal_of(tree, standings);
  const std::vector<size_t> main = goal ? tree.line_to(*goal) : std::vector<size_t>();
  for (size_t n = 0; n < standings.size(); ++n) {
    const bool is_main = llvm::is_contained(main, n);
    standings[n].line = tree.is_host(n) ? RungLine::host
                        : is_main       ? RungLine::main
                                        : RungLine::branch;
    if (standings[n].line != RungLine::branch) continue;
    for (std::optional<size_t> up = n; up && !llvm::is_contained(main, *up); up = tree.base_of(*up))
      ++standings[n].depth;
  }
}

/// The first rung with a time of each machine: of a GPU, on the main line.
const RungStanding* first_of(llvm::ArrayRef<RungStanding> standings, bool is_host) {
  for (const RungStanding& one : standings)
    if (one.seconds > 0 && one.line == (is_host ? RungLine::host : RungLine::main)) return &one;
  return nullptr;
}

double ratio_of(double before, double after) {
  return before > 0 && after > 0 ? before / after : 0;
}

/// Adds the branches of a rung, each with its own behind it.
void add_branches(const RungTree& tree, llvm::ArrayRef<RungStanding> standings, size_t rung,
                  std::vector<size_t>& order) {
  for (size_t n = 0; n < standings.size(); ++n) {
    if (standings[n].line != RungLine::branch || tree.base_of(n) != rung) continue;
    order.push_back(n);
    add_branches(tree, standings, n, order);
  }
}

std::string rungs_text(size_t count) {
  return fmt::format("{} rung{}", count, count == 1 ? "" : "s");
}

}  // namespace

bool is_slower(double over_base) {
  constexpr double slower_by = 0.97;
  return over_base > 0 && over_base < slower_by;
}

std::vector<RungStanding> standings_of(const Ladder& ladder, const MeasuredRun* run) {
  const RungTree tree(ladder);
  std::vector<RungStanding> standings(ladder.rungs.size());
  for (size_t n = 0; n < standings.size(); ++n)
    if (const MeasuredRung* one = run ? run->of(ladder.rungs[n].name) : nullptr)
      standings[n].seconds = one->milliseconds / 1000;
  find_lines(tree, standings);
  for (size_t n = 0; n < standings.size(); ++n) {
    RungStanding& one = standings[n];
    if (const auto base = tree.base_of(n))
      one.over_base = ratio_of(standings[*base].seconds, one.seconds);
    if (const RungStanding* first = first_of(standings, tree.is_host(n)))
      one.over_first = ratio_of(first->seconds, one.seconds);
  }
  return standings;
}

std::vector<size_t> table_order(const Ladder& ladder, llvm::ArrayRef<RungStanding> standings) {
  const RungTree tree(ladder);
  std::vector<size_t> order;
  for (size_t n = 0; n < standings.size(); ++n) {
    const bool is_root = standings[n].line == RungLine::branch && !tree.base_of(n);
    if (standings[n].line != RungLine::main && !is_root) continue;
    order.push_back(n);
    add_branches(tree, standings, n, order);
  }
  for (size_t n = 0; n < standings.size(); ++n)
    if (standings[n].line == RungLine::host) order.push_back(n);
  return order;
}

std::string factor_text(double factor) {
  if (factor <= 0) return "";
  return factor < 100 ? fmt::format("{:.3g}x", factor) : amount_text(factor) + "x";
}

std::string plan_text(const Ladder& ladder, llvm::ArrayRef<RungStanding> standings) {
  std::vector<size_t> main;
  size_t branches = 0, hosts = 0;
  for (size_t n = 0; n < standings.size(); ++n) {
    if (standings[n].line == RungLine::main) main.push_back(n);
    branches += standings[n].line == RungLine::branch;
    hosts += standings[n].line == RungLine::host;
  }
  std::string text;
  if (!main.empty())
    text = fmt::format("The main line has {}, from {} to {}; each builds on the one before it.",
                       rungs_text(main.size()), ladder.rungs[main.front()].name,
                       ladder.rungs[main.back()].name);
  if (branches > 0)
    text += fmt::format(" {} branch{} off, to compare with.", rungs_text(branches),
                        branches == 1 ? "es" : "");
  if (hosts > 0)
    text += fmt::format("{}{} run{} on the host, and stand{} apart.", text.empty() ? "" : " ",
                        rungs_text(hosts), hosts == 1 ? "s" : "", hosts == 1 ? "s" : "");
  return text;
}

}  // namespace hone
