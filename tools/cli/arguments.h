// The words of a command line: options by name, and the rest in order.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone {

/// A command line that asks for something that does not exist. Exit status 2.
class UsageError : public std::runtime_error {
 public:
  template <typename... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// An option of a command: "--emit=FORM", "-D NAME=SIZE", or, without a value, a flag.
struct Option {
  std::string_view name;   ///< with its dashes: two before a word, one before a letter
  std::string_view value;  ///< the name of the value in the help; empty for a flag
  std::string_view help;
  bool repeated = false;                          ///< may be given more than once
  std::vector<std::string> (*words)() = nullptr;  ///< values that shells offer; null: none
};

/// "--emit=FORM", "-D NAME=SIZE", "--check": as the help and the errors spell it.
std::string spelling(const Option& option);

/// The options and the other words that a user gave. A value follows its option after '=' or as the
/// next word, for a letter also at once ("-DM=3"); after "--" no word is an option.
class Arguments {
 public:
  /// Throws UsageError for an unknown option, a value that is missing or too much, and an option
  /// that is given twice and may not be.
  Arguments(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Option> options);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view option) const { return values_.find(option) != values_.end(); }
  /// The value of an option that is given at most once.
  std::optional<std::string> value(std::string_view option) const;
  /// All values of an option, in order.
  std::vector<std::string> values(std::string_view option) const;

  /// The same with another first word, and without an option.
  Arguments replaced(std::string first, std::string_view option) const;

 private:
  void add(const Option& option, std::string value);

  std::vector<std::string> positional_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// The error for a name that does not exist, with what may have been meant:
///
///   there is no rung 'naiv' in matmul; did you mean 'naive'?
///   there is no rung 'fast' in matmul; there are naive, tiled
UsageError unknown(std::string_view what, std::string_view name, llvm::ArrayRef<std::string> known,
                   std::string_view where = "");

/// The words of a text, as a shell has them: blanks between, quotes around some.
std::vector<std::string> split_words(const std::string& text);

/// NAME and VALUE of "NAME=VALUE". Throws UsageError where either is missing.
std::pair<std::string, std::string> split_assignment(std::string_view option,
                                                     const std::string& text);

}  // namespace hone
