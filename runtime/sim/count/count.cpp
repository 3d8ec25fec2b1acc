#include "runtime/sim/count/count.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/threads/tensor_operations.h"
#include "runtime/sim/count/counter.h"
#include "runtime/sim/count/flops.h"
#include "runtime/sim/count/scale.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

void report_accesses(CountReport& report, const CountedProgram& counted, const BlockCounts& counts,
                     const Scale& scale) {
  const SimProgram& program = counted.program;
  for (size_t number = 0; number < program.accesses.size(); ++number) {
    const CountedAccess& access = counted.accesses[number];
    if (access.places == 0) continue;
    const Access& source = program.accesses[number];
    report.accesses.push_back({program.statements[source.statement], text_of(source),
                               program.memories[source.memory].tensor, access.access_class,
                               source.width, scale(counts.accesses[number]),
                               std::popcount(access.own_lanes)});
    report.totals[static_cast<size_t>(access.access_class)] += report.accesses.back().counts;
  }
}

void report_tensor_operations(CountReport& report, const Stmt& statement, const WarpCounts& runs) {
  const auto operations = tensor_operations(statement);
  if (!operations) return;
  const int64_t count = runs.lanes * operations->per_lane;
  report.tensor_instructions += runs.warps;
  report.tensor_operations += count;
  if (!is_float(operations->type)) return;
  report.tensor_flops += count;
  report.tensor_half_flops += count * size_of(operations->type) / size_of(f16);
  report.flops += count;
}

void report_statements(CountReport& report, const SimProgram& program, const BlockCounts& counts,
                       const Scale& scale) {
  for (size_t number = 0; number < program.statements.size(); ++number) {
    const Stmt& statement = program.statements[number];
    report.flops += scale(counts.runs[number].lanes * float_operations(statement));
    report.double_flops += scale(counts.runs[number].lanes * double_operations(statement));
    report_tensor_operations(report, statement, scale(counts.runs[number]));
    report.statements += scale(counts.runs[number]);
    if (counts.runs[number].warps > 0) report.run_statements.push_back(statement);
    if (counts.branches[number].warps == 0) continue;
    report.branches.push_back({statement, scale(counts.branches[number])});
    report.branch_total += report.branches.back().counts;
  }
}

double ratio(int64_t dividend, int64_t divisor) {
  return divisor == 0 ? 0 : static_cast<double>(dividend) / static_cast<double>(divisor);
}

}  // namespace

std::vector<int64_t> choose_blocks(int64_t blocks, int64_t most) {
  std::vector<int64_t> chosen;
  if (most == 0 || most >= blocks) return chosen;
  for (int64_t n = 0; n < most; ++n)
    chosen.push_back(static_cast<int64_t>((n + 0.5) * static_cast<double>(blocks) / most));
  return chosen;
}

CountReport count(const KernelFunction& kernel, const Sizes& sizes,
                  llvm::ArrayRef<SimArgument> arguments, const CountOptions& options) {
  if (options.most_blocks < 0)
    throw RuntimeError("{}: cannot count {} blocks; 0 counts all", kernel.name,
                       options.most_blocks);
  const SimProgram program = compile_for_sim(kernel, counting());
  const CountedProgram counted(program);
  BlockCounts counts(program);
  SimOptions sim_options;
  sim_options.threads = options.threads;
  SimLaunch launch(program, sizes, arguments, sim_options);
  launch.chosen_blocks = choose_blocks(launch.blocks(), options.most_blocks);
  launch.observe = [&](Worker&) { return std::make_unique<CountingObserver>(counted, counts); };
  launch.run();

  CountReport report;
  report.kernel = kernel.name;
  report.grid = launch.grid;
  report.block = launch.block;
  report.counted_blocks = launch.runs() * launch.cluster();
  const Scale scale(launch.blocks(), launch.runs());
  report_accesses(report, counted, counts, scale);
  report_statements(report, program, counts, scale);
  report.barriers = scale(counts.barriers * launch.cluster());
  report.shuffles = scale(counts.shuffles);
  return report;
}

// ---- The numbers --------------------------------------------------------------------------------

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& other) {
  requests += other.requests;
  bytes += other.bytes;
  data_bytes += other.data_bytes;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  lines += other.lines;
  engine_bytes += other.engine_bytes;
  return *this;
}

double MemoryCounts::sectors_per_request() const { return ratio(sectors, requests); }

BranchCounts& BranchCounts::operator+=(const BranchCounts& other) {
  warps += other.warps;
  divergent += other.divergent;
  return *this;
}

WarpCounts& WarpCounts::operator+=(const WarpCounts& other) {
  warps += other.warps;
  lanes += other.lanes;
  return *this;
}

double WarpCounts::lanes_per_warp() const { return ratio(lanes, warps); }

double CountReport::barriers_per_block() const { return ratio(barriers, blocks()); }

MemoryCounts CountReport::global() const {
  MemoryCounts sum = total(AccessClass::global_load);
  sum += total(AccessClass::global_store);
  return sum += total(AccessClass::global_atomic);
}

MemoryCounts CountReport::shared() const {
  MemoryCounts sum = total(AccessClass::shared_load);
  sum += total(AccessClass::shared_store);
  return sum += total(AccessClass::shared_atomic);
}

double CountReport::global_intensity() const { return ratio(flops, global().l2_bytes()); }

double CountReport::shared_intensity() const { return ratio(flops, shared().bytes); }

}  // namespace hone
