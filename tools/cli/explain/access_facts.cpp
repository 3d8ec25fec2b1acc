#include "tools/cli/explain/access_facts.h"

#include <set>

#include "tools/cli/explain/amount_text.h"
#include "tools/cli/explain/fate_reasons.h"
#include "tools/cli/explain/speed_costs.h"
#include "tools/cli/explain/tile_reasons.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

// ---- Reasons ------------------------------------------------------------------------------------

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ", and " + second;
}

/// The tensors that the kernels of a program have as arguments, without its temporaries.
std::set<std::string> tensors_of(const Subject& subject) {
  std::set<std::string> names;
  for (const KernelFunction& kernel : subject.profile.module.kernels)
    for (const TensorPtr& tensor : kernel.arguments) names.insert(cached_name(tensor->name).str());
  return names;
}

/// Of programs of other tensors, a tile is the cause of nothing.
template <AccessClass access_class>
std::string because_of_tiles(const Subject& before, const Subject& after) {
  if (tensors_of(before) != tensors_of(after)) return "";
  return joined(reason_in_tiles(before, after, access_class),
                reason_in_fates(before, after, access_class));
}

/// The types of the elements, where these have another size.
template <AccessClass access_class>
std::string because_of_types(const Subject& before, const Subject& after) {
  const auto types_of = [](const Subject& subject) {
    std::vector<std::string> names;
    for (const KernelProfile& kernel : subject.profile.kernels)
      for (const AccessReport& access : kernel.counts.accesses) {
        const std::string type = name(access.tensor->type).str();
        if (access.access_class == access_class && !llvm::is_contained(names, type))
          names.push_back(type);
      }
    return enumerated(names);
  };
  const std::string now = types_of(after), former = types_of(before);
  const bool is_known = !now.empty() && !former.empty() && now != former;
  return is_known ? fmt::format("elements are of {} instead of {}", now, former) : "";
}

/// The access that `excess` is largest of; empty where none has any.
template <class Excess>
std::string worst_access(const Subject& subject, Excess excess) {
  double most = 0;
  std::string text;
  for (const KernelProfile& kernel : subject.profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses) {
      const double amount = excess(access, kernel.counts_of(access));
      if (amount <= most) continue;
      most = amount;
      text = access.text;
    }
  return text;
}

/// The cost of an access of the class beyond the least.
template <AccessClass access_class>
double excess_of(const AccessReport& access, const MemoryCounts& counts) {
  if (access.access_class != access_class) return 0;
  return access_cost(access_class, counts) - 1.5 * least_cost(access_class, counts);
}

template <AccessClass access_class>
std::string because_of_lanes(const Subject& before, const Subject& after) {
  const std::string now = worst_access(after, excess_of<access_class>);
  const std::string former = worst_access(before, excess_of<access_class>);
  if (now.empty() == former.empty()) return "";
  const bool is_shared =
      access_class == AccessClass::shared_load || access_class == AccessClass::shared_store;
  const char* where = is_shared ? "a bank" : "many sectors";
  if (now.empty())
    return fmt::format("the lanes of {} {} {}", former, is_shared ? "met in" : "lay in", where);
  return fmt::format("the lanes of {} {} {}", now, is_shared ? "meet in" : "lie in", where);
}

// ---- Amounts ------------------------------------------------------------------------------------

/// Of a single kernel what its formula says.
template <AccessClass access_class>
double elements_per_result(const Subject& subject) {
  if (subject.profile.kernels.size() != 1) return subject.elements_per_result(access_class);
  return value_of(subject.profile.kernels[0].per_result(access_class), subject.profile.sizes);
}

/// The same as a formula of the sizes, of a single kernel.
template <AccessClass access_class>
std::string elements_text(const Subject& subject) {
  if (subject.profile.kernels.size() != 1)
    return number_text(elements_per_result<access_class>(subject));
  return to_string(subject.profile.kernels[0].per_result(access_class));
}

template <AccessClass access_class>
double cost(const Subject& subject) {
  return subject.cost(access_class);
}

/// Elements that a lane has of a request.
template <AccessClass access_class>
double width(const Subject& subject) {
  double elements = 0, requests = 0;
  for (const KernelProfile& kernel : subject.profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses)
      if (access.access_class == access_class) {
        const MemoryCounts counts = kernel.counts_of(access);
        elements += static_cast<double>(access.width) * access.counts.requests *
                    ratio(counts.lane_bytes(), access.counts.lane_bytes());
        requests += static_cast<double>(counts.requests);
      }
  return ratio(elements, requests);
}

template <AccessClass access_class>
std::string because_of_vectors(const Subject& before, const Subject& after) {
  return reason_in_vectors(before, after, access_class,
                           width<access_class>(after) > width<access_class>(before));
}

template <AccessClass access_class>
double element_bytes(const Subject& subject) {
  return ratio(subject.per_result(static_cast<double>(subject.counts(access_class).lane_bytes())),
               subject.elements_per_result(access_class));
}

template <AccessClass access_class>
double bytes_per_result(const Subject& subject) {
  return elements_per_result<access_class>(subject) * element_bytes<access_class>(subject);
}

