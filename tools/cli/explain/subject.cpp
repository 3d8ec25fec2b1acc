#include "tools/cli/explain/subject.h"

#include <algorithm>

#include "tools/cli/explain/speed_costs.h"

namespace hone {
namespace {

double growth_of(const Subject& subject, const KernelProfile& kernel, const AccessReport& access) {
  const CompiledAccess* one = kernel.compiled ? kernel.compiled->of(access) : nullptr;
  if (!one) return 1;
  double elements = 0;  // of all accesses of that group
  for (const AccessReport& other : kernel.counts.accesses)
    if (one->is_of(other))
      elements += ratio(kernel.counts_of(other).lane_bytes(), size_of(other.tensor->type));
  return subject.growth(kernel, one->per_thread, elements);
}

template <class Cost>
double sum_of_costs(const Subject& subject, AccessClass access_class, Cost cost) {
  double all = 0;
  for (const KernelProfile& kernel : subject.profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses)
      if (access.access_class == access_class)
        all += cost(access_class, kernel.counts_of(access)) * growth_of(subject, kernel, access);
  return all;
}

}  // namespace

double ratio(double dividend, double divisor) { return divisor == 0 ? 0 : dividend / divisor; }

Bound bound_of(const Profile& profile, const Gpu& gpu) {
  std::vector<Work> launches;
  for (const KernelProfile& kernel : profile.kernels) launches.push_back(kernel.work);
  return roofline(gpu, launches);
}

MemoryCounts Subject::counts(AccessClass access_class) const {
  MemoryCounts all;
  for (const KernelProfile& kernel : profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses)
      if (access.access_class == access_class) all += kernel.counts_of(access);
  return all;
}

double Subject::cost(AccessClass access_class) const {
  return sum_of_costs(*this, access_class, access_cost);
}

double Subject::least_cost(AccessClass access_class) const {
  return sum_of_costs(*this, access_class, hone::least_cost);
}

const KernelProfile& Subject::largest() const {
  return *std::max_element(profile.kernels.begin(), profile.kernels.end(),
                           [](const KernelProfile& lhs, const KernelProfile& rhs) {
                             return lhs.work.dram_bytes < rhs.work.dram_bytes;
                           });
}

double Subject::elements_per_result(AccessClass access_class, llvm::StringRef cached) const {
  double elements = 0;
  for (const KernelProfile& kernel : profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses) {
      const bool counts = access.access_class == access_class &&
                          (cached.empty() || cached_name(access.tensor->name) == cached);
      if (counts)
        elements += ratio(kernel.counts_of(access).lane_bytes(), size_of(access.tensor->type));
    }
  return per_result(elements);
}

double Subject::growth(const KernelProfile& kernel, const SizeFormula& per_thread) const {
  if (kernel.facts.results_per_thread.is_zero()) return 1;
  const SizeFormula formula = per_thread / kernel.facts.results_per_thread;
  return growth(kernel, per_thread,
                value_of(formula, profile.sizes) * static_cast<double>(profile.results));
}

double Subject::growth(const KernelProfile& kernel, const SizeFormula& per_thread,
                       double counted) const {
  if (profile.usual == profile.sizes || profile.kernels.size() != 1 || counted == 0) return 1;
  if (kernel.facts.results_per_thread.is_zero()) return 1;
  const SizeFormula formula = per_thread / kernel.facts.results_per_thread;
  // Formulas take conditions on blocks as passed; where few blocks do, they say nothing.
  constexpr double most = 8;
  const double now = value_of(formula, profile.sizes) / per_result(counted);
  if (now > most || now < 1 / most) return 1;
  return value_of(formula, profile.usual) / per_result(counted);
}

double Subject::per_result(double amount) const {
  return amount / static_cast<double>(std::max<int64_t>(profile.results, 1));
}

llvm::StringRef cached_name(llvm::StringRef tensor) { return tensor.split('.').first; }

}  // namespace hone
