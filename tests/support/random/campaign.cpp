#include "tests/support/random/campaign.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/environment.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/parallel.h"

namespace hone {
namespace {

std::string heading(const RandomCase& failing, const CaseReport& report) {
  return fmt::format(
      "{} (HONE_RANDOM_SEED={} HONE_RANDOM_FIRST={} HONE_RANDOM_PROGRAMS=1 HONE_RANDOM_KINDS={})\n"
      "{}\n",
      report.check, failing.seed, failing.number, failing.extras.text(), report.message);
}

/// Says at once what has failed: to find less of it may take minutes.
std::string describe(const RandomCase& failing, const CaseReport& report) {
  fmt::print(stderr, "{}", heading(failing, report));
  const Shrunk shrunk = shrink(failing, report);
  return heading(failing, shrunk.report) + reproducer(shrunk.smallest, shrunk.report);
}

/// Programs in one translation unit: their kernels have names of their own.
constexpr size_t batch_size = 20;

struct Source {
  uint64_t number;
  std::string text;
};

std::string nvrtc_error(const std::string& source) {
  const NvrtcInfo& info = *nvrtc_info();
  try {
    nvrtc_compile({source, "random", nvrtc_target(info, "sm_90a"), {}, ""});
  } catch (const CompileError& error) {
    return error.log();
  }
  return "";
}

/// The failures of the programs with NVRTC; mostly none, which one call tells.
std::vector<std::string> compile_batch(llvm::ArrayRef<Source> batch) {
  std::string all;
  for (const Source& source : batch) all += source.text + "\n";
  std::vector<std::string> failures;
  if (nvrtc_error(all).empty()) return failures;
  for (const Source& source : batch)
    if (const std::string log = nvrtc_error(source.text); !log.empty())
      failures.push_back(fmt::format("nvrtc: number {}\n{}\n{}", source.number, log, source.text));
  return failures;
}

/// Failures in the order of the sources.
void compile_sources(llvm::ArrayRef<Source> sources, CampaignResult& result) {
  if (!nvrtc_info()) return;
  result.compiled = sources.size();
  std::vector<std::vector<std::string>> failures((sources.size() + batch_size - 1) / batch_size);
  parallel_for(failures.size(), [&](size_t n) {
    failures[n] = compile_batch(sources.drop_front(n * batch_size).take_front(batch_size));
  });
  for (const auto& of_batch : failures) llvm::append_range(result.failures, of_batch);
}

}  // namespace

Campaign campaign_from_environment() {
  Campaign campaign;
  campaign.seed = number_in_environment("HONE_RANDOM_SEED", campaign.seed);
  campaign.first = number_in_environment("HONE_RANDOM_FIRST", campaign.first);
  campaign.count = number_in_environment("HONE_RANDOM_PROGRAMS", campaign.count);
  campaign.host_share = number_in_environment("HONE_RANDOM_HOST_SHARE", campaign.host_share);
  campaign.check_share = number_in_environment("HONE_RANDOM_CHECK_SHARE", campaign.check_share);
  campaign.nvrtc_share = number_in_environment("HONE_RANDOM_NVRTC_SHARE", campaign.nvrtc_share);
  campaign.most_failures = number_in_environment("HONE_RANDOM_FAILURES", campaign.most_failures);
  campaign.takes_refusals = number_in_environment("HONE_RANDOM_TAKE_REFUSALS", 1) != 0;
  campaign.seconds = number_in_environment("HONE_RANDOM_SECONDS", campaign.seconds);
  if (const uint64_t at_once = number_in_environment("HONE_RANDOM_GPU", 0)) {
    campaign.on_gpu = true;
    campaign.cases_at_once = at_once;
    campaign.host_share = campaign.check_share = campaign.nvrtc_share = 0;
  }
  if (const char* names = std::getenv("HONE_RANDOM_KINDS")) campaign.extras = Extras(names);
  return campaign;
}

std::string CampaignResult::statistics() const {
  std::string text = fmt::format("{:<46}{:>9}{:>10}\n", "", "tried", "accepted");
  std::string others;
  for (const auto& [what, count] : counts) {
    if (what.ends_with(" accepted")) continue;
    if (!what.ends_with(" tried")) {
      const auto example = examples.find(what);
      others += fmt::format("{:<46}{:>9}{}\n", what, count,
                            example == examples.end()
                                ? ""
                                : fmt::format("   as {}", fmt::join(example->second, ", ")));
      continue;
    }
    const std::string primitive = what.substr(0, what.size() - 6);
    const auto accepted = counts.find(primitive + " accepted");
    text += fmt::format("{:<46}{:>9}{:>10}\n", primitive, count,
                        accepted == counts.end() ? 0 : accepted->second);
  }
  return text + others + fmt::format("{:<46}{:>9}\n", "compiled by NVRTC", compiled);
}

namespace {

bool is_in_share(uint64_t number, uint64_t share) { return share != 0 && number % share == 0; }

RandomCase case_of(const Campaign& campaign, uint64_t number) {
  RandomCase result{campaign.seed, number, {}, {}};
  result.on_host = is_in_share(number, campaign.host_share);
  result.in_check_mode = is_in_share(number, campaign.check_share);
  result.on_gpu = campaign.on_gpu;
  result.keeps_source = is_in_share(number, campaign.nvrtc_share);
  result.extras = campaign.extras;
  result.takes_refusals = campaign.takes_refusals;
  result.plant = campaign.plant;
  return result;
}

/// Processes that run some cases each, so many at a time.
class CampaignRun {
 public:
  explicit CampaignRun(const Campaign& campaign) : campaign_(campaign) {}

