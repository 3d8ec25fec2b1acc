#include "tests/support/random/campaign.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <thread>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/nvrtc.h"

namespace hone {
namespace {

uint64_t variable(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::string heading(const RandomCase& failing, const CaseReport& report) {
  return fmt::format("{} (HONE_RANDOM_SEED={} HONE_RANDOM_FIRST={} HONE_RANDOM_PROGRAMS=1)\n{}\n",
                     report.check, failing.seed, failing.number, report.message);
}

std::string describe(const RandomCase& failing, const CaseReport& report) {
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
    nvrtc_compile({source, "random", nvrtc_target(info, "sm_90"), {}, ""});
  } catch (const CompileError& error) {
    return error.log();
  }
  return "";
}

/// What NVRTC has against each of the programs; mostly nothing, which one call tells.
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

/// Failures in the order of the sources; so many batches at a time.
void compile_sources(llvm::ArrayRef<Source> sources, size_t threads, CampaignResult& result) {
  if (!nvrtc_info()) return;
  result.compiled = sources.size();
  std::vector<std::vector<std::string>> failures((sources.size() + batch_size - 1) / batch_size);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t n; (n = next++) < failures.size();)
      failures[n] = compile_batch(sources.drop_front(n * batch_size).take_front(batch_size));
  };
  std::vector<std::thread> workers;
  for (size_t n = 0; n < threads; ++n) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  for (const auto& of_batch : failures) llvm::append_range(result.failures, of_batch);
}

}  // namespace

Campaign campaign_from_environment() {
  Campaign campaign;
  campaign.seed = variable("HONE_RANDOM_SEED", campaign.seed);
  campaign.first = variable("HONE_RANDOM_FIRST", campaign.first);
  campaign.count = variable("HONE_RANDOM_PROGRAMS", campaign.count);
  campaign.host_share = variable("HONE_RANDOM_HOST_SHARE", campaign.host_share);
  campaign.check_share = variable("HONE_RANDOM_CHECK_SHARE", campaign.check_share);
  campaign.nvrtc_share = variable("HONE_RANDOM_NVRTC_SHARE", campaign.nvrtc_share);
  return campaign;
}

std::string CampaignResult::statistics() const {
  std::string text = fmt::format("{:<16}{:>9}{:>10}\n", "primitive", "tried", "accepted");
  std::string others;
  for (const auto& [what, count] : counts) {
    if (what.ends_with(" accepted")) continue;
    if (!what.ends_with(" tried")) {
      others += fmt::format("{:<46}{:>6}\n", what, count);
      continue;
    }
    const std::string primitive = what.substr(0, what.size() - 6);
    const auto accepted = counts.find(primitive + " accepted");
    text += fmt::format("{:<16}{:>9}{:>10}\n", primitive, count,
                        accepted == counts.end() ? 0 : accepted->second);
  }
  return text + others + fmt::format("{:<46}{:>6}\n", "compiled by NVRTC", compiled);
}

CampaignResult run_campaign(const Campaign& campaign) {
  CampaignResult result;
  std::vector<Source> sources;
  std::deque<std::pair<RandomCase, CaseProcess>> running;
  const auto finish = [&] {
    const auto [random_case, process] = std::move(running.front());
    running.pop_front();
    CaseReport report = CaseProcess(process).report();
    for (const auto& [what, count] : report.counts) result.counts[what] += count;
    if (report.has_failed()) result.failures.push_back(describe(random_case, report));
    if (!report.source.empty() && random_case.number % campaign.nvrtc_share == 0)
      sources.push_back({random_case.number, std::move(report.source)});
  };
  for (uint64_t n = campaign.first; n < campaign.first + campaign.count; ++n) {
    if (result.failures.size() >= campaign.most_failures) break;
    RandomCase next{
        campaign.seed, n, {}, {}, n % campaign.host_share == 0, n % campaign.check_share == 0};
    if (running.size() >= campaign.processes) finish();
    CaseProcess process(next);
    running.emplace_back(std::move(next), process);
  }
  while (!running.empty()) finish();
  compile_sources(sources, campaign.processes, result);
  return result;
}

}  // namespace hone
