#include "tools/page/page.h"

#include <algorithm>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "runtime/parallel.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/host_explanation.h"
#include "tools/cli/command/warnings.h"
#include "tools/cli/explain/explanation.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/page/listing.h"

namespace hone {
namespace {

constexpr size_t most_findings = 5;
/// Of all drawings of a page, which is to stay below a megabyte.
constexpr size_t most_drawing_bytes = 450'000;

/// The texts of a rung, before they are compared with those of another one.
struct RungTexts {
  std::string cuda;  ///< of a rung of a GPU, whole
  Listing schedule, loops, code;
  std::vector<AxisPlace> axes;
  std::vector<TilePlace> tiles;
};

/// A rung as it was counted; one of the two, or none, with the reason.
struct Counted {
  std::optional<Profile> profile;
  std::optional<HostProfile> host;
  std::string problem;
};

/// All that is known of a rung by itself.
struct RungFacts {
  RungTexts texts;
  Counted counted;
  std::vector<PageDrawing> drawings;
  std::string drawing_problem;  ///< the reason that there are none
  std::string problem;          ///< the reason that there are no texts
};

std::string cuda_of(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels) text += emit_cuda(kernel);
  return text;
}

/// A rung that is given as kernels has neither schedule nor loops.
RungTexts texts_of(const RungRef& rung) {
  const bool is_host = rung.rung->target == RungTarget::host;
  const RungKernels kernels = kernels_of(rung, {}, rung.ladder->sizes);
  const Module module = is_host ? lower_host(kernels.program) : kernels.module;
  RungTexts texts;
  texts.cuda = is_host ? "" : cuda_of(module);
  texts.code = is_host ? plain_listing(emit_c(module.kernels.front()))
                       : cuda_listing(kernels.schedule_or_null(), module);
  if (!kernels.schedule) return texts;
  texts.schedule = schedule_listing(*kernels.schedule);
  texts.loops = loops_listing(*kernels.schedule);
  texts.axes = axis_places(*kernels.schedule, module);
  texts.tiles = tile_places(*kernels.schedule, module);
  return texts;
}

Counted count_rung_of_page(const RungRef& rung, const PageOptions& options) {
  Counted counted;
  try {
    if (rung.rung->target == RungTarget::host)
      counted.host = HostProfile{rung.ladder->sizes, count_host(rung, rung.ladder->sizes)};
    else
      counted.profile =
          profile_rung(rung, options.sizes, options.seed, options.count, options.target);
  } catch (const std::exception& error) {
    counted.problem = error.what();
  }
  return counted;
}

void draw(const RungRef& rung, const PageOptions& options, RungFacts& facts) {
  try {
    facts.drawings = drawings_of(rung, {options.sizes, options.seed});
  } catch (const std::exception& error) {
    facts.drawing_problem = error.what();
  }
}

RungFacts facts_of(const RungRef& rung, const PageOptions& options) {
  RungFacts facts;
  try {
    facts.texts = texts_of(rung);
  } catch (const std::exception& error) {
    facts.problem = error.what();
    return facts;
  }
  facts.counted = count_rung_of_page(rung, options);
  draw(rung, options, facts);
  return facts;
}

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

void add_texts(const RungTexts& now, const Base& base, RungPage& page) {
  page.axes = now.axes;
  page.tiles = now.tiles;
  const bool has_schedules = base.any && !base.any->texts.loops.empty() && !now.loops.empty();
  page.schedule = has_schedules ? compared(base.any->texts.schedule, now.schedule) : now.schedule;
  page.loops = has_schedules ? compared(base.any->texts.loops, now.loops) : now.loops;
  page.code = base.same ? compared(base.same->texts.code, now.code) : now.code;
}

void add_profile(const Profile& profile, const Profile* before, bool has_lines,
                 const PageOptions& options, RungPage& page) {
  const Gpu* gpu = options.target.gpu;
  page.basis = counted_text(profile, options.target);
  page.counters = counter_changes(before, profile);
  page.warnings = warnings_of(profile);
  for (const KernelProfile& kernel : profile.kernels)
    page.launches.push_back(launch_of(kernel, options.target, has_lines));
  if (!gpu || profile.kernels.empty()) return;
  page.findings = explain(before, profile, *gpu, most_findings);
  page.roofline = to_string(bound_of(profile, *gpu), *gpu);
}

void add_host_profile(const HostProfile& profile, const HostProfile* before, RungPage& page) {
  page.basis = fmt::format(
      "Accesses as written, at {}; compilers keep elements in registers, and "
      "merge accesses.",
      to_text(profile.sizes));
  page.findings = before ? explain_host(*before, profile, most_findings)
                         : std::vector<std::string>{work_text(profile)};
}

void add_counts(const RungFacts& facts, const Base& base, const PageOptions& options,
                RungPage& page) {
  const Counted& counted = facts.counted;
  const Counted* before = base.same ? &base.same->counted : nullptr;
  page.count_problem = counted.problem;
  if (counted.profile)
    add_profile(*counted.profile, before && before->profile ? &*before->profile : nullptr,
                cuda_of(counted.profile->module) == facts.texts.cuda, options, page);
  if (counted.host)
    add_host_profile(*counted.host, before && before->host ? &*before->host : nullptr, page);
}

/// The rungs of a ladder with the facts about each of them.
class PageMaker {
 public:
  PageMaker(const Ladder& ladder, const PageOptions& options)
      : ladder_(ladder), options_(options), facts_(ladder.rungs.size()) {
    parallel_for(facts_.size(), [&](size_t n) {
      facts_[n] = facts_of({&ladder, &ladder.rungs[n]}, options);
    });
    std::vector<std::vector<PageDrawing>> drawings;
    for (RungFacts& facts : facts_) drawings.push_back(std::move(facts.drawings));
    lost_drawings_ = fit_drawings(drawings, most_drawing_bytes);
    for (size_t n = 0; n < facts_.size(); ++n) facts_[n].drawings = std::move(drawings[n]);
  }

