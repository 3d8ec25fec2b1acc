#include "tests/support/runtime/temporary_folder.h"

#include <cstdlib>

namespace hone {

ScopedVariable::ScopedVariable(const char* name, const char* value)
    : name_(name), was_set_(std::getenv(name) != nullptr) {
  if (was_set_) former_ = std::getenv(name);
  assign(name, value);
}

ScopedVariable::~ScopedVariable() { assign(name_, was_set_ ? former_.c_str() : nullptr); }

void ScopedVariable::assign(const char* name, const char* value) {
  if (value) {
    ::setenv(name, value, 1);
  } else {
    ::unsetenv(name);
  }
}

}  // namespace hone
