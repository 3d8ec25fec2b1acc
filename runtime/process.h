// Other programs, run without a shell.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct ProcessOutcome {
  bool success = false;
  std::string output;  ///< of both streams, and what was wrong with the start
  bool timed_out = false;
  std::string signal = {};  ///< that ended it, as the system calls it; empty: none did
};

/// Runs a program, whose first word is its path, to its end, or for so many seconds; 0: any number.
/// Its output goes to `log_path`, of which at most 16 MiB are read.
ProcessOutcome run_program(const std::vector<std::string>& command, const std::string& log_path,
                           unsigned seconds = 0);

}  // namespace hone
