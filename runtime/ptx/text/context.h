// The state that the parts of the parser of PTX share.
#pragma once

#include <deque>

#include "llvm/ADT/DenseMap.h"
#include "runtime/ptx/text/lexer.h"
#include "runtime/ptx/text/locations.h"
#include "runtime/ptx/text/variables.h"

namespace hone::ptx {

struct Context {
  Lexer lexer;
  Module module{};
  Locations locations{};
  /// By their names: in Module::variables and Module::functions.
  llvm::DenseMap<llvm::StringRef, size_t> variables{}, functions{};

  /// Names that the text does not spell out: %r10 of %r1<5>.
  std::deque<std::string> names{};

  /// Calls `add` for each name of a declaration of several.
  template <class Add>
  void spell_out(const Declared& all, const Add& add) {
    Declared one = all;
    one.count = -1;
    for (int64_t i = 0; i < all.count; ++i) {
      one.variable.name = fmt::format("{}{}", all.variable.name, i);
      one.name.text = names.emplace_back(one.variable.name);
      add(one);
    }
  }
  bool declares(llvm::StringRef name) const {
    return variables.count(name) != 0 || functions.count(name) != 0;
  }
};

}  // namespace hone::ptx
