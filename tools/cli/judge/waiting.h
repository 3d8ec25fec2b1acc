// The time that something will take, and messages to a person meanwhile.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/cli/judge/selection.h"
#include "tools/cli/output.h"

namespace hone {

/// The number of seconds that something takes, if it is worth a word: 0 if nobody knows.
using Expectation = std::optional<double>;

/// The expected time of these sizes, by what `seconds` says of sizes that are small enough to be
/// tried; nothing where they are small enough themselves.
Expectation expected_seconds(const Ladder& ladder, const Sizes& sizes, const Device& device,
                             llvm::function_ref<double(const Sizes&)> seconds);

/// "12 s", "6 minutes"
std::string duration_text(double seconds);

/// "matmul: 20 s of about 45 s", "matmul: 20 s so far": a line.
std::string progress_text(const std::string& what, double seconds, double expected);

/// "matmul [########............]  40 %, 20 s of about 50 s", "matmul: 20 s so far": a line without
/// its end.
std::string bar_text(const std::string& what, double seconds, double expected);

/// Shows the work and its progress, for as long as it exists: in lines,
/// or on a terminal in one line that is written over and goes in the end.
class Waiting {
 public:
  /// `what` is a phrase: "the reference of matmul".
  Waiting(Output& out, std::string what, Expectation expected);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void report();
  void draw();

  Output& out_;
  const std::string what_;
  const double expected_;  ///< 0: not known
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread reporter_;
};

}  // namespace hone