/// By how much elements are larger than a word of a bank.
template <AccessClass access_class>
double words_of_element(const Subject& subject) {
  return element_bytes<access_class>(subject) / 4;
}

template <AccessClass access_class>
double least_per_byte(const Subject& subject) {
  const auto bytes = static_cast<double>(subject.counts(access_class).lane_bytes());
  return ratio(least_cost(access_class, subject.counts(access_class)), bytes);
}

/// By how much the cost exceeds the least one: 1 where it does not.
template <AccessClass access_class>
double excess(const Subject& subject) {
  return ratio(subject.cost(access_class), subject.least_cost(access_class));
}

template <AccessClass access_class>
double conflict_ratio(const Subject& subject) {
  const MemoryCounts counts = subject.counts(access_class);
  return ratio(counts.wavefronts, counts.ideal_wavefronts);
}

/// Bytes that cross for a byte that is asked for.
template <AccessClass access_class>
double waste(const Subject& subject) {
  const MemoryCounts counts = subject.counts(access_class);
  return ratio(counts.sector_bytes(), counts.lane_bytes());
}

template <AccessClass access_class>
std::string sectors_text(const Subject& subject) {
  const MemoryCounts counts = subject.counts(access_class);
  return fmt::format("{} sectors for {} bytes", number_text(counts.sectors_per_request()),
                     number_text(ratio(counts.lane_bytes(), counts.requests)));
}

// ---- The table ----------------------------------------------------------------------------------

/// ", 32 wavefronts for an ideal one, as the lanes of A.shared[i, j] meet in a bank", where they do
template <AccessClass access_class>
std::string conflict_text(const Subject& subject) {
  const std::string access = worst_access(subject, excess_of<access_class>);
  if (access.empty()) return "";
  return fmt::format(", {} wavefronts for an ideal one, as the lanes of {} meet in a bank",
                     amount_text<conflict_ratio<access_class>>(subject), access);
}

constexpr auto gld = AccessClass::global_load, gst = AccessClass::global_store,
               sld = AccessClass::shared_load, sst = AccessClass::shared_store,
               gat = AccessClass::global_atomic, sat = AccessClass::shared_atomic;

template <AccessClass access_class>
constexpr Fact elements_fact(const char* what) {
  return {what,
          " per result",
          elements_per_result<access_class>,
          elements_text<access_class>,
          cost<access_class>,
          nullptr,
          because_of_tiles<access_class>,
          /*nothing=*/0,
          /*needs_reason=*/false,
          /*when_new=*/nullptr,
          /*is_work=*/true};
}

template <AccessClass access_class>
constexpr Fact shared_elements_fact(const char* what) {
  Fact fact = elements_fact<access_class>(what);
  fact.when_new = conflict_text<access_class>;
  return fact;
}

template <AccessClass access_class>
constexpr Fact bytes_fact(const char* what) {
  return {what,
          " per result",
          bytes_per_result<access_class>,
          amount_text<bytes_per_result<access_class>>,
          cost<access_class>,
          words_of_element<access_class>,
          because_of_types<access_class>,
          /*nothing=*/0,
          /*needs_reason=*/true};
}

template <AccessClass access_class>
constexpr Fact width_fact(const char* what) {
  return {what,
          " elements",
          width<access_class>,
          amount_text<width<access_class>>,
          cost<access_class>,
          least_per_byte<access_class>,
          because_of_vectors<access_class>,
          /*nothing=*/1,
          /*needs_reason=*/true};
}

template <AccessClass access_class>
constexpr Fact sectors_fact(const char* what) {
  return {what,
          " a request",
          waste<access_class>,
          sectors_text<access_class>,
          cost<access_class>,
          excess<access_class>,
          because_of_lanes<access_class>};
}

template <AccessClass access_class>
constexpr Fact banks_fact(const char* what) {
  return {what,
          " for an ideal one",
          conflict_ratio<access_class>,
          amount_text<conflict_ratio<access_class>>,
          cost<access_class>,
          excess<access_class>,
          because_of_lanes<access_class>,
          /*nothing=*/1};
}

constexpr Fact facts[] = {
    elements_fact<gld>("global loads"),
    bytes_fact<gld>("bytes of global loads"),
    width_fact<gld>("global loads of one instruction"),
    sectors_fact<gld>("sectors per byte of global loads"),
    elements_fact<gst>("global stores"),
    bytes_fact<gst>("bytes of global stores"),
    width_fact<gst>("global stores of one instruction"),
    sectors_fact<gst>("sectors per byte of global stores"),
    elements_fact<gat>("global atomic updates"),
    shared_elements_fact<sld>("shared loads"),
    bytes_fact<sld>("bytes of shared loads"),
    width_fact<sld>("shared loads of one instruction"),
    banks_fact<sld>("wavefronts of shared loads"),
    shared_elements_fact<sst>("shared stores"),
    bytes_fact<sst>("bytes of shared stores"),
    width_fact<sst>("shared stores of one instruction"),
    banks_fact<sst>("wavefronts of shared stores"),
    elements_fact<sat>("shared atomic updates"),
};

}  // namespace

llvm::ArrayRef<Fact> access_facts() { return facts; }

}  // namespace hone
