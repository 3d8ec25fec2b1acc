#include <cmath>

#include "runtime/nvrtc/nvrtc.h"
#include "tools/cli/json_text.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

namespace json = llvm::json;

std::string to_string(const RegisterUse& registers, const std::string& arch) {
  if (!registers.info) return fmt::format("registers: unknown: {}", registers.missing);
  return fmt::format("registers: {}, on {}", to_string(*registers.info), arch);
}

std::string occupancy_text(const KernelProfile& kernel, const std::string& arch) {
  const char* doubt = kernel.registers.info ? "" : "; registers may allow fewer";
  return fmt::format("occupancy: {}{}", to_string(kernel.occupancy, arch), doubt);
}

/// "2*K global loads, 1 global store"
std::string elements_text(llvm::function_ref<SizeFormula(AccessClass)> per_result) {
  std::string text;
  for (int number = 0; number < access_classes; ++number) {
    const auto access_class = static_cast<AccessClass>(number);
    const SizeFormula formula = per_result(access_class);
    const bool is_atomic = access_class >= AccessClass::global_atomic;
    if (!formula.is_zero())
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", to_string(formula),
                          to_string(access_class), is_atomic ? " updates" : "s");
  }
  return text.empty() ? "nothing" : text;
}

std::string per_result_text(const KernelProfile& kernel) {
  const SizeFormula& operations = kernel.facts.tensor_operations_per_result;
  std::string text = fmt::format(
      "per result, as written: {}{}\n",
      elements_text([&](AccessClass one) { return kernel.written_per_result(one); }),
      operations.is_zero() ? ""
                           : fmt::format(", {} operations of tensor cores", to_string(operations)));
  if (kernel.compiled)
    text += fmt::format("per result, as compiled: {}\n",
                        elements_text([&](AccessClass one) { return kernel.per_result(one); }));
  return text;
}

std::string bound_text(const KernelProfile& kernel, const ProfileTarget& target) {
  if (!target.gpu) return fmt::format("roofline: no GPU of {} is known", target.arch);
  return fmt::format("roofline of {}, a bound that ranks nothing by itself: {}", target.gpu->name,
                     to_string(roofline(*target.gpu, kernel.work), *target.gpu));
}

std::string time_text(const KernelProfile& kernel, const ProfileTarget& target) {
  if (!kernel.time) return "";
  return fmt::format("time on {}: {}\n", target.gpu->name, to_string(*kernel.time, "  "));
}

// ---- Counters -----------------------------------------------------------------------------------

/// Those that are shown first where they are not 0.
constexpr std::string_view first_counters[] = {"global_load_sectors",
                                               "global_store_sectors",
                                               "shared_wavefronts",
                                               "flops",
                                               "double_flops",
                                               "tensor_operations",
                                               "shared_excessive_wavefronts",
                                               "global_atomic_requests",
                                               "shared_atomic_instructions",
                                               "shuffles",
                                               "divergent_branches",
                                               "barriers_per_block"};
constexpr size_t most_counters = 5;

std::string counter_line(const Counter& counter, const KernelProfile& kernel,
                         const CountReport& compiled) {
  const std::string left = kernel.compiled ? counter_digits(counter.value(compiled)) : "";
  return llvm::StringRef(fmt::format("{:<27} {:>13} {:>13}  {}", counter.name,
                                     counter_digits(counter.value(kernel.counts)), left,
                                     counter.metric))
             .rtrim()
             .str() +
         "\n";
}

std::string first_counters_text(const KernelProfile& kernel) {
  const CountReport compiled = counts_as_compiled(kernel);
  std::string text =
      fmt::format("{:<27} {:>13} {:>13}\n", "", "as written", kernel.compiled ? "as compiled" : "");
  size_t shown = 0;
  for (const std::string_view name : first_counters)
    for (const Counter& counter : counters())
      if (counter.name == name && counter.value(kernel.counts) != 0 && shown < most_counters) {
        text += counter_line(counter, kernel, compiled);
        ++shown;
      }
  return text;
}

/// A line about the fate of each access: "line 17: global load of C: kept in a register".
std::string fates_text(const KernelProfile& kernel) {
  if (!kernel.compiled) return "";
  std::string text = "accesses, by lines of the CUDA text, as compiled\n";
  for (const CompiledAccess& access : kernel.compiled->accesses)
    text += fmt::format("  line {:<4} {:<13} {:<20} {}\n", access.line,
                        to_string(access.access_class), access.tensor->name, to_string(access));
  if (kernel.compiled->local_accesses > 0)
    text += fmt::format("  {:.4g} accesses of a thread to arrays in local memory\n",
                        kernel.compiled->local_accesses);
  return text;
}

json::Value json_of(const RegisterUse& registers) {
  if (!registers.info) return json::Object{{"unknown", registers.missing}};
  const PtxasInfo& info = *registers.info;
  return json::Object{{"per_thread", info.registers},
                      {"spill_store_bytes", info.spill_store_bytes},
                      {"spill_load_bytes", info.spill_load_bytes},
                      {"stack_bytes", info.stack_bytes}};
}

json::Value json_of(const Occupancy& occupancy) {
  json::Array limiters;
  for (const OccupancyLimit limit : occupancy.limiters) limiters.push_back(name(limit));
  return json::Object{{"blocks_per_sm", occupancy.blocks_per_sm},
                      {"warps_per_sm", occupancy.warps_per_sm},
                      {"fraction", occupancy.fraction},
                      {"limiters", std::move(limiters)}};
}

