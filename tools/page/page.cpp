#include "tools/page/page.h"

#include <algorithm>

#include "runtime/parallel.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/warnings.h"
#include "tools/cli/explain/explanation.h"
#include "tools/page/rung_facts.h"
#include "tools/page/story/bottleneck.h"

namespace hone {
namespace {

constexpr size_t most_findings = 5;
/// Of a page with its drawings, which get the room that is left, within bounds.
constexpr size_t most_page_bytes = 690'000;
constexpr size_t least_drawing_bytes = 85'000, most_drawing_bytes = 230'000;

// ---- A launch -----------------------------------------------------------------------------------

std::string registers_text(const RegisterUse& registers, const std::string& arch) {
  if (!registers.info) return "not known: " + registers.missing;
  const PtxasInfo& info = *registers.info;
  const std::string spills = info.spills()
                                 ? fmt::format("spills of {} bytes stored and {} bytes loaded",
                                               info.spill_store_bytes, info.spill_load_bytes)
                                 : "no spills";
  return fmt::format("{} per thread, {}, on {}", info.registers, spills, arch);
}

/// Lines of the CUDA text are those of the page where the rung is built the same for these sizes.
std::vector<std::string> accesses_of(const KernelProfile& kernel, bool has_lines) {
  std::vector<std::string> accesses;
  if (!kernel.compiled) return accesses;
  for (const CompiledAccess& access : kernel.compiled->accesses)
    accesses.push_back(
        fmt::format("{}{} of {}: {}", has_lines ? fmt::format("line {}: ", access.line) : "",
                    to_string(access.access_class), access.tensor->name, to_string(access)));
  return accesses;
}

LaunchFacts launch_of(const KernelProfile& kernel, const ProfileTarget& target, bool has_lines) {
  LaunchFacts launch;
  launch.heading = kernel.counts.heading();
  launch.registers = registers_text(kernel.registers, target.arch);
  launch.occupancy = to_string(kernel.occupancy, target.arch);
  if (!kernel.registers.info) launch.occupancy += "; registers may allow fewer";
  launch.terms = occupancy_terms(target.arch, kernel.block);
  launch.limiters.assign(kernel.occupancy.limiters.begin(), kernel.occupancy.limiters.end());
  launch.accesses = accesses_of(kernel, has_lines);
  return launch;
}

std::string counted_text(const Profile& profile, const ProfileTarget& target) {
  return fmt::format("Counted on the simulated device at {}; {}.", to_text(profile.sizes),
                     basis_text(profile, target));
}

// ---- The page -----------------------------------------------------------------------------------

/// The rung that another one is compared with: in all, or in what both have in common.
struct Base {
  const RungFacts* any = nullptr;   ///< of the rung that it builds on
  const RungFacts* same = nullptr;  ///< the same where that runs on the same machine
};

/// Rows of a table, without those that are gone.
Listing rows_since(const Listing& before, const Listing& after) {
  Listing rows = compared(before, after);
  llvm::erase_if(rows, [](const ListingLine& row) { return row.change == '-'; });
  return rows;
}

void add_texts(const RungTexts& now, const Base& base, RungPage& page) {
  const bool has_schedules = base.any && !base.any->texts.loops.empty() && !now.loops.empty();
  page.schedule = has_schedules ? compared(base.any->texts.schedule, now.schedule) : now.schedule;
  page.loops = has_schedules ? compared(base.any->texts.loops, now.loops) : now.loops;
  page.axes = has_schedules ? rows_since(base.any->texts.axes, now.axes) : now.axes;
  page.tiles = has_schedules ? rows_since(base.any->texts.tiles, now.tiles) : now.tiles;
  page.code = base.same ? compared(base.same->texts.code, now.code) : now.code;
  for (Listing* listing : {&page.loops, &page.code}) drop_removed_if_new(*listing);
}

/// "0.66x as fast as shared-32: global load sectors rise 8x, ..."; without a burden where what is
/// counted is not what is measured.
std::string slower_text(const RungPage& page, const std::optional<std::string>& burden) {
  const std::string factor =
      fmt::format("{} as fast as {}", factor_text(page.standing.over_base), page.builds_on);
  if (!burden) return factor;
  return burden->empty() ? factor + "; none of the counters tells why" : factor + ": " + *burden;
}

/// The sizes of counts, next to the figures of a page.
struct CountedAt {
  const Sizes& sizes;
  bool is_first;     ///< those of the page
  double over_base;  ///< as fast as the rung that it builds on, times, there; 0: not measured there
};

/// Counts at other sizes than those of the page have a bottleneck of their own.
std::string bottleneck_of(const Profile* before, const Profile& profile, const CountedAt& at,
                          const std::string& base) {
  const std::string text = bottleneck_text(before, profile);
  if (text.empty() || at.is_first) return text;
  const std::string there = fmt::format("Counted at {}, ", to_text(at.sizes));
  if (at.over_base == 0) return there + "and not at the sizes of the table: " + text;
  return there +
         fmt::format("where it is {} as fast as {}: {}", factor_text(at.over_base), base, text);
}

void add_profile(const Profile& profile, const Profile* before, bool has_lines, const CountedAt& at,
                 const PageOptions& options, RungPage& page) {
  const Gpu* gpu = options.target.gpu;
  page.basis = counted_text(profile, options.target);
  page.counters = counter_changes(before, profile);
  page.warnings = warnings_of(profile);
  page.bottleneck = bottleneck_of(before, profile, at, page.builds_on);
  page.next = next_text(profile);
  for (const KernelProfile& kernel : profile.kernels)
    page.launches.push_back(launch_of(kernel, options.target, has_lines));
  if (!gpu || profile.kernels.empty()) return;
  page.findings = explain(before, profile, *gpu, most_findings);
  page.roofline = to_string(bound_of(profile, *gpu), *gpu);
  if (!before || !is_slower(page.standing.over_base)) return;
  page.slower = slower_text(page, is_slower(at.over_base)
                                      ? std::optional(added_burden(*before, profile, *gpu))
                                      : std::nullopt);
}

void add_host_profile(const HostProfile& profile, const HostProfile* before, RungPage& page) {
  page.basis = fmt::format(
      "Accesses as written, at {}; compilers keep elements in registers, and "
      "merge accesses.",
      to_text(profile.sizes));
  page.findings = before ? explain_host(*before, profile, most_findings)
                         : std::vector<std::string>{work_text(profile)};
}

/// `number`: of the sizes.
void add_counts(const RungFacts& facts, const Base& base, size_t number, const CountedAt& at,
                const PageOptions& options, RungPage& page) {
  const Counted& counted = facts.counted[number];
  const Counted* before = base.same ? &base.same->counted[number] : nullptr;
  page.count_problem = counted.problem;
  if (counted.profile)
    add_profile(*counted.profile, before && before->profile ? &*before->profile : nullptr,
                cuda_of(counted.profile->module) == facts.texts.cuda, at, options, page);
  if (counted.host)
    add_host_profile(*counted.host, before && before->host ? &*before->host : nullptr, page);
}

/// Bytes that the texts of a page leave.
size_t room_for_drawings(const LadderPage& page) {
  const size_t texts = std::min(to_html(page).size(), most_page_bytes);
  return std::clamp(most_page_bytes - texts, least_drawing_bytes, most_drawing_bytes);
}

/// As fast as the rung that it builds on, times, at those sizes; 0: not measured there.
double factor_at(llvm::ArrayRef<RunPage> runs, const Sizes& sizes, size_t rung) {
  for (const RunPage& run : runs)
    if (run.sizes == sizes && run.standings[rung].over_base > 0)
      return run.standings[rung].over_base;
  return 0;
}

/// The rungs of a ladder with the facts about each of them.
class PageMaker {
 public:
  PageMaker(const Ladder& ladder, const PageOptions& options)
      : ladder_(ladder), options_(options), facts_(ladder.rungs.size()) {
    parallel_for(facts_.size(), [&](size_t n) { facts_[n] = facts_of(rung_ref(n)); });
    std::vector<const Module*> modules;
    for (const RungFacts& facts : facts_) modules.push_back(&facts.texts.module);
    plan_.emplace(ladder, options, modules);
    const auto banks = std::make_shared<BankFigures>();
    parallel_for(facts_.size(), [&](size_t n) {
      add_counts_and_drawings(rung_ref(n), n, *plan_, options_, banks, facts_[n]);
    });
  }