  std::vector<RungPage> rungs() const {
    const std::vector<std::string> anchors = anchors_of(ladder_);
    std::vector<RungPage> pages;
    for (size_t n = 0; n < facts_.size(); ++n) pages.push_back(rung(n, anchors));
    return pages;
  }

  AllowedParts allowed_parts() const {
    AllowedParts parts;
    for (const RungFacts& facts : facts_) parts.push_back(allowed_part(facts.counted));
    return parts;
  }

 private:
  RungPage rung(size_t number, llvm::ArrayRef<std::string> anchors) const {
    const Rung& rung = ladder_.rungs[number];
    RungPage page;
    page.name = rung.name;
    page.title = rung.title;
    page.idea = rung.idea;
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
    add_counts(facts_[number], base, options_, page);
    page.drawings = facts_[number].drawings;
    page.drawing_note = drawing_note(number);
    return page;
  }

  std::string drawing_note(size_t number) const {
    const RungFacts& facts = facts_[number];
    if (!facts.drawing_problem.empty()) return "Not drawn: " + facts.drawing_problem;
    if (lost_drawings_[number] == 0) return "";
    return fmt::format("There is room for no more; `hone draw {}/{}` has {} other{}.", ladder_.name,
                       ladder_.rungs[number].name, lost_drawings_[number],
                       lost_drawings_[number] == 1 ? "" : "s");
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
  const PageOptions& options_;
  std::vector<RungFacts> facts_;
  std::vector<size_t> lost_drawings_;  ///< of each rung
};

}  // namespace

LadderPage make_page(const Ladder& ladder, const PageOptions& options) {
  const PageMaker maker(ladder, options);
  LadderPage page;
  page.name = ladder.name;
  page.title = ladder.title;
  page.version = version_text();
  page.target = options.target.gpu ? options.target.gpu->name : options.target.arch;
  page.runs = options.runs;
  page.rungs = maker.rungs();
  const AllowedParts allowed = maker.allowed_parts();
  for (const MeasuredRun& run : page.runs)
    page.charts.push_back(speed_chart(ladder, &run, allowed, options.target.gpu));
  if (page.runs.empty())
    page.charts.push_back(speed_chart(ladder, nullptr, allowed, options.target.gpu));
  for (SpeedChart& chart : llvm::drop_begin(page.charts))
    if (chart.is_measured())  // the first one has all rungs
      llvm::erase_if(chart.bars, [](const SpeedBar& bar) { return bar.speed == 0; });
  for (RungPage& rung : page.rungs)
    if (const MeasuredRung* one = page.runs.empty() ? nullptr : page.runs.front().of(rung.name))
      rung.measured = *one;
  return page;
}

}  // namespace hone
