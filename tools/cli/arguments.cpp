#include "tools/cli/arguments.h"

#include <algorithm>

#include "fmt/ranges.h"
#include "ir/core/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

namespace hone {
namespace {

bool is_word(std::string_view option) { return option.starts_with("--"); }

/// A word of the command line, cut into the option's name and the value that is joined to it.
struct Split {
  std::string name;
  std::optional<std::string> value;
};

Split split_word(const std::string& word) {
  const size_t end = is_word(word) ? std::min(word.find('='), word.size()) : 2;
  if (end == word.size()) return {word, std::nullopt};
  return {word.substr(0, end), word.substr(end + (is_word(word) ? 1 : 0))};
}

const Option& find_option(llvm::ArrayRef<Option> options, const std::string& name) {
  const auto* found =
      llvm::find_if(options, [&](const Option& option) { return option.name == name; });
  if (found != options.end()) return *found;
  std::vector<std::string> known;
  for (const Option& option : options) known.emplace_back(option.name);
  throw unknown("option", name, known);
}

}  // namespace

std::string spelling(const Option& option) {
  if (option.value.empty()) return std::string(option.name);
  return fmt::format("{}{}{}", option.name, is_word(option.name) ? '=' : ' ', option.value);
}

Arguments::Arguments(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Option> options) {
  for (size_t n = 0; n < words.size(); ++n) {
    if (words[n] == "--") {
      positional_.insert(positional_.end(), words.begin() + n + 1, words.end());
      return;
    }
    if (words[n].size() < 2 || words[n][0] != '-') {
      positional_.push_back(words[n]);
      continue;
    }
    Split split = split_word(words[n]);
    const Option& option = find_option(options, split.name);
    if (option.value.empty()) {
      if (split.value) throw UsageError("{} takes no value, got '{}'", option.name, *split.value);
      split.value = "";
    }
    if (!split.value) {
      if (++n == words.size()) throw UsageError("{} lacks its value", spelling(option));
      split.value = words[n];
    }
    add(option, *split.value);
  }
}

void Arguments::add(const Option& option, std::string value) {
  auto& values = values_[std::string(option.name)];
  if (!values.empty() && !option.repeated) throw UsageError("{} is given twice", option.name);
  values.push_back(std::move(value));
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Arguments Arguments::replaced(std::string first, std::string_view option) const {
  Arguments result = *this;
  result.positional_.at(0) = std::move(first);
  if (const auto found = result.values_.find(option); found != result.values_.end())
    result.values_.erase(found);
  return result;
}

UsageError unknown(std::string_view what, std::string_view name, llvm::ArrayRef<std::string> known,
                   std::string_view where) {
  const std::string place = where.empty() ? "" : fmt::format(" in {}", where);
  const std::string close = closest(llvm::StringRef(name.data(), name.size()), known);
  const std::string help = !close.empty()  ? fmt::format("did you mean '{}'?", close)
                           : known.empty() ? "there are none"
                                           : fmt::format("there are {}", fmt::join(known, ", "));
  return UsageError("there is no {} '{}'{}; {}", what, name, place, help);
}

std::vector<std::string> split_words(const std::string& text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

std::pair<std::string, std::string> split_assignment(std::string_view option,
                                                     const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError("{} takes NAME=VALUE, got '{}'", option, text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace hone