  std::vector<RungPage> rungs(llvm::ArrayRef<RunPage> runs) const {
    const std::vector<std::string> anchors = anchors_of(ladder_);
    PageSources sources;
    std::vector<RungPage> pages;
    for (size_t n = 0; n < facts_.size(); ++n) {
      pages.push_back(rung(n, anchors, runs));
      pages[n].source = sources.add(facts_[n].texts.source, pages[n].name, anchors[n]);
    }
    return pages;
  }

  /// Adds those that there is room for to a page that has all else.
  void add_drawings(LadderPage& page) {
    std::vector<std::vector<PageDrawing>> drawings;
    for (RungFacts& facts : facts_) drawings.push_back(std::move(facts.drawings));
    const std::vector<size_t> lost = fit_drawings(drawings, room_for_drawings(page));
    for (size_t n = 0; n < facts_.size(); ++n) {
      if (!facts_[n].problem.empty()) continue;
      page.rungs[n].drawings = std::move(drawings[n]);
      page.rungs[n].drawing_note = drawing_note(n, lost[n]);
    }
  }

  AllowedParts allowed_parts() const {
    AllowedParts parts;
    for (size_t n = 0; n < facts_.size(); ++n)
      parts.push_back(allowed_part(facts_[n].counted[plan_->shown(n)]));
    return parts;
  }

