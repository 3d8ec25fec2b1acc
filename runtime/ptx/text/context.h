// What the parts of the parser of PTX share.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "runtime/ptx/text/lexer.h"
#include "runtime/ptx/text/locations.h"

namespace hone::ptx {

struct Context {
  Lexer lexer;
  Module module{};
  Locations locations{};
  /// By their names: in Module::variables and Module::functions.
  llvm::DenseMap<llvm::StringRef, size_t> variables{}, functions{};

  bool declares(llvm::StringRef name) const {
    return variables.count(name) != 0 || functions.count(name) != 0;
  }
};

}  // namespace hone::ptx
