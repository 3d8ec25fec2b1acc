#include "tools/cli/speed_facts.h"

#include <algorithm>

#include "tools/cli/tile_reasons.h"

namespace hone {
namespace {

/// "3", "0.25", "1.07"
std::string number(double value) { return fmt::format("{:.3g}", value); }

// ---- Reasons ------------------------------------------------------------------------------------

template <AccessClass access_class>
std::string because_of_tiles(const Subject& before, const Subject& after) {
  return reason_in_tiles(before, after, access_class);
}

std::string for_no_reason(const Subject&, const Subject&) { return ""; }

/// The access that `excess` is largest of; empty where none has any.
template <class Excess>
std::string worst_access(const Subject& subject, Excess excess) {
  int64_t most = 0;
  std::string text;
  for (const KernelProfile& kernel : subject.profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses)
      if (excess(access) > most) {
        most = excess(access);
        text = access.text;
      }
  return text;
}

/// Sectors beyond those that the bytes fill.
template <AccessClass access_class>
std::string because_of_sectors(const Subject& before, const Subject& after) {
  const auto waste = [](const AccessReport& access) {
    return access.access_class == access_class ? access.counts.sector_bytes() - access.counts.bytes
                                               : 0;
  };
  const std::string now = worst_access(after, waste), former = worst_access(before, waste);
  if (now.empty() == former.empty()) return "";
  return now.empty() ? fmt::format("the lanes of {} lay in many sectors", former)
                     : fmt::format("the lanes of {} lie in many sectors", now);
}

std::string because_of_banks(const Subject& before, const Subject& after) {
  const auto conflicts = [](const AccessReport& access) {
    return access.tensor->scope == Scope::shared ? access.counts.bank_conflicts() : 0;
  };
  const std::string now = worst_access(after, conflicts), former = worst_access(before, conflicts);
  if (now.empty() == former.empty()) return "";
  return now.empty() ? fmt::format("lanes of {} met in a bank", former)
                     : fmt::format("lanes of {} meet in a bank", now);
}

std::string because_of_limits(const Subject&, const Subject& after) {
  std::vector<std::string> limiters;
  for (const OccupancyLimit limit : after.emptiest().occupancy.limiters)
    limiters.push_back(name(limit).str());
  return limiters.empty() ? "" : fmt::format("the limit is {}", enumerated(limiters));
}

// ---- Facts --------------------------------------------------------------------------------------

template <AccessClass access_class>
double elements_per_result(const Subject& subject) {
  return subject.elements_per_result(access_class);
}

/// The same as a formula of the sizes, of a single kernel.
template <AccessClass access_class, SizeFormula AccessCounts::*formula>
std::string elements_text(const Subject& subject) {
  if (subject.profile.kernels.size() != 1)
    return number(elements_per_result<access_class>(subject));
  return to_string(subject.profile.kernels[0].facts.per_result.*formula);
}

/// Bytes that cross for a byte that is asked for.
template <AccessClass access_class>
double waste(const Subject& subject) {
  const MemoryCounts counts = subject.counts(access_class);
  return counts.bytes == 0 ? 0 : static_cast<double>(counts.sector_bytes()) / counts.bytes;
}

template <AccessClass access_class>
std::string sectors_text(const Subject& subject) {
  const MemoryCounts counts = subject.counts(access_class);
  const double bytes = static_cast<double>(counts.bytes) / std::max<int64_t>(counts.requests, 1);
  return fmt::format("{} sectors for {} bytes", number(counts.sectors_per_request()),
                     number(bytes));
}

MemoryCounts shared_counts(const Subject& subject) {
  return subject.counts(AccessClass::shared_load) += subject.counts(AccessClass::shared_store);
}

/// 1 where there is none.
double conflict_ratio(const Subject& subject) {
  const MemoryCounts counts = shared_counts(subject);
  return counts.ideal_wavefronts == 0
             ? 1
             : static_cast<double>(counts.wavefronts) / counts.ideal_wavefronts;
}

double dram_bytes(const Subject& subject) {
  double bytes = 0;
  for (const KernelProfile& kernel : subject.profile.kernels) bytes += kernel.work.dram_bytes;
  return subject.per_result(bytes);
}

double flops(const Subject& subject) {
  return subject.per_result(subject.sum([](const CountReport& counts) { return counts.flops; }));
}

/// Of a thread, as its 32 lanes share them.
double memory_instructions(const Subject& subject) {
  const double requests = subject.sum([](const CountReport& counts) {
    return counts.global().requests + counts.shared().requests;
  });
  return subject.per_result(32 * requests);
}

double occupied(const Subject& subject) { return 100 * subject.emptiest().occupancy.fraction; }

double divergent(const Subject& subject) {
  const double all = subject.sum([](const CountReport& c) { return c.branch_total.warps; });
  const double some = subject.sum([](const CountReport& c) { return c.branch_total.divergent; });
  return all == 0 ? 0 : 100 * some / all;
}

double barriers(const Subject& subject) {
  return subject.sum([](const CountReport& counts) { return counts.barriers_per_block(); });
}

// ---- What facts take of the roofline's time -----------------------------------------------------

template <AccessClass access_class>
double l2_seconds(const Subject& subject) {
  const double all = subject.sum([](const CountReport& c) { return c.global().sectors; });
  return all == 0 ? 0 : subject.bound.l2_seconds * subject.counts(access_class).sectors / all;
}

double shared_seconds(const Subject& subject) { return subject.bound.shared_seconds; }

template <AccessClass access_class>
double shared_seconds(const Subject& subject) {
  const double all = shared_counts(subject).wavefronts;
  return all == 0 ? 0 : shared_seconds(subject) * subject.counts(access_class).wavefronts / all;
}

double dram_seconds(const Subject& subject) { return subject.bound.dram_seconds; }
double fp32_seconds(const Subject& subject) { return subject.bound.fp32_seconds; }

// ---- The table ----------------------------------------------------------------------------------

template <double (*amount)(const Subject&)>
std::string amount_text(const Subject& subject) {
  return number(amount(subject));
}

template <double (*amount)(const Subject&)>
std::string percent_text(const Subject& subject) {
  return fmt::format("{:.0f} %", amount(subject));
}

constexpr auto gld = AccessClass::global_load, gst = AccessClass::global_store,
               sld = AccessClass::shared_load, sst = AccessClass::shared_store;

constexpr Fact all_facts[] = {
    {"global loads", " per result", elements_per_result<gld>,
     elements_text<gld, &AccessCounts::global_loads>, l2_seconds<gld>, because_of_tiles<gld>},
    {"global stores", " per result", elements_per_result<gst>,
     elements_text<gst, &AccessCounts::global_stores>, l2_seconds<gst>, because_of_tiles<gst>},
    {"sectors per byte of global loads", " a request", waste<gld>, sectors_text<gld>,
     l2_seconds<gld>, because_of_sectors<gld>},
    {"sectors per byte of global stores", " a request", waste<gst>, sectors_text<gst>,
     l2_seconds<gst>, because_of_sectors<gst>},
    {"shared loads", " per result", elements_per_result<sld>,
     elements_text<sld, &AccessCounts::shared_loads>, shared_seconds<sld>, because_of_tiles<sld>},
    {"shared stores", " per result", elements_per_result<sst>,
     elements_text<sst, &AccessCounts::shared_stores>, shared_seconds<sst>, because_of_tiles<sst>},
    {"wavefronts of shared memory", " for an ideal one", conflict_ratio,
     amount_text<conflict_ratio>, shared_seconds, because_of_banks, /*nothing=*/1},
    {"bytes of DRAM", " per result", dram_bytes, amount_text<dram_bytes>, dram_seconds,
     for_no_reason},
    {"floating-point operations", " per result", flops, amount_text<flops>, fp32_seconds,
     for_no_reason},
    {"memory instructions", " per result", memory_instructions, amount_text<memory_instructions>,
     nullptr, for_no_reason},
    {"resident warps", " of a multiprocessor", occupied, percent_text<occupied>, nullptr,
     because_of_limits},
    {"divergent branches", "", divergent, percent_text<divergent>, nullptr, for_no_reason},
    {"barriers", " a block", barriers, amount_text<barriers>, nullptr, for_no_reason},
};

}  // namespace

Bound bound_of(const Profile& profile, const Gpu& gpu) {
  Work all;
  for (const KernelProfile& kernel : profile.kernels) {
    all.flops += kernel.work.flops;
    all.dram_bytes += kernel.work.dram_bytes;
    all.l2_bytes += kernel.work.l2_bytes;
    all.shared_wavefronts += kernel.work.shared_wavefronts;
  }
  return roofline(gpu, all);
}

Subject::Subject(const Profile& profile, const Gpu& gpu)
    : profile(profile), bound(bound_of(profile, gpu)) {}

MemoryCounts Subject::counts(AccessClass access_class) const {
  MemoryCounts all;
  for (const KernelProfile& kernel : profile.kernels) all += kernel.counts.total(access_class);
  return all;
}

const KernelProfile& Subject::emptiest() const {
  return *std::min_element(profile.kernels.begin(), profile.kernels.end(),
                           [](const KernelProfile& lhs, const KernelProfile& rhs) {
                             return lhs.occupancy.fraction < rhs.occupancy.fraction;
                           });
}

double Subject::elements_per_result(AccessClass access_class, llvm::StringRef cached) const {
  double elements = 0;
  for (const KernelProfile& kernel : profile.kernels)
    for (const AccessReport& access : kernel.counts.accesses) {
      const bool counts = access.access_class == access_class &&
                          (cached.empty() || cached_name(access.tensor->name) == cached);
      if (counts)
        elements += static_cast<double>(access.counts.bytes) / size_of(access.tensor->type);
    }
  return per_result(elements);
}

double Subject::per_result(double amount) const {
  return amount / static_cast<double>(std::max<int64_t>(profile.results, 1));
}

llvm::StringRef cached_name(llvm::StringRef tensor) { return tensor.split('.').first; }

llvm::ArrayRef<Fact> speed_facts() { return all_facts; }

}  // namespace hone
