#include "tools/cli/cuda/kernel_counts.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/model/occupancy.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/ptx/count/totals.h"
#include "tools/cli/cuda/kernel_result.h"

namespace hone {
namespace {

namespace json = llvm::json;

CountReport totals_of(const KernelRun& run) {
  return ptx::totals_of(run.report.counts, run.shape, run.chosen.kernel.name,
                        run.report.run_blocks);
}

/// Empty where nothing was measured.
std::vector<MeasuredCounter> measured_of(const CountReport& report,
                                         llvm::ArrayRef<MeasuredLaunch> launches) {
  if (launches.empty()) return {};
  return measured_counters(report, launch_of(report, launches));
}

// ---- Text ---------------------------------------------------------------------------------------

/// "x, 4 bytes"
std::string access_text(const ptx::AccessCounts& access) {
  return fmt::format("{}{}{} byte{}", access.array, access.array.empty() ? "" : ", ", access.bytes,
                     access.bytes == 1 ? "" : "s");
}

/// Below an access that machine code has in another way; else nothing.
std::string fate_text(const ptx::AccessCounts& access) {
  const MemoryCounts &now = access.counts, &before = access.in_ptx;
  if (before.requests == 0 || now.requests == before.requests) return "";
  if (now.requests == 0)
    return fmt::format("    ptxas drops all {} requests of PTX\n", before.requests);
  const double width = static_cast<double>(now.bytes) * before.requests / before.bytes /
                       static_cast<double>(now.requests) * access.bytes;
  return fmt::format("    ptxas makes {} of {} requests of PTX, of {:.3g} bytes\n", now.requests,
                     before.requests, width);
}

std::string table_by_line(const KernelRun& run) {
  SourceLines lines;
  std::string text = access_heading() + "\n";
  std::pair<std::string, int> place;
  for (const ptx::AccessCounts& access : accesses_by_line(run.report.counts)) {
    const ptx::Site& site = access.site;
    if (std::pair(site.file, site.line) != place)
      text += fmt::format("{}:{}  {}\n", site.file, site.line, lines.of(site));
    place = {site.file, site.line};
    text += access_row(access.access_class, access_text(access), access.counts) + "\n" +
            fate_text(access);
  }
  return text;
}

std::string basis_text(const KernelRun& run) {
  if (!run.report.counts.is_compiled)
    return "accesses are those of PTX; ptxas may merge or drop some";
  return fmt::format("accesses are those of machine code for {}, by NVRTC {}.{}", run.arch,
                     nvrtc_info()->major, nvrtc_info()->minor);
}

std::string resources_text(const KernelRun& run) {
  const PtxasInfo* const info = run.resources();
  if (!info) return "";
  return fmt::format("registers: {}, on {}\noccupancy: {}\n", to_string(*info), run.arch,
                     to_string(occupancy(run.arch, *run.block()), run.arch));
}

}  // namespace

std::vector<ptx::AccessCounts> accesses_by_line(const ptx::LaunchCounts& counts) {
  const auto key = [](const ptx::AccessCounts& one) {
    return std::tie(one.site.file, one.site.line, one.array, one.access_class, one.bytes);
  };
  std::vector<ptx::AccessCounts> all;
  for (const ptx::AccessCounts& access : counts.accesses) {
    const auto known =
        llvm::find_if(all, [&](const ptx::AccessCounts& one) { return key(one) == key(access); });
    if (known == all.end()) {
      all.push_back(access);
      continue;
    }
    known->counts += access.counts;
    known->in_ptx += access.in_ptx;
    known->cache += access.cache;
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& lhs, const auto& rhs) {
    return std::tie(lhs.site.file, lhs.site.line) < std::tie(rhs.site.file, rhs.site.line);
  });
  return all;
}

std::string counts_text(const KernelRun& run, const Gpu* gpu,
                        llvm::ArrayRef<MeasuredLaunch> launches) {
  const CountReport report = totals_of(run);
  std::string text = fmt::format("{}\n{}\n\n{}\n{}{}{}", report.heading(), basis_text(run),
                                 table_by_line(run), measured_text(measured_of(report, launches)),
                                 ptx::counters_text(report), resources_text(run));
  if (run.estimate)
    text += fmt::format("time on {}: {}\n", gpu->name, to_string(run.estimate->time, "  "));
  return text;
}

// ---- JSON ---------------------------------------------------------------------------------------

namespace {

json::Value json_of(const ptx::AccessCounts& access, SourceLines& lines) {
  const MemoryCounts& counts = access.counts;
  json::Object object{{"file", access.site.file},
                      {"line", access.site.line},
                      {"text", json::fixUTF8(lines.of(access.site))},
                      {"class", to_string(access.access_class)},
                      {"array", access.array},
                      {"bytes_of_lane", access.bytes},
                      {"requests", counts.requests},
                      {"requests_in_ptx", access.in_ptx.requests},
                      {"bytes", counts.bytes}};
  if (is_shared(access.access_class)) {
    object["wavefronts"] = counts.wavefronts;
    object["ideal_wavefronts"] = counts.ideal_wavefronts;
  } else {
    object["sectors"] = counts.sectors;
  }
  return object;
}

}  // namespace

json::Object counts_json(const KernelRun& run, const Gpu* gpu,
                         llvm::ArrayRef<MeasuredLaunch> launches) {
  json::Object object = launch_json(run);
  const ptx::LaunchCounts& counts = run.report.counts;
  object["is_compiled"] = counts.is_compiled;
  object["arch"] = run.arch;
  json::Array accesses;
  SourceLines lines;
  for (const ptx::AccessCounts& access : accesses_by_line(counts))
    accesses.push_back(json_of(access, lines));
  object["accesses"] = std::move(accesses);
  const CountReport report = totals_of(run);
  object["counters"] = ptx::counters_json(report);
  if (!launches.empty()) object["measured"] = measured_json(measured_of(report, launches));
  if (run.estimate) object["time"] = to_json(*gpu, run.estimate->time);
  if (const PtxasInfo* const info = run.resources()) {
    object["registers"] = info->registers;
    object["spill_store_bytes"] = info->spill_store_bytes;
    object["spill_load_bytes"] = info->spill_load_bytes;
    object["warps_per_sm"] = occupancy(run.arch, *run.block()).warps_per_sm;
  }
  return object;
}

}  // namespace hone
