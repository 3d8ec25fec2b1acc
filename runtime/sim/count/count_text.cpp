// Reports of count mode as tables and as JSON.
#include <cmath>

#include "fmt/format.h"
#include "llvm/Support/JSON.h"
#include "runtime/sim/count/count.h"
#include "runtime/sim/finding.h"

namespace hone {
namespace {

namespace json = llvm::json;

template <AccessClass access_class, int64_t MemoryCounts::*count>
double total(const CountReport& report) {
  return static_cast<double>(report.total(access_class).*count);
}

template <AccessClass access_class>
double conflicts(const CountReport& report) {
  return static_cast<double>(report.total(access_class).bank_conflicts());
}

template <AccessClass access_class>
double sectors_per_request(const CountReport& report) {
  return report.total(access_class).sectors_per_request();
}

/// The part of the sectors' bytes that the lanes ask for, in percent; above 100 where several lanes
/// ask for the same bytes.
template <AccessClass access_class>
double efficiency(const CountReport& report) {
  const MemoryCounts& counts = report.total(access_class);
  return counts.sectors == 0 ? 0 : 100.0 * counts.lane_bytes() / counts.sector_bytes();
}

/// The part, in percent, of the branches whose lanes all take the same way.
double branch_efficiency(const CountReport& report) {
  const BranchCounts& branches = report.branch_total;
  return branches.warps == 0 ? 100 : 100.0 * (branches.warps - branches.divergent) / branches.warps;
}

constexpr AccessClass gld = AccessClass::global_load, gst = AccessClass::global_store,
                      sld = AccessClass::shared_load, sst = AccessClass::shared_store,
                      gat = AccessClass::global_atomic, sat = AccessClass::shared_atomic;

constexpr Counter all_counters[] = {
    {"blocks", "launch__grid_size",
     [](const CountReport& report) -> double { return report.blocks(); }},
    {"threads_per_block", "launch__block_size",
     [](const CountReport& report) -> double { return report.threads_per_block(); }},
    {"threads", "launch__thread_count",
     [](const CountReport& report) -> double { return report.threads(); }},
    {"global_load_instructions", "smsp__inst_executed_op_global_ld.sum",
     total<gld, &MemoryCounts::requests>},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     total<gld, &MemoryCounts::requests>},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     total<gld, &MemoryCounts::sectors>},
    {"global_sectors_per_load",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     sectors_per_request<gld>},
    {"global_load_bytes", "", total<gld, &MemoryCounts::bytes>},
    {"global_load_data_bytes", "smsp__sass_data_bytes_mem_global_op_ld.sum",
     total<gld, &MemoryCounts::data_bytes>},
    {"global_load_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     efficiency<gld>},
    {"global_store_instructions", "smsp__inst_executed_op_global_st.sum",
     total<gst, &MemoryCounts::requests>},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     total<gst, &MemoryCounts::requests>},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     total<gst, &MemoryCounts::sectors>},
    {"global_sectors_per_store",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     sectors_per_request<gst>},
    {"global_store_bytes", "", total<gst, &MemoryCounts::bytes>},
    {"global_store_data_bytes", "smsp__sass_data_bytes_mem_global_op_st.sum",
     total<gst, &MemoryCounts::data_bytes>},
    {"global_store_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     efficiency<gst>},
    {"shared_load_instructions", "smsp__inst_executed_op_shared_ld.sum",
     total<sld, &MemoryCounts::requests>},
    {"shared_load_bytes", "", total<sld, &MemoryCounts::bytes>},
    {"shared_load_data_bytes", "smsp__sass_data_bytes_mem_shared_op_ld.sum",
     total<sld, &MemoryCounts::data_bytes>},
    {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     total<sld, &MemoryCounts::wavefronts>},
    {"shared_load_bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     conflicts<sld>},
    {"shared_store_instructions", "smsp__inst_executed_op_shared_st.sum",
     total<sst, &MemoryCounts::requests>},
    {"shared_store_bytes", "", total<sst, &MemoryCounts::bytes>},
    {"shared_store_data_bytes", "smsp__sass_data_bytes_mem_shared_op_st.sum",
     total<sst, &MemoryCounts::data_bytes>},
    {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     total<sst, &MemoryCounts::wavefronts>},
    {"shared_store_bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     conflicts<sst>},
    {"shared_wavefronts", "memory_l1_wavefronts_shared",
     [](const CountReport& report) -> double { return report.shared().wavefronts; }},
    {"shared_ideal_wavefronts", "memory_l1_wavefronts_shared_ideal",
     [](const CountReport& report) -> double { return report.shared().ideal_wavefronts; }},
    {"shared_excessive_wavefronts", "derived__memory_l1_wavefronts_shared_excessive",
     [](const CountReport& report) -> double { return report.shared().bank_conflicts(); }},
    {"global_atomic_instructions", "smsp__inst_executed_op_global_{red,atom}.sum",
     total<gat, &MemoryCounts::requests>},
    {"global_atomic_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_{red,atom}.sum",
     total<gat, &MemoryCounts::requests>},
    {"global_atomic_bytes", "", total<gat, &MemoryCounts::bytes>},
    {"shared_atomic_instructions", "smsp__inst_executed_op_shared_atom.sum",
     total<sat, &MemoryCounts::requests>},
    {"shared_atomic_bytes", "", total<sat, &MemoryCounts::bytes>},
    {"shuffles", "", [](const CountReport& report) -> double { return report.shuffles.warps; }},
    {"shuffling_lanes", "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on",
     [](const CountReport& report) -> double { return report.shuffles.lanes; }},
    {"flops", "smsp__sass_thread_inst_executed_op_{fadd,fmul,ffma}_pred_on.sum",
     [](const CountReport& report) -> double {
       return report.flops - report.double_flops - report.tensor_flops;
     }},
    {"double_flops", "smsp__sass_thread_inst_executed_op_{dadd,dmul,dfma}_pred_on.sum",
     [](const CountReport& report) -> double { return report.double_flops; }},
    {"tensor_operations", "sm__ops_path_tensor_src_{fp16_dst_fp32,bf16_dst_fp32,int8}.sum",
     [](const CountReport& report) -> double { return report.tensor_operations; }},
    {"tensor_instructions", "sm__inst_executed_pipe_tensor_op_{hmma,imma}.sum",
     [](const CountReport& report) -> double { return report.tensor_instructions; }},
    {"flops_per_global_byte", "",
     [](const CountReport& report) { return report.global_intensity(); }},
    {"flops_per_shared_byte", "",
     [](const CountReport& report) { return report.shared_intensity(); }},
    {"barriers", "", [](const CountReport& report) -> double { return report.barriers; }},
    {"barriers_per_block", "",
     [](const CountReport& report) { return report.barriers_per_block(); }},
    {"branches", "", [](const CountReport& report) -> double { return report.branch_total.warps; }},
    {"divergent_branches", "smsp__sass_branch_targets_threads_divergent.sum",
     [](const CountReport& report) -> double { return report.branch_total.divergent; }},
    {"branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct",
     branch_efficiency},
    {"lanes_per_statement", "",
     [](const CountReport& report) { return report.statements.lanes_per_warp(); }},
};

// ---- JSON ---------------------------------------------------------------------------------------

json::Value number(double value) {
  if (value == std::floor(value)) return static_cast<int64_t>(value);
  return value;
}

json::Value to_json(const AccessReport& access) {
  const MemoryCounts& counts = access.counts;
  json::Object object{{"statement", head_of(access.statement)},
                      {"access", access.text},
                      {"tensor", access.tensor->name},
                      {"class", to_string(access.access_class)},
                      {"width", access.width},
                      {"requests", counts.requests},
                      {"bytes", counts.bytes}};
  if (access.tensor->scope == Scope::shared) {
    object["wavefronts"] = counts.wavefronts;
    object["ideal_wavefronts"] = counts.ideal_wavefronts;
    object["bank_conflicts"] = counts.bank_conflicts();
  } else {
    object["sectors"] = counts.sectors;
    object["sectors_per_request"] = number(counts.sectors_per_request());
  }
  return object;
}

json::Value to_json(const BranchReport& branch) {
  return json::Object{{"statement", head_of(branch.statement)},
                      {"branches", branch.counts.warps},
                      {"divergent", branch.counts.divergent}};
}

json::Value to_json(const Counter& counter, const CountReport& report) {
  json::Object object{{"name", counter.name}, {"value", number(counter.value(report))}};
  if (*counter.metric) object["metric"] = counter.metric;
  return object;
}

// ---- Tables -------------------------------------------------------------------------------------

constexpr size_t columns = 110, access_columns = 35;

std::string cut(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

/// Without spaces at its end.
template <class... Cells>
std::string line_of(fmt::format_string<const Cells&...> format, const Cells&... cells) {
  return llvm::StringRef(fmt::format(format, cells...)).rtrim().str();
}

template <class... Cells>
std::string row(const Cells&... cells) {
  return line_of("  {:<13} {:<35} {:>12} {:>14} {:>12} {:>7} {:>9}", cells...);
}

std::string table_of_accesses(const CountReport& report) {
  std::string text = access_heading();
  const StmtNode* statement = nullptr;
  for (const AccessReport& access : report.accesses) {
    if (access.statement.get() != statement) text += "\n" + cut(head_of(access.statement), columns);
    statement = access.statement.get();
    text += "\n" + access_row(access.access_class, access.text, access.counts);
  }
  return text;
}

std::string table_of_branches(const CountReport& report) {
  std::string text;
  for (const BranchReport& branch : report.branches)
    text += fmt::format("\n{}\n  {} of {} branches of warps diverge",
                        cut(head_of(branch.statement), columns), branch.counts.divergent,
                        branch.counts.warps);
  return text;
}

std::string table_of_counters(const CountReport& report) {
  std::string text;
  for (const Counter& counter : counters()) {
    const double value = counter.value(report);
    text +=
        "\n" + line_of("{:<27} {:>11}  {}", counter.name, counter_digits(value), counter.metric);
  }
  return text;
}

}  // namespace

const char* to_string(AccessClass access_class) {
  switch (access_class) {
    case AccessClass::global_load:
      return "global load";
    case AccessClass::global_store:
      return "global store";
    case AccessClass::shared_load:
      return "shared load";
    case AccessClass::shared_store:
      return "shared store";
    case AccessClass::global_atomic:
      return "global atomic";
    case AccessClass::shared_atomic:
      return "shared atomic";
  }
  llvm_unreachable("unknown class of accesses");
}

bool is_shared(AccessClass access_class) {
  return access_class == AccessClass::shared_load || access_class == AccessClass::shared_store ||
         access_class == AccessClass::shared_atomic;
}

bool is_atomic(AccessClass access_class) {
  return access_class == AccessClass::global_atomic || access_class == AccessClass::shared_atomic;
}

std::string access_heading() {
  return row("", "", "requests", "bytes", "sectors or", "per", "bank") + "\n" +
         row("", "", "", "", "wavefronts", "request", "conflicts");
}

std::string access_row(AccessClass access_class, const std::string& access,
                       const MemoryCounts& counts) {
  const bool has_banks = is_shared(access_class);
  const int64_t units = has_banks ? counts.wavefronts : counts.sectors;
  const double per_request =
      counts.requests == 0 ? 0 : static_cast<double>(units) / counts.requests;
  const std::string conflicts = has_banks ? fmt::format("{}", counts.bank_conflicts()) : "";
  return row(to_string(access_class), cut(access, access_columns), counts.requests, counts.bytes,
             units, fmt::format("{:.2f}", per_request), conflicts);
}

std::string counter_digits(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3f}", value);
}

std::string CountReport::sample_text() const {
  if (!is_sampled()) return "";
  return fmt::format("scaled up from {} of {} blocks", counted_blocks, blocks());
}

std::string CountReport::heading() const {
  const std::string sample = is_sampled() ? "; " + sample_text() : "";
  return fmt::format("{}: grid {}, block {}{}", kernel, triple(grid), triple(block), sample);
}

llvm::ArrayRef<Counter> counters() { return all_counters; }

json::Value to_json(const CountReport& report) {
  json::Array counted, accesses, branches;
  for (const Counter& counter : counters()) counted.push_back(to_json(counter, report));
  for (const AccessReport& access : report.accesses) accesses.push_back(to_json(access));
  for (const BranchReport& branch : report.branches) branches.push_back(to_json(branch));
  return json::Object{{"kernel", report.kernel},
                      {"grid", json::Array(report.grid)},
                      {"block", json::Array(report.block)},
                      {"counted_blocks", report.counted_blocks},
                      {"is_sampled", report.is_sampled()},
                      {"counters", std::move(counted)},
                      {"accesses", std::move(accesses)},
                      {"branches", std::move(branches)}};
}

std::string to_string(const CountReport& report) {
  return report.heading() + "\n\n" + table_of_accesses(report) + table_of_branches(report) + "\n" +
         table_of_counters(report);
}

}  // namespace hone
