#include "dsl/tune.h"

#include <cmath>
#include <set>

#include "fmt/ranges.h"

namespace hone::tune {
namespace {

DefinitionError wrong_choice(const std::string& message, Location location) {
  DefinitionError error(message);
  error.at(location);
  return error;
}

std::string domain_text(llvm::StringRef name, llvm::ArrayRef<int64_t> domain) {
  return fmt::format("{} of {{{}}}", name.str(), fmt::join(domain, ", "));
}

}  // namespace

std::string to_text(const Parameters& parameters) {
  std::vector<std::string> texts;
  for (const Parameter& one : parameters)
    texts.push_back(fmt::format("{}={}", one.name, one.value));
  return fmt::format("{}", fmt::join(texts, " "));
}

int64_t Choices::choice(llvm::StringRef name, llvm::ArrayRef<int64_t> domain, Location location) {
  if (domain.empty())
    throw wrong_choice(fmt::format("the parameter {} has no values to choose from", name.str()),
                       location);
  for (const Parameter& one : taken())
    if (one.name == name)
      throw wrong_choice(fmt::format("the parameter {} is chosen twice in a run", name.str()),
                         location);
  if (taken_ == digits_.size()) digits_.push_back({name.str(), domain.vec()});
  const Digit& digit = digits_[taken_];
  if (digit.name != name || llvm::ArrayRef<int64_t>(digit.domain) != domain)
    throw wrong_choice(
        fmt::format("a run chooses {} where an earlier run with the same choices had {}; a "
                    "parametric schedule depends on its choices alone",
                    domain_text(name, domain), domain_text(digit.name, digit.domain)),
        location);
  ++taken_;
  return digit.domain[digit.position];
}

Parameters Choices::taken() const {
  Parameters parameters;
  for (const Digit& digit : llvm::ArrayRef(digits_).take_front(taken_))
    parameters.push_back({digit.name, digit.domain[digit.position]});
  return parameters;
}

void Choices::expect_seconds(double seconds, llvm::StringRef gpu, Location location) {
  if (!(seconds > 0) || std::isinf(seconds))
    throw wrong_choice(fmt::format("a schedule is expected to take {} seconds", seconds), location);
  expectation_ = {seconds, gpu.str()};
}

bool Choices::advance() {
  expectation_ = std::nullopt;
  digits_.resize(taken_);
  taken_ = 0;
  while (!digits_.empty() && digits_.back().position + 1 == digits_.back().domain.size())
    digits_.pop_back();
  if (digits_.empty()) return false;
  ++digits_.back().position;
  return true;
}

Space explore(const Parametric& build) {
  Space space;
  std::set<std::string> known;
  Choices choices;
  do {
    try {
      const std::string steps = build(choices).trace_text();
      if (known.insert(steps).second)
        space.candidates.push_back({choices.taken(), steps, choices.expectation()});
      else
        ++space.repeated;
    } catch (const ScheduleError& error) {
      space.refused.push_back({choices.taken(), error.what()});
    }
  } while (choices.advance());
  return space;
}

}  // namespace hone::tune
