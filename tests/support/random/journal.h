// Messages of a case to its parent process: one JSON object a line, so that all that was told
// before a crash is known.
#pragma once

#include "tests/support/random/random_case.h"

namespace hone {

class Journal {
 public:
  explicit Journal(int file) : file_(file) {}

  void begins() const;
  void choices(llvm::ArrayRef<uint32_t> choices) const;
  void tries(const Step& step) const;
  void accepts() const;
  void refuses() const;
  void counts(const std::string& what) const;
  void makes(const std::string& source) const;
  void fails(const std::string& check, const std::string& message) const;
  void ends() const;

 private:
  int file_;
};

/// Reads what a journal wrote, up to the end of the file: a report for each case that began. One
/// that did not end has failed with the check "crash"; lines that are no JSON are its message.
std::vector<CaseReport> read_journal(int file);

}  // namespace hone
