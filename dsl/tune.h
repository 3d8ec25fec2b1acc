// Parametric schedules: ordinary functions that ask for the values of named parameters.
//
//   tune::Space space = tune::explore([&](tune::Choices& choices) {
//     const int64_t rows = choices.choice("rows", {8, 16, 32});
//     Schedule s(program);
//     auto [y, iy] = s.split(i, rows);
//     ...
//     return s;
//   });
//
// A space is defined by running the function. The first run takes the first value of each parameter
// and records names and domains; each further run takes the next combination, the last parameter
// fastest. A domain may depend on the values that were chosen before it in the same run. Where the
// schedule refuses a step, the parameters that were not yet asked for are skipped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsl/schedule.h"

namespace hone::tune {

struct Parameter {
  std::string name;
  int64_t value = 0;

  bool operator==(const Parameter&) const = default;
};
using Parameters = std::vector<Parameter>;  ///< in the order in which they were asked for

/// "rows=16 columns=32"
std::string to_text(const Parameters& parameters);

/// The time of a schedule by a formula of its author's.
struct Expectation {
  double seconds = 0;
  std::string gpu;  ///< that the formula is of
};

/// The values of one run at a time.
class Choices {
 public:
  /// The value of a parameter in this run. Throws DefinitionError for a name that this run has
  /// asked for, an empty domain, and where a run with the same values before asked for something
  /// else: the function may depend on nothing but its choices.
  int64_t choice(llvm::StringRef name, llvm::ArrayRef<int64_t> domain,
                 Location location = Location::current());

  /// Those that this run has asked for.
  Parameters taken() const;

  /// The seconds that this run's schedule takes on a GPU, as "H200 SXM", where its author has a
  /// formula: for GPUs of the same architecture, candidates are ranked by it, and not by the model
  /// of all kernels. Throws DefinitionError for what is no time.
  void expect_seconds(double seconds, llvm::StringRef gpu, Location location = Location::current());
  const std::optional<Expectation>& expectation() const { return expectation_; }

  /// Begins the next run. False where the last one was the last combination.
  bool advance();

 private:
  struct Digit {
    std::string name;
    std::vector<int64_t> domain;
    size_t position = 0;
  };
  std::vector<Digit> digits_;
  size_t taken_ = 0;  ///< digits that this run has asked for
  std::optional<Expectation> expectation_;
};

/// A plain schedule.
struct Candidate {
  Parameters parameters;
  std::string steps;  ///< its trace, which Schedule::replay() reads
  std::optional<Expectation> expectation = std::nullopt;
};

struct Refusal {
  Parameters parameters;
  std::string reason;
};

struct Space {
  std::vector<Candidate> candidates;  ///< no two of the same steps
  std::vector<Refusal> refused;       ///< combinations that a primitive refused
  int64_t repeated = 0;               ///< combinations with the steps of an earlier one
};

using Parametric = std::function<Schedule(Choices&)>;

/// All combinations. Throws what the function throws, but for ScheduleError.
Space explore(const Parametric& build);

}  // namespace hone::tune
