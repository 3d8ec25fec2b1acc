// One random program with one random schedule, run and checked in a process of its own, so that an
// assertion or an endless loop is a finding like any other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/schedule.h"
#include "tests/support/random/random_program.h"

namespace hone {

/// The change that a test of the checks themselves makes to a function before they see it.
using Plant = Function (*)(const Function&);

/// Drawn from a seed and a number; or, where `choices` are given, that program with those steps.
struct RandomCase {
  uint64_t seed = 0, number = 0;
  std::optional<std::vector<uint32_t>>
      choices;              ///< of the program: see tests/support/random/random.h
  std::vector<Step> steps;  ///< refused ones are skipped
  bool on_host = false;     ///< check the C compiler's code too
  bool in_check_mode = false;
  bool on_gpu = false;  ///< in place of the simulated device
  Extras extras = {};
  bool keeps_source = true;
  bool takes_refusals = true;  ///< of compilation, of the kinds that are known
  Plant plant = nullptr;       ///< behind every step that was accepted
};

struct CaseReport {
  std::vector<uint32_t> choices;
  std::vector<Step> steps;     ///< that were accepted
  std::optional<Step> failed;  ///< the step within which the process ended
  std::string check, message;  ///< of the failure; empty where all is well
  std::map<std::string, int> counts;
  std::string source;  ///< CUDA

  bool has_failed() const { return !check.empty(); }
};

/// Running cases, one after the other.
class CaseProcess {
 public:
  explicit CaseProcess(std::vector<RandomCase> cases);
  const std::vector<RandomCase>& cases() const { return cases_; }
  /// Waits for the end. Of all cases, or of the first ones up to one that ended the process.
  std::vector<CaseReport> reports();

 private:
  std::vector<RandomCase> cases_;
  int process_ = 0, journal_ = 0;
};

CaseReport run_case(const RandomCase& random_case);

/// The program of a case with the steps that were accepted.
struct ScheduledProgram {
  RandomProgram program;
  Schedule schedule;
};
ScheduledProgram replay(const RandomCase& random_case, const CaseReport& report);

/// The C++ that makes the program and applies the steps, to be pasted into a test.
std::string reproducer(const RandomCase& random_case, const CaseReport& report);

}  // namespace hone
