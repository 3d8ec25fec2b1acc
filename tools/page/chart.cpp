#include "tools/page/chart.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/files.h"
#include "tools/cli/judge/arithmetic.h"
#include "tools/cli/judge/selection.h"
#include "tools/page/counter_changes.h"

namespace hone {
namespace {

Arithmetic arithmetic_of(const Ladder& ladder) {
  return ladder.program ? arithmetic_of(ladder.program({}).function()) : Arithmetic::fp32;
}

double amount(const std::function<double(const Sizes&)>& of, const Sizes& sizes) {
  return of ? of(sizes) : 0;
}

/// The least seconds of the operations, and of the bytes.
struct LeastTimes {
  double operations = 0, bytes = 0;
};

LeastTimes least_times(const Ladder& ladder, const Sizes& sizes, const Gpu& gpu) {
  const double peak = gpu.tflops(arithmetic_of(ladder)) * 1e12;  // 0 where it is not known
  LeastTimes times;
  if (peak > 0) times.operations = amount(ladder.flops, sizes) / peak;
  times.bytes = amount(ladder.bytes, sizes) / (gpu.dram_gb_per_s * 1e9);
  return times;
}

/// True if bytes bound the speed. If no GPU tells the nearer bound, operations do, if counted.
bool is_of_bytes(const Ladder& ladder, const Sizes& sizes, const Gpu* gpu) {
  if (!gpu) return !ladder.flops;
  const LeastTimes times = least_times(ladder, sizes, *gpu);
  return times.bytes > times.operations;
}

void fill_in_bound(const Ladder& ladder, const Sizes& sizes, const Gpu& gpu, SpeedChart& chart) {
  const double seconds = least_seconds(ladder, sizes, gpu);
  if (seconds == 0) return;
  const bool is_bytes = chart.unit == "GB/s";
  chart.bound = amount(is_bytes ? ladder.bytes : ladder.flops, sizes) / seconds / 1e9;
  const Arithmetic arithmetic = arithmetic_of(ladder);
  const char* unit = is_of_tensor_cores(arithmetic) ? "tensor cores" : "arithmetic";
  chart.bound_text = fmt::format("{} of {}: {}", is_bytes ? "memory" : unit, gpu.name,
                                 speed_text(chart.bound, chart.unit));
}

}  // namespace

double least_seconds(const Ladder& ladder, const Sizes& sizes, const Gpu& gpu) {
  const LeastTimes times = least_times(ladder, sizes, gpu);
  return std::max(times.operations, times.bytes);
}

bool SpeedChart::is_measured() const {
  return llvm::any_of(bars, [](const SpeedBar& bar) { return bar.speed > 0; });
}

SpeedChart speed_chart(const Ladder& ladder, const Sizes& sizes, const MeasuredRun* run,
                       const AllowedParts& allowed, const Gpu* gpu) {
  if (run) gpu = gpu_of_device(run->device_name());
  SpeedChart chart;
  chart.unit = is_of_bytes(ladder, sizes, gpu) ? "GB/s" : "GFLOP/s";
  if (gpu) fill_in_bound(ladder, sizes, *gpu, chart);
  const std::vector<std::string> anchors = anchors_of(ladder);
  for (size_t n = 0; n < ladder.rungs.size(); ++n) {
    SpeedBar bar;
    bar.rung = ladder.rungs[n].name;
    bar.anchor = anchors[n];
    bar.is_host = ladder.rungs[n].target == RungTarget::host;
    const MeasuredRung* measured = run ? run->of(bar.rung) : nullptr;
    if (measured) bar.speed = chart.unit == "GB/s" ? measured->gb_per_s : measured->gflops;
    if (n < allowed.size() && allowed[n]) bar.allowed = *allowed[n] * chart.bound;
    chart.bars.push_back(bar);
  }
  chart.caption = fmt::format("{}{}", run ? run->origin() + "; " : "", to_text(sizes));
  return chart;
}

std::vector<std::string> anchors_of(const Ladder& ladder) {
  std::vector<std::string> anchors;
  for (const Rung& rung : ladder.rungs) {
    std::string anchor = "rung-" + safe_file_name(rung.name);
    if (llvm::is_contained(anchors, anchor)) anchor += fmt::format("-{}", anchors.size() + 1);
    anchors.push_back(anchor);
  }
  return anchors;
}

std::string speed_text(double speed, const std::string& unit) {
  return fmt::format("{} {}", amount_text(speed), unit);
}

}  // namespace hone