 private:
  RungRef rung_ref(size_t number) const { return {&ladder_, &ladder_.rungs[number]}; }

  RungPage rung(size_t number, llvm::ArrayRef<std::string> anchors,
                llvm::ArrayRef<RunPage> runs) const {
    const Rung& rung = ladder_.rungs[number];
    RungPage page;
    page.name = rung.name;
    page.title = rung.title;
    page.question = rung.question;
    page.idea = rung.idea;
    page.standing = runs.front().standings[number];
    page.anchor = anchors[number];
    page.rebuilds = rung.rebuilds;
    page.is_host = rung.target == RungTarget::host;
    page.code_name = page.is_host ? "C" : "CUDA";
    page.problem = facts_[number].problem;
    const Rung* on = built_on(ladder_, rung);
    Base base;
    if (on) {
      const size_t position = on - ladder_.rungs.data();
      page.builds_on = on->name;
      page.base_anchor = anchors[position];
      base.any = &facts_[position];
      if (on->target == rung.target) base.same = base.any;
    }
    if (!page.problem.empty()) return page;
    add_texts(facts_[number].texts, base, page);
    const size_t sizes = plan_->shown(number);
    const CountedAt at = {plan_->sizes()[sizes], sizes == 0,
                          factor_at(runs, plan_->sizes()[sizes], number)};
    add_counts(facts_[number], base, sizes, at, options_, page);
    return page;
  }

  std::string drawing_note(size_t number, size_t lost) const {
    const RungFacts& facts = facts_[number];
    if (!facts.drawing_problem.empty()) return "Not drawn: " + facts.drawing_problem;
    if (lost == 0) return "";
    return fmt::format("There is room for no more; `hone draw {}/{}` has others.", ladder_.name,
                       ladder_.rungs[number].name);
  }

  std::optional<double> allowed_part(const Counted& counted) const {
    if (!counted.profile || counted.profile->kernels.empty() || !options_.target.gpu)
      return std::nullopt;
    const Gpu& gpu = *options_.target.gpu;
    const double seconds = bound_of(*counted.profile, gpu).seconds;
    const double least = least_seconds(ladder_, counted.profile->sizes, gpu);
    if (seconds <= 0 || least <= 0) return std::nullopt;
    return std::min(1.0, least / seconds);
  }

  const Ladder& ladder_;
  PageOptions options_;
  std::optional<CountPlan> plan_;
  std::vector<RungFacts> facts_;
};

}  // namespace

LadderPage make_page(const Ladder& ladder, const PageOptions& options) {
  PageMaker maker(ladder, options);
  const Gpu* gpu = options.target.gpu;
  LadderPage page;
  page.name = ladder.name;
  page.title = ladder.title;
  page.version = version_text();
  page.target = gpu ? gpu->name : options.target.arch;
  page.runs = run_pages(ladder, options.sizes, options.runs, maker.allowed_parts(), gpu);
  const RunPage& first = page.runs.front();
  page.problem = problem_page(ladder, options.sizes, drawn_sizes_of(options), gpu, first.standings);
  page.rungs = maker.rungs(page.runs);
  const MeasuredRun* run = first_run_at(options.runs, options.sizes);
  for (RungPage& rung : page.rungs)
    if (const MeasuredRung* one = run ? run->of(rung.name) : nullptr) rung.measured = *one;
  maker.add_drawings(page);
  return page;
}

}  // namespace hone
