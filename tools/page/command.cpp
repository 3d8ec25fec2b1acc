// hone ladder LADDER --html FILE, --markdown FOLDER.
#include "llvm/Support/FileSystem.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/judge/waiting.h"
#include "tools/page/page.h"
#include "tools/page/story/runs.h"

namespace hone {
namespace {

constexpr size_t most_figure_bytes = 64 << 20;

/// Options of the table that say nothing about a page.
void check_options(const Arguments& arguments) {
  for (const char* option : {"--json", "--sizes", "--rungs", "--constant"})
    if (arguments.has(option))
      throw UsageError(
          "{} is about the table, and --html and --markdown write a page; leave one "
          "of them out",
          option);
}

std::string figures_text(const Arguments& arguments, const Ladder& ladder) {
  const auto path = arguments.value("--figures");
  if (!path) return ladder.figures;
  const auto text = read_small_file(*path, most_figure_bytes);
  if (!text)
    throw RuntimeError("cannot read {}: {}", *path, why_unreadable(*path, most_figure_bytes));
  return *text;
}

/// This machine's figures, where it has a GPU, and then those that are stored.
std::vector<MeasuredRun> measured_runs(const Arguments& arguments, const Ladder& ladder,
                                       const Device& device, Output& out) {
  std::vector<MeasuredRun> runs;
  if (device.is_cuda()) runs = runs_of(measured_rows(ladder, device, arguments, out), ladder);
  llvm::append_range(runs, read_figures(figures_text(arguments, ladder), ladder));
  return runs;
}

/// The GPU of "--gpu", else the one of the first figures, where it is known.
ProfileTarget target_of(const Arguments& arguments, const std::vector<MeasuredRun>& runs) {
  const bool is_given = arguments.has("--gpu") || runs.empty();
  const Gpu* gpu = is_given ? nullptr : gpu_of_device(runs.front().device_name());
  return gpu ? ProfileTarget{gpu->arch, gpu} : chosen_target(arguments);
}

/// Sizes of "-D", of the first run, or those of the ladder.
Sizes counted_sizes(const Ladder& ladder, const Sizes& given, llvm::ArrayRef<MeasuredRun> runs) {
  if (!given.empty()) return simulated_sizes(ladder, given);
  return runs.empty() ? ladder.sizes : runs.front().sizes;
}

LadderPage page_of(const Arguments& arguments, const Ladder& ladder, Output& out) {
  const Sizes given = given_sizes(arguments, ladder);
  PageOptions options;
  options.seed = chosen_seed(arguments);
  const Device device = chosen_device(arguments);
  options.runs = measured_runs(arguments, ladder, device, out);
  if (!device.is_cuda()) options.runs = ordered_runs(ladder, std::move(options.runs), nullptr);
  options.sizes = counted_sizes(ladder, given, options.runs);
  options.runs = ordered_runs(ladder, std::move(options.runs), &options.sizes);
  options.drawn_sizes = simulated_sizes(ladder, given);
  options.count.most_blocks = 1;
  options.target = target_of(arguments, options.runs);
  const Waiting waiting(out, "counting the rungs of " + ladder.name, Expectation(0));
  return make_page(ladder, options);
}

void write_html(const LadderPage& page, const std::string& path, Output& out) {
  const std::string html = to_html(page);
  replace_file(path, {html});
  out.print(fmt::format("{}: {} rungs, {} kB\n", path, page.rungs.size(), html.size() / 1000));
}

void write_markdown(const LadderPage& page, const std::string& folder, Output& out) {
  if (const std::error_code error = llvm::sys::fs::create_directories(folder))
    throw RuntimeError("cannot make the folder {}: {}", folder, error.message());
  const std::vector<PageFile> files = to_markdown(page);
  for (const PageFile& file : files) replace_file(folder + "/" + file.name, {file.content});
  out.print(fmt::format("{}/{}: {} rungs, {} pictures\n", folder, files.front().name,
                        page.rungs.size(), files.size() - 1));
}

/// Says which rungs the page shows nothing of. True if there are any.
bool complain_of_problems(const LadderPage& page, Output& out) {
  bool has_problems = false;
  for (const RungPage& rung : page.rungs) {
    if (rung.problem.empty()) continue;
    has_problems = true;
    out.complain(fmt::format("error: {}/{}: {}\n", page.name, rung.name, rung.problem));
  }
  return has_problems;
}

}  // namespace

int write_ladder_page(const Arguments& arguments, const Session& session) {
  check_options(arguments);
  const Ladder& ladder = find_ladder(session.ladders, arguments.positional()[0]);
  const LadderPage page = page_of(arguments, ladder, session.out);
  if (const auto path = arguments.value("--html")) write_html(page, *path, session.out);
  if (const auto folder = arguments.value("--markdown")) write_markdown(page, *folder, session.out);
  return complain_of_problems(page, session.out) ? exit_failure : exit_success;
}

}  // namespace hone
