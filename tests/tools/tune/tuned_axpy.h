// A rung with a space of schedules, whose times a script makes up.
#pragma once

#include "fake_worker.h"

namespace hone {

/// axpy, whose blocks have 64, 128 or 256 threads; none is no number.
inline Ladder tunable_axpy() {
  Ladder ladder = small_axpy();
  ladder.rungs.back().space = [](const Sizes& fixed, const Sizes&, tune::Choices& choices) {
    const Axpy p(fixed);
    Schedule s(p.program);
    auto [b, t] = s.split(p.i, choices.choice("threads", {0, 64, 128, 256}));
    s.bind(b, block.x);
    s.bind(t, thread.x);
    choices.choice("idle", {1, 2});
    return s;
  };
  return ladder;
}

/// The shell's cases: milliseconds of 64, 128 (the rung's own) and 256 threads.
inline std::string times(const char* few, const char* own, const char* many) {
  return fmt::format(
      "*'split(i, 64)'*) ms={};; *'split(i, 128)'*) ms={};; *'split(i, 256)'*) "
      "ms={};;",
      few, own, many);
}

inline CommandResult tune_axpy(const FakeWorker& worker, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"tune", "axpy/blocks", "--workers=1", worker.option()};
  words.insert(words.end(), more.begin(), more.end());
  return hone_on({tunable_axpy()}, words);
}

}  // namespace hone
