// Threads that put their values together, step by step: trees in shared memory, and shuffles.
#include <set>

#include "fmt/format.h"
#include "ir/traverse/visit.h"
#include "runtime/sim/lanes.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_parts = 32, part_gap = 14;
constexpr size_t most_rounds = 12;

/// One element that gets the value of another one. They are places in a tile, or threads.
struct Joining {
  int64_t to = 0, from = 0, thread = 0;
};

/// A step in which threads of a block do that at once.
struct Round {
  std::vector<Joining> joinings;
  bool is_shuffle = false;

  /// "+16", where all partners are as far away; else "".
  std::string distance() const {
    for (const Joining& one : joinings)
      if (one.from - one.to != joinings[0].from - joinings[0].to) return exchange();
    return fmt::format("{:+}", joinings[0].from - joinings[0].to);
  }
  /// "^16", where partners change places.
  std::string exchange() const {
    for (const Joining& one : joinings)
      if ((one.from ^ one.to) != (joinings[0].from ^ joinings[0].to)) return "";
    return fmt::format("^{}", joinings[0].from ^ joinings[0].to);
  }
};

bool operator==(const Joining& lhs, const Joining& rhs) {
  return lhs.to == rhs.to && lhs.from == rhs.from && lhs.thread == rhs.thread;
}

/// The rounds that make one tensor.
struct Gathering {
  const RecordedKernel* kernel = nullptr;
  std::string tensor;
  std::vector<Round> rounds;
  bool is_whole = true;

  bool has(const Round& round) const {
    return llvm::any_of(rounds, [&](const Round& other) {
      return other.is_shuffle == round.is_shuffle && other.joinings == round.joinings;
    });
  }
};

// ---- Rounds -------------------------------------------------------------------------------------

/// The update of an element by another one of a tile, or by another lane's; null for any other.
const Store* joining_store(const Stmt& statement) {
  const auto* store = llvm::dyn_cast<Store>(statement);
  if (!store || store->update == Update::set || store->is_atomic) return nullptr;
  if (llvm::isa<Shuffle>(store->value)) return store;
  const auto* load = llvm::dyn_cast<Load>(store->value);
  return load && load->tensor->scope == Scope::shared ? store : nullptr;
}

/// The steps of one execution of a statement, from `first` on.
llvm::ArrayRef<RecordedStep> execution(llvm::ArrayRef<RecordedStep> steps, size_t first) {
  size_t end = first + 1;
  std::set<uint32_t> seen = {steps[first].access};
  while (end < steps.size() && steps[end].block == steps[first].block &&
         steps[end].kind == RecordedStep::Kind::access &&
         steps[end].statement.same_as(steps[first].statement) &&
         steps[end].iteration == steps[first].iteration && seen.insert(steps[end].access).second)
    ++end;
  return steps.slice(first, end - first);
}

Round shuffle_round(const RecordedStep& step) {
  Round round;
  round.is_shuffle = true;
  for (size_t thread = 0; thread < step.threads.size(); ++thread)
    if (step.threads[thread] >= 0)
      round.joinings.push_back(
          {static_cast<int64_t>(thread), step.threads[thread], static_cast<int64_t>(thread)});
  return round;
}

/// The elements that threads read in an execution, of a tile; they update one of their own, or a
/// register, which is as good as an element with the number of the thread.
Round tree_round(const RecordedKernel& kernel, llvm::ArrayRef<RecordedStep> steps) {
  Round round;
  const RecordedStep* written = nullptr;
  for (const RecordedStep& step : steps)
    if (kernel.report.accesses[step.access].report.access_class == AccessClass::shared_store)
      written = &step;
  for (size_t thread = 0; thread < steps[0].threads.size(); ++thread) {
    const auto number = static_cast<int64_t>(thread);
    const int64_t to = written ? written->threads[thread] : number;
    for (const RecordedStep& step : steps)
      if (&step != written && step.threads[thread] >= 0 && step.threads[thread] != to)
        round.joinings.push_back({to, step.threads[thread], number});
  }
  return round;
}

Gathering& reduction_of(std::vector<Gathering>& all, const RecordedKernel& kernel,
                        const Store& store) {
  for (Gathering& reduction : all)
    if (reduction.tensor == store.tensor->name) return reduction;
  return all.emplace_back(Gathering{&kernel, store.tensor->name, {}, true});
}

/// A reduction that is made again, by a turn of a loop around it, is drawn once.
void add_round(std::vector<Gathering>& all, const RecordedKernel& kernel, const Store& store,
               Round round) {
  if (round.joinings.empty()) return;
  Gathering& reduction = reduction_of(all, kernel, store);
  if (reduction.has(round)) return;
  if (reduction.rounds.size() == most_rounds) {
    reduction.is_whole = false;
    return;
  }
  reduction.rounds.push_back(std::move(round));
}

