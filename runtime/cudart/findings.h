// The findings about a program, on standard error as they come.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "runtime/ptx/device.h"

namespace hone::cudart {

/// "add(float const*, int)" of "_Z3addPKfi".
std::string demangled(const std::string& name);

/// Prints "hone: <text>" on standard error.
void say(const std::string& text);

class Findings {
 public:
  /// Prints a finding, unless there was one of this kind at the same lines of the kernel.
  void add(const std::string& kernel, const ptx::Report::Finding& finding);
  /// Prints a mistake of the host's, once.
  void add_host(const std::string& text);
  /// Prints what may be a mistake of the host's, once.
  void add_hint(const std::string& text);
  /// Prints a text once.
  void say_once(const std::string& text);

  /// Different ones, without hints.
  int64_t count() const { return count_; }
  int64_t hints() const { return hints_; }

 private:
  std::set<std::string> said_;
  int64_t count_ = 0, hints_ = 0;
};

}  // namespace hone::cudart