  CampaignResult run() {
    const uint64_t end = campaign_.first + campaign_.count, at_once = campaign_.cases_at_once;
    for (uint64_t n = campaign_.first; n < end && has_time(); n += at_once) {
      std::vector<RandomCase> cases;
      for (uint64_t number = n; number < std::min(n + at_once, end); ++number)
        cases.push_back(case_of(campaign_, number));
      start(std::move(cases));
    }
    while (!running_.empty()) finish();
    compile_sources(sources_, result_);
    return std::move(result_);
  }

 private:
  static constexpr size_t examples_each = 6;

  bool has_time() const {
    return campaign_.seconds == 0 ||
           std::chrono::steady_clock::now() - start_ < std::chrono::seconds(campaign_.seconds);
  }

  void start(std::vector<RandomCase> cases) {
    while (running_.size() >= campaign_.processes) finish();
    running_.emplace_back(std::move(cases));
  }

  /// Cases behind one that ended the process go on in another.
  void finish() {
    CaseProcess process = std::move(running_.front());
    running_.pop_front();
    std::vector<CaseReport> reports = process.reports();
    const auto& cases = process.cases();
    const bool goes_on = reports.size() < cases.size() && !reports.empty();
    if (goes_on) running_.emplace_back(std::vector(cases.begin() + reports.size(), cases.end()));
    for (size_t n = 0; n < reports.size(); ++n) add(cases[n], std::move(reports[n]));
  }

  void add(const RandomCase& random_case, CaseReport report) {
    if (report.has_failed()) ++report.counts["failed: " + report.check];
    for (const auto& [what, count] : report.counts) {
      result_.counts[what] += count;
      if (what.starts_with("not for") || what.starts_with("failed"))
        add_example(what, random_case.number);
    }
    if (report.has_failed() && result_.failures.size() < campaign_.most_failures)
      result_.failures.push_back(describe(random_case, report));
    if (!report.source.empty()) sources_.push_back({random_case.number, std::move(report.source)});
  }

  void add_example(const std::string& what, uint64_t number) {
    std::vector<uint64_t>& numbers = result_.examples[what];
    if (numbers.size() < examples_each) numbers.push_back(number);
  }

  const Campaign& campaign_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  CampaignResult result_;
  std::vector<Source> sources_;
  std::deque<CaseProcess> running_;
};

}  // namespace

CampaignResult run_campaign(const Campaign& campaign) { return CampaignRun(campaign).run(); }

}  // namespace hone
