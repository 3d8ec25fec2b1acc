// The registers and the variables of a function.
#pragma once

#include "runtime/ptx/text/context.h"
#include "runtime/ptx/text/scopes.h"
#include "runtime/ptx/text/variables.h"

namespace hone::ptx {

/// Adds what is declared to the function, and to the scope at hand.
class Locals {
 public:
  Locals(Context& context, Function& function, Scopes& scopes)
      : context_(context), function_(function), scopes_(scopes) {}

  /// One of Function::params or Function::returns.
  void add_param(const Declared& param);
  void add(const Declared& declared);

 private:
  void add_registers(const Declared& declared);
  void add_range(const Declared& declared);
  void add_elements(const std::string& name, const Declared& declared);
  void add_variable(const Declared& declared);
  std::string unique_name(const std::string& name);

  Context& context_;
  Function& function_;
  Scopes& scopes_;
  llvm::StringMap<int> uses_;  ///< of names of variables
};

}  // namespace hone::ptx
