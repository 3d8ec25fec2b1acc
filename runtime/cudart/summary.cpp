// The end of a program.
#include <unistd.h>

#include <cstdlib>

#include "runtime/cudart/state.h"

namespace hone::cudart {
namespace {

std::string count_of(int64_t count, const char* thing, const char* plural = "s") {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : plural);
}

std::string checks_of(const Counts& counts, const Settings& settings) {
  const std::string blocks = count_of(counts.blocks, "block");
  if (settings.counts) return blocks + ", all counted";
  if (!settings.checks) return blocks + ", none checked";
  if (counts.checked_blocks == counts.blocks) return blocks + ", all checked";
  std::string text = fmt::format("{}, {} checked", blocks, counts.checked_blocks);
  if (counts.sampled_launches > 0) text += ", of large launches a sample";
  if (counts.repeated_launches > 0) text += ", of equal launches the first ones";
  return text;
}

int status_at_exit = 0;

/// A shared library ends behind all that the program does at its end, so its findings are complete.
__attribute__((constructor)) void remember_status() {
  on_exit([](int status, void*) { status_at_exit = status; }, nullptr);
}

__attribute__((destructor)) void finish() {
  const State& state = State::of_process();
  const int64_t wrong = state.findings.count() + state.counts.missing_launches;
  if (const std::string counted = state.counted.text(); !counted.empty()) say(counted);
  if (state.counts.launches + wrong > 0) say(summary_of(state));
  if (!state.settings.fails || wrong == 0 || status_at_exit != 0) return;
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace

std::string summary_of(const State& state) {
  const Counts& counts = state.counts;
  const int64_t findings = state.findings.count(), hints = state.findings.hints();
  std::string text = fmt::format("{} of {}, {}: {}", count_of(counts.launches, "launch", "es"),
                                 count_of(static_cast<int64_t>(counts.kernels.size()), "kernel"),
                                 checks_of(counts, state.settings),
                                 findings == 0 ? "no findings" : count_of(findings, "finding"));
  if (counts.missing_launches > 0)
    text += fmt::format("; {} did not run", count_of(counts.missing_launches, "launch", "es"));
  if (hints > 0) text += fmt::format(", {}", count_of(hints, "hint"));
  return text;
}

}  // namespace hone::cudart