json::Value formulas_json(llvm::function_ref<SizeFormula(AccessClass)> per_result) {
  constexpr const char* names[] = {"global_loads",  "global_stores",  "shared_loads",
                                   "shared_stores", "global_atomics", "shared_atomics"};
  json::Object object;
  for (int number = 0; number < access_classes; ++number)
    object[names[number]] = to_string(per_result(static_cast<AccessClass>(number)));
  return object;
}

json::Value json_of(const CompiledAccess& access) {
  json::Object object{{"line", access.line},
                      {"tensor", access.tensor->name},
                      {"class", to_string(access.access_class)},
                      {"fate", name(access.fate)},
                      {"written", access.written},
                      {"left", access.left},
                      {"requests", access.counts.requests}};
  if (!access.loop.empty()) object["loop"] = access.loop;
  return object;
}

json::Value compiled_json(const KernelProfile& kernel) {
  const CountReport compiled = counts_as_compiled(kernel);
  json::Array accesses;
  json::Object counted;
  for (const CompiledAccess& access : kernel.compiled->accesses)
    accesses.push_back(json_of(access));
  for (const Counter& counter : counters()) counted[counter.name] = counter.value(compiled);
  return json::Object{
      {"accesses", std::move(accesses)},
      {"counters", std::move(counted)},
      {"per_result", formulas_json([&](AccessClass one) { return kernel.per_result(one); })},
      {"warp_instructions", kernel.compiled->counts.warp_instructions},
      {"local_accesses_per_thread", kernel.compiled->local_accesses}};
}

json::Value json_of(const KernelProfile& kernel, const ProfileTarget& target) {
  json::Value value = to_json(kernel.counts);
  json::Object& object = *value.getAsObject();
  object["per_result"] =
      formulas_json([&](AccessClass one) { return kernel.written_per_result(one); });
  (*object["per_result"].getAsObject())["tensor_operations"] =
      to_string(kernel.facts.tensor_operations_per_result);
  if (kernel.compiled) object["compiled"] = compiled_json(kernel);
  if (!kernel.measured.empty()) object["measured"] = measured_json(kernel.measured);
  object["registers"] = json_of(kernel.registers);
  object["shared_bytes_per_block"] = kernel.block.shared_bytes;
  object["occupancy"] = json_of(kernel.occupancy);
  if (kernel.time) object["time"] = to_json(*target.gpu, *kernel.time);
  if (target.gpu) object["roofline"] = to_json(*target.gpu, roofline(*target.gpu, kernel.work));
  return value;
}

}  // namespace

namespace {

std::string to_string(const KernelProfile& kernel, const ProfileTarget& target, bool is_all) {
  const std::string heading = kernel.counts.heading();
  const std::string counted =
      is_all ? "as written, on the simulated device\n\n" + to_string(kernel.counts) + "\n\n" : "";
  return fmt::format("{}\n\n{}{}\n{}{}\n{}{}\n{}\n{}\n{}", heading, counted,
                     first_counters_text(kernel), measured_text(kernel.measured),
                     fates_text(kernel), per_result_text(kernel),
                     to_string(kernel.registers, target.arch), occupancy_text(kernel, target.arch),
                     bound_text(kernel, target), time_text(kernel, target));
}

}  // namespace

std::string to_string(const Profile& profile, const ProfileTarget& target, bool is_all) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels)
    text += (text.empty() ? "" : "\n") + to_string(kernel, target, is_all);
  return text.empty() ? "no block runs\n" : text;
}

std::string basis_text(const Profile& profile, const ProfileTarget& target) {
  for (const KernelProfile& kernel : profile.kernels)
    if (!kernel.compiled)
      return fmt::format("accesses as written, which compilers merge and leave out: {}",
                         kernel.registers.missing);
  return fmt::format("accesses as compiled by NVRTC {}.{} for {}", nvrtc_info()->major,
                     nvrtc_info()->minor, target.arch);
}

json::Value to_json(const Gpu& gpu, const Bound& bound) {
  const auto share = bound.share_of_peak(gpu);
  return json::Object{
      {"gpu", gpu.name},
      {"resource", name(bound.resource)},
      {"seconds", bound.seconds},
      {"fp32_seconds", bound.fp32_seconds},
      {"fp64_seconds", bound.fp64_seconds},
      {"tensor_seconds", bound.tensor_seconds},
      {"dram_seconds", bound.dram_seconds},
      {"l2_seconds", bound.l2_seconds},
      {"shared_seconds", bound.shared_seconds},
      {"tflops", bound.tflops},
      {"arithmetic", name(bound.arithmetic)},
      {"share_of_peak", share ? json::Value(*share) : json::Value(nullptr)},
      {"flops_per_dram_byte",
       std::isfinite(bound.intensity) ? json::Value(bound.intensity) : json::Value(nullptr)},
      {"ridge", share ? json::Value(gpu.ridge(bound.arithmetic)) : json::Value(nullptr)}};
}

json::Value to_json(const Profile& profile, const ProfileTarget& target) {
  json::Array kernels;
  for (const KernelProfile& kernel : profile.kernels) kernels.push_back(json_of(kernel, target));
  return json::Object{{"sizes", to_json(profile.sizes)},
                      {"arch", target.arch},
                      {"results", profile.results},
                      {"kernels", std::move(kernels)}};
}

}  // namespace hone
