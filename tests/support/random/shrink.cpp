#include "tests/support/random/shrink.h"

namespace hone {
namespace {

/// Runs after which what there is has to be small enough; those that hang, or have a GPU, take
/// long.
int budget_for(const RandomCase& failing, const CaseReport& report) {
  if (report.check == "hang") return 12;
  return failing.on_gpu ? 60 : 600;
}

/// The names that a step gives the axes that it makes of `axis`.
std::vector<std::string> made_names(const Step& step, const AxisNode& axis) {
  if (step.primitive == &rename_primitive) return {step.name};
  if (step.primitive == &fuse_primitive) return {step.axes[0]->name + "_" + step.axes[1]->name};
  return {axis.name + ".0", axis.name + ".1", axis.name + ".tail"};
}

/// `axis`, or an axis that descends from it, under the name that it has where `made` is `original`.
AxisPtr renamed(const AxisPtr& axis, const std::string& made, const std::string& original) {
  if (axis->name != made && !axis->name.starts_with(made + ".")) return axis;
  return make_axis(original + axis->name.substr(made.size()), axis->kind);
}

/// The later steps, applied to the axes that the dropped step would have used up.
void redirect(llvm::MutableArrayRef<Step> later, const Step& dropped) {
  for (const AxisPtr& original : dropped.axes)
    for (const std::string& made : made_names(dropped, *original))
      for (Step& step : later)
        for (AxisPtr& axis : step.axes) axis = renamed(axis, made, original->name);
}

class Shrinker {
 public:
  Shrinker(const RandomCase& failing, const CaseReport& report, const RunCase& run)
      : run_(run), best_{failing, report}, budget_(budget_for(failing, report)) {
    best_.smallest.choices = report.choices;
    take_steps(best_.smallest, report);
  }

  Shrunk shrink() {
    bool improved = true;
    while (improved && runs_ < budget_) {
      improved = drop_steps();
      improved |= simplify_program();
      improved |= simplify_steps();
    }
    return best_;
  }

 private:
  /// Those that were accepted, and the one that was not survived.
  static void take_steps(RandomCase& random_case, const CaseReport& report) {
    random_case.steps = report.steps;
    if (report.failed) random_case.steps.push_back(*report.failed);
  }

  /// Keeps the candidate if it fails as the original does.
  bool accept(RandomCase candidate) {
    if (++runs_ > budget_) return false;
    CaseReport report = run_(candidate);
    if (report.check != best_.report.check) return false;
    candidate.choices = report.choices.empty() ? candidate.choices : report.choices;
    take_steps(candidate, report);
    best_ = {std::move(candidate), std::move(report)};
    return true;
  }

  bool drop_steps() {
    bool improved = false;
    for (size_t n = best_.smallest.steps.size(); n-- > 0;) {
      if (n >= best_.smallest.steps.size()) continue;
      RandomCase candidate = best_.smallest;
      const Step dropped = candidate.steps[n];
      candidate.steps.erase(candidate.steps.begin() + static_cast<ptrdiff_t>(n));
      RandomCase redirected = candidate;
      redirect(llvm::MutableArrayRef<Step>(redirected.steps).drop_front(n), dropped);
      improved |= accept(std::move(candidate)) || accept(std::move(redirected));
    }
    return improved;
  }

  /// A choice becomes 0, or half, or one less.
  bool simplify_program() {
    bool improved = false;
    for (size_t n = 0; n < best_.smallest.choices->size(); ++n) {
      const uint32_t choice = (*best_.smallest.choices)[n];
      if (choice == 0) continue;
      for (const uint32_t smaller : {0u, choice / 2, choice - 1}) {
        RandomCase candidate = best_.smallest;
        (*candidate.choices)[n] = smaller;
        if (!accept(std::move(candidate))) continue;
        improved = true;
        break;
      }
    }
    return improved;
  }

  /// Keeps the step with a member at its default, where that fails too.
  template <class Member>
  bool reset(size_t n, Member Step::*member) {
    RandomCase candidate = best_.smallest;
    if (n >= candidate.steps.size()) return false;
    candidate.steps[n].*member = Step(*candidate.steps[n].primitive).*member;
    return accept(std::move(candidate));
  }

  bool simplify_options(size_t n) {
    const Step step = best_.smallest.steps[n];
    bool improved = step.tail != Tail::guard && reset(n, &Step::tail);
    improved |= !step.layout.is_row_major() && reset(n, &Step::layout);
    improved |= step.count != 0 && reset(n, &Step::count);
    return improved;
  }

  bool simplify_steps() {
    bool improved = false;
    for (size_t n = 0; n < best_.smallest.steps.size(); ++n) {
      improved |= simplify_options(n);
      if (n >= best_.smallest.steps.size()) return improved;
      for (size_t f = 0; f < best_.smallest.steps[n].factors.size(); ++f) {
        const auto factor = as_int(best_.smallest.steps[n].factors[f]);
        if (factor && *factor <= 2) continue;
        RandomCase candidate = best_.smallest;
        candidate.steps[n].factors[f] = 2;
        improved |= accept(std::move(candidate));
        if (n >= best_.smallest.steps.size()) return improved;
      }
    }
    return improved;
  }

  const RunCase& run_;
  Shrunk best_;
  const int budget_;
  int runs_ = 0;
};

}  // namespace

Shrunk shrink(const RandomCase& failing, const CaseReport& report, const RunCase& run) {
  return Shrinker(failing, report, run).shrink();
}

}  // namespace hone
