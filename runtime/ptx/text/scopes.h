// The names in a function: its registers, its variables and its labels, by the blocks in braces
// that declare them.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "runtime/ptx/text/lexer.h"

namespace hone::ptx {

/// The meaning of a name.
struct Name {
  enum class Kind : uint8_t { none, reg, variable };

  Kind kind = Kind::none;
  uint8_t width = 1;    ///< the elements of a vector of registers
  int scope = 0;        ///< that declares it
  int depth = 0;        ///< of that scope
  uint32_t number = 0;  ///< of the (first) register, or of the variable in `variable_name`
  uint32_t count = 1;   ///< of registers %r0, %r1, ...
};

class Scopes {
 public:
  Scopes();

  void open();
  void close();
  int current() const { return current_; }

  /// Throws PtxError where the scope has the name already, as the others do.
  void add_registers(const Token& name, Name registers, bool is_range);
  /// `unique`: as the function's variables have it.
  void add_variable(const Token& name, std::string unique);
  /// Kind::none where there is none.
  Name find(llvm::StringRef name) const;
  const std::string& variable_name(const Name& name) const { return variable_names_[name.number]; }

  /// The name that it gets, which is not used for another label of the function.
  std::string add_label(const Token& name);
  /// As seen from the scope; null where there is none.
  const std::string* find_label(llvm::StringRef name, int scope) const;

 private:
  using Names = llvm::DenseMap<llvm::StringRef, Name>;
  struct Hidden {
    Names* names;
    llvm::StringRef key;
    Name name;  ///< of Kind::none where there was none
  };
  struct Open {
    int parent;
    size_t hidden;  ///< the first that it hides
  };

  void add(Names& names, llvm::StringRef key, const Token& token, Name name);
  Name find_in_range(llvm::StringRef name) const;

  Names names_, ranges_;  ///< a range %r<4> by "%r"
  std::vector<Hidden> hidden_;
  std::vector<Open> open_;
  std::vector<int> parents_;  ///< by scope
  int current_ = 0;
  std::vector<std::string> variable_names_;
  llvm::DenseMap<std::pair<llvm::StringRef, int>, std::string> labels_;  ///< with their scopes
  llvm::StringMap<int> label_uses_;
};

}  // namespace hone::ptx
