// Other programs, run without a shell.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct ProcessOutcome {
  bool success = false;
  std::string output;  ///< of both streams, and what was wrong with the start
};

/// Runs a program, whose first word is its path, to its end; what it prints ends up in `log_path`,
/// of which at most 16 MiB are read.
ProcessOutcome run_program(const std::vector<std::string>& command, const std::string& log_path);

}  // namespace hone