std::vector<Gathering> reductions_of(const RecordedKernel& kernel) {
  std::vector<Gathering> all;
  const llvm::ArrayRef<RecordedStep> steps = kernel.report.steps;
  for (size_t number = 0; number < steps.size();) {
    const RecordedStep& step = steps[number];
    const Store* store = kernel.is_drawn(step) ? joining_store(step.statement) : nullptr;
    if (!store) {
      ++number;
    } else if (step.kind == RecordedStep::Kind::shuffle) {
      add_round(all, kernel, *store, shuffle_round(step));
      ++number;
    } else {
      const llvm::ArrayRef<RecordedStep> together = execution(steps, number);
      add_round(all, kernel, *store, tree_round(kernel, together));
      number += together.size();
    }
  }
  return all;
}

// ---- The picture --------------------------------------------------------------------------------

int64_t extent_of(const Gathering& reduction) {
  int64_t last = 0;
  for (const Round& round : reduction.rounds)
    for (const Joining& one : round.joinings) last = std::max({last, one.to, one.from});
  return last + 1;
}

FigurePanel rounds_panel(const Gathering& reduction, int64_t extent) {
  FigurePanel panel("", static_cast<int64_t>(reduction.rounds.size()) + 1,
                    std::min(extent, most_parts));
  for (int64_t column = 0; column < panel.columns; ++column)
    panel.column_labels.push_back(std::to_string(column));
  for (FigureCell& cell : panel.cells) cell.is_there = true;
  panel.row_gap = part_gap;
  panel.row_labels.push_back("values");
  for (size_t step = 0; step < reduction.rounds.size(); ++step) {
    const Round& round = reduction.rounds[step];
    panel.row_labels.push_back(
        fmt::format("{}{}", round.is_shuffle ? "shuffle " : "", round.distance()));
    for (const Joining& one : round.joinings) {
      if (one.to >= panel.columns) continue;
      FigureCell& cell = panel.at(static_cast<int64_t>(step) + 1, one.to);
      cell.text = std::to_string(one.thread);
      cell.group = static_cast<int>(one.thread / warp_lanes) % figure_colours;
      cell.value = one.from;
      cell.tip = fmt::format("thread {}: {} gets the value of {}", one.thread, one.to, one.from);
    }
  }
  if (extent > panel.columns)
    panel.note = fmt::format("the first {} of {} columns", panel.columns, extent);
  return panel;
}

void add_arrows(Figure& figure, const Gathering& reduction) {
  const int64_t columns = figure.panels[0].columns;
  for (size_t step = 0; step < reduction.rounds.size(); ++step)
    for (const Joining& one : reduction.rounds[step].joinings)
      if (one.to < columns && one.from < columns)
        figure.arrows.push_back({{0, static_cast<int64_t>(step), one.from},
                                 {0, static_cast<int64_t>(step) + 1, one.to}});
}

Figure reduction_figure(const RecordedRun& run, const Gathering& reduction) {
  int64_t shuffles = 0, joinings = 0;
  for (const Round& round : reduction.rounds) {
    shuffles += round.is_shuffle;
    joinings += static_cast<int64_t>(round.joinings.size());
  }
  const auto steps = static_cast<int64_t>(reduction.rounds.size());
  Figure figure;
  figure.kind = name(FigureKind::reduction);
  figure.kernel = reduction.kernel->kernel->name;
  figure.subject = reduction.tensor;
  figure.title = fmt::format("{}how {} comes together: {}{}",
                             run.kernels.size() > 1 ? figure.kernel + ": " : "", reduction.tensor,
                             reduction.is_whole ? "" : "the first ", amount(steps, "step"));
  const bool is_tree = shuffles == 0;
  figure.caption = fmt::format(
      "The rows are {}, {} of them by a shuffle. A column is {}. A cell "
      "names the thread that works there, and its colour is the warp; an arrow comes from where "
      "the other value was.",
      amount(steps, "step"), grouped(shuffles),
      is_tree ? "an element of the tile" : "the value of a thread");
  figure.panels = {rounds_panel(reduction, extent_of(reduction))};
  add_arrows(figure, reduction);
  figure.facts = {{"steps", static_cast<double>(steps)},
                  {"shuffles", static_cast<double>(shuffles)},
                  {"combinations", static_cast<double>(joinings)}};
  return figure;
}

}  // namespace

std::vector<Figure> reduction_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : recording.run().kernels)
    for (const Gathering& reduction : reductions_of(kernel))
      figures.push_back(reduction_figure(recording.run(), reduction));
  return figures;
}

}  // namespace hone
