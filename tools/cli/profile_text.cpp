#include "tools/cli/profile.h"

namespace hone {
namespace {

namespace json = llvm::json;

std::string to_string(const RegisterUse& registers, const std::string& arch) {
  if (!registers.info) return fmt::format("registers: unknown: {}", registers.missing);
  const PtxasInfo& info = *registers.info;
  const std::string spills =
      info.spills() ? fmt::format("{} bytes of spills", info.spill_store_bytes) : "no spills";
  return fmt::format("registers: {} per thread, {}, on {}", info.registers, spills, arch);
}

std::string occupancy_text(const KernelProfile& kernel, const std::string& arch) {
  const char* doubt = kernel.registers.info ? "" : "; registers may allow fewer";
  return fmt::format("occupancy: {}{}", to_string(kernel.occupancy, arch), doubt);
}

/// "2*K global loads, 1 global store"
std::string elements_text(const AccessCounts& counts) {
  std::string text;
  for (const auto& [formula, what] : {std::pair(&counts.global_loads, "global loads"),
                                      std::pair(&counts.global_stores, "global stores"),
                                      std::pair(&counts.shared_loads, "shared loads"),
                                      std::pair(&counts.shared_stores, "shared stores"),
                                      std::pair(&counts.global_atomics, "global atomic updates"),
                                      std::pair(&counts.shared_atomics, "shared atomic updates")})
    if (!formula->is_zero())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(*formula), what);
  return text;
}

std::string bound_text(const KernelProfile& kernel, const ProfileTarget& target) {
  if (!target.gpu) return fmt::format("roofline: no GPU of {} is known", target.arch);
  return fmt::format("roofline of {}: {}", target.gpu->name.str(),
                     to_string(roofline(*target.gpu, kernel.work)));
}

json::Value to_json(const RegisterUse& registers) {
  if (!registers.info) return json::Object{{"unknown", registers.missing}};
  const PtxasInfo& info = *registers.info;
  return json::Object{{"per_thread", info.registers},
                      {"spill_store_bytes", info.spill_store_bytes},
                      {"spill_load_bytes", info.spill_load_bytes},
                      {"stack_bytes", info.stack_bytes}};
}

json::Value to_json(const Occupancy& occupancy) {
  json::Array limiters;
  for (const OccupancyLimit limit : occupancy.limiters) limiters.push_back(name(limit));
  return json::Object{{"blocks_per_sm", occupancy.blocks_per_sm},
                      {"warps_per_sm", occupancy.warps_per_sm},
                      {"fraction", occupancy.fraction},
                      {"limiters", std::move(limiters)}};
}

json::Value to_json(const Gpu& gpu, const Work& work) {
  const Bound bound = roofline(gpu, work);
  return json::Object{{"gpu", gpu.name},
                      {"resource", name(bound.resource)},
                      {"seconds", bound.seconds},
                      {"fp32_seconds", bound.fp32_seconds},
                      {"dram_seconds", bound.dram_seconds},
                      {"l2_seconds", bound.l2_seconds},
                      {"shared_seconds", bound.shared_seconds},
                      {"tflops", bound.tflops}};
}

json::Value to_json(const KernelProfile& kernel, const ProfileTarget& target) {
  json::Value value = to_json(kernel.counts);
  json::Object& object = *value.getAsObject();
  const AccessCounts& formulas = kernel.facts.per_result;
  object["per_result"] = json::Object{{"global_loads", to_string(formulas.global_loads)},
                                      {"global_stores", to_string(formulas.global_stores)},
                                      {"shared_loads", to_string(formulas.shared_loads)},
                                      {"shared_stores", to_string(formulas.shared_stores)},
                                      {"global_atomics", to_string(formulas.global_atomics)},
                                      {"shared_atomics", to_string(formulas.shared_atomics)}};
  object["registers"] = to_json(kernel.registers);
  object["shared_bytes_per_block"] = kernel.block.shared_bytes;
  object["occupancy"] = to_json(kernel.occupancy);
  if (target.gpu) object["roofline"] = to_json(*target.gpu, kernel.work);
  return value;
}

}  // namespace

std::string to_string(const Profile& profile, const ProfileTarget& target) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels)
    text += fmt::format("{}{}\n\nper result: {}\n{}\n{}\n{}\n", text.empty() ? "" : "\n",
                        to_string(kernel.counts), elements_text(kernel.facts.per_result),
                        to_string(kernel.registers, target.arch),
                        occupancy_text(kernel, target.arch), bound_text(kernel, target));
  return text.empty() ? "no block runs\n" : text;
}

json::Value to_json(const Profile& profile, const ProfileTarget& target) {
  json::Object sizes;
  for (const auto& [name, size] : profile.sizes) sizes[name] = size;
  json::Array kernels;
  for (const KernelProfile& kernel : profile.kernels) kernels.push_back(to_json(kernel, target));
  return json::Object{{"sizes", std::move(sizes)},
                      {"arch", target.arch},
                      {"results", profile.results},
                      {"kernels", std::move(kernels)}};
}

}  // namespace hone
