#include "tools/page/kernel_page.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "tools/cli/command/commands.h"

namespace hone {
namespace {

constexpr size_t most_source_bytes = 16 << 20;
/// Lines of a header that are shown before and behind those with code.
constexpr int lines_around = 3;

std::vector<std::string> lines_of_file(const std::string& file) {
  const std::string text = read_small_file(file, most_source_bytes).value_or("");
  std::vector<std::string> lines;
  for (const llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim('\n'), '\n'))
    lines.push_back(line.rtrim("\r").str());
  return lines;
}

class KernelPageMaker {
 public:
  KernelPageMaker(const KernelRun& checked, const KernelRun& counted,
                  const std::vector<ptx::LineTally>& tallies)
      : checked_(checked) {
    for (const ptx::LineTally& tally : tallies) {
      KernelLine& line = line_at(short_path(tally.file), tally.line);
      line.has_code = true;
      line.tally = tally;
    }
    for (const ptx::AccessCounts& access : counted.report.counts.accesses) {
      KernelLine& line = line_at(access.site.file, access.site.line);
      (is_shared(access.access_class) ? line.shared : line.global) += access.counts;
    }
    for (const ptx::Report::Finding& finding : checked.report.findings)
      for (const ptx::Site& site : finding.sites) line_at(site.file, site.line).has_code = true;
  }

  /// The file of the kernel comes first.
  std::vector<KernelSource> sources() {
    measure_heat();
    std::vector<KernelSource> sources;
    for (const auto& [file, lines] : known_) {
      KernelSource source = source_of(file, lines);
      if (source.lines.empty()) continue;
      const bool is_own = file == short_path(checked_.chosen.path);
      sources.insert(is_own ? sources.begin() : sources.end(), std::move(source));
    }
    return sources;
  }

 private:
  using Lines = std::map<int, KernelLine>;

  KernelLine& line_at(const std::string& file, int number) { return known_[file][number]; }

  void measure_heat() {
    int64_t instructions = 0, sectors = 0, wavefronts = 0;
    const auto for_all = [&](const auto& use) {
      for (auto& [file, lines] : known_)
        for (auto& [number, line] : lines) use(line);
    };
    for_all([&](const KernelLine& line) {
      instructions += line.tally.warp_instructions;
      sectors += line.global.sectors;
      wavefronts += line.shared.wavefronts;
    });
    const auto share = [](int64_t part, int64_t all) {
      return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
    };
    for_all([&](KernelLine& line) {
      line.heat = std::max({share(line.tally.warp_instructions, instructions),
                            share(line.global.sectors, sectors),
                            share(line.shared.wavefronts, wavefronts)});
    });
  }

  /// Of the file that was asked for all lines, of others those around code.
  KernelSource source_of(const std::string& file, const Lines& known) const {
    KernelSource source{file, {}};
    const std::vector<std::string> texts = lines_of_file(file);
    const bool is_own = file == short_path(checked_.chosen.path);
    for (int number = 1; number <= static_cast<int>(texts.size()); ++number) {
      const auto next = known.lower_bound(number - lines_around);
      if (!is_own && (next == known.end() || next->first > number + lines_around)) continue;
      const auto found = known.find(number);
      KernelLine line = found == known.end() ? KernelLine() : found->second;
      line.number = number;
      line.text = texts[number - 1];
      source.lines.push_back(std::move(line));
    }
    return source;
  }

  const KernelRun& checked_;
  std::map<std::string, Lines> known_;
};

std::string basis_of(const KernelRun& counted) {
  const ptx::LaunchCounts& counts = counted.report.counts;
  std::string text = counts.is_compiled
                         ? "Requests are those of the machine code that ptxas makes of PTX"
                         : "Requests are those of PTX, before ptxas merges or drops some";
  text += "; instructions are those of PTX.";
  if (counted.report.run_blocks < counted.report.blocks)
    text +=
        fmt::format(" {} of {} blocks have run.", counted.report.run_blocks, counted.report.blocks);
  return text;
}

}  // namespace

KernelPage make_kernel_page(const KernelRun& checked, const KernelRun& counted,
                            const std::vector<ptx::LineTally>& tallies) {
  KernelPage page;
  page.file = short_path(checked.chosen.path);
  page.kernel = checked.chosen.kernel.name;
  page.version = version_text();
  page.shape = checked.shape;
  page.checked = checked.report;
  page.counts = counted.report.counts;
  page.basis = basis_of(counted);
  page.sources = KernelPageMaker(checked, counted, tallies).sources();
  if (page.sources.empty())
    throw RuntimeError("{} names no lines of a text that a page could show", page.file);
  return page;
}

}  // namespace hone
