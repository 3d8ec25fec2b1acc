#include "runtime/cudart/link_ptx.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace hone::cudart {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

/// A declaration, a definition or a directive of a module.
struct Item {
  std::string text;
  std::vector<std::string_view> words;  ///< of `text`, up to the first of "({=;["

  bool starts_with(std::string_view directive) const {
    return !words.empty() && words[0] == directive;
  }
  bool is_header() const {
    return starts_with(".version") || starts_with(".target") || starts_with(".address_size");
  }
};

/// The end of a comment or a string that begins at `at`, else `at`.
size_t skip_opaque(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at), text.size() - 2) + 2;
  if (text[at] == '"') return std::min(text.find('"', at + 1), text.size() - 1) + 1;
  return at;
}

/// Directives that end with their line.
bool is_line_directive(std::string_view text) {
  for (const std::string_view word : {".version", ".target", ".address_size", ".file"})
    if (text.starts_with(word)) return true;
  return false;
}

/// The end of the item that begins at `at`, which is not a space.
size_t end_of_item(std::string_view text, size_t at) {
  if (is_line_directive(text.substr(at))) return std::min(text.find('\n', at), text.size());
  for (int depth = 0; at < text.size(); ++at) {
    if (const size_t end = skip_opaque(text, at); end != at) {
      at = end - 1;
      continue;
    }
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth != 0) continue;
    if (text[at] == ';') return at + 1;
    const size_t next = text.find_first_not_of(" \t\n", at + 1);
    if (text[at] == '}' && (next == std::string_view::npos || text[next] != ';')) return at + 1;
  }
  return text.size();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find_first_not_of(" \t\n", at);
    if (begin == std::string_view::npos) break;
    size_t end = begin;
    while (end < text.size() && (is_name_char(text[end]) || text[end] == '.')) ++end;
    words.push_back(text.substr(begin, std::max<size_t>(end - begin, 1)));
    at = std::max(end, begin + 1);
  }
  return words;
}

std::vector<Item> items_of(std::string_view text) {
  std::vector<Item> items;
  for (size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) < text.size();) {
    if (const size_t end = skip_opaque(text, at); end != at) {
      at = end;
      continue;
    }
    const size_t end = end_of_item(text, at);
    items.push_back({std::string(text.substr(at, end - at)), {}});
    at = end;
  }
  for (Item& item : items)
    item.words = words_of(std::string_view(item.text).substr(0, item.text.find_first_of("{=;")));
  return items;
}

/// The first name in a range of words; empty where there is none.
std::string first_name(llvm::ArrayRef<std::string_view> words) {
  for (const std::string_view word : words)
    if (is_name_char(word[0])) return std::string(word);
  return "";
}

/// Behind the directive, and behind its results in parentheses.
std::string name_of_function(llvm::ArrayRef<std::string_view> behind) {
  if (behind.empty() || behind[0] != "(") return first_name(behind);
  return first_name(behind.drop_while([](std::string_view word) { return word != ")"; }));
}

/// The last name before its extents.
std::string name_of_variable(llvm::ArrayRef<std::string_view> words) {
  std::string name;
  for (const std::string_view word : words) {
    if (word == "[") break;
    if (is_name_char(word[0])) name = word;
  }
  return name;
}

/// The name that the item declares; empty where it declares none.
std::string name_of(const Item& item) {
  if (item.is_header() || item.starts_with(".file") || item.starts_with(".section")) return "";
  const llvm::ArrayRef<std::string_view> words = item.words;
  for (size_t n = 0; n < words.size(); ++n)
    if (words[n] == ".func" || words[n] == ".entry")
      return name_of_function(words.drop_front(n + 1));
  return name_of_variable(words);
}

bool is_shared_name(const Item& item) {
  for (const std::string_view word : {".visible", ".extern", ".weak", ".common"})
    if (item.starts_with(word)) return true;
  return false;
}

/// A comment, a string, a word with its dot, or one other character.
std::string_view token_at(std::string_view text, size_t at) {
  if (const size_t end = skip_opaque(text, at); end != at) return text.substr(at, end - at);
  size_t end = at + 1;
  const bool is_word = is_name_char(text[at]) || text[at] == '.';
  while (is_word && end < text.size() && is_name_char(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The tokens of a module, as they stand in the linked one.
class Renamer {
 public:
  Renamer(const std::map<std::string, std::string>& names, int file_shift, int module)
      : names_(names), file_shift_(file_shift), module_(module) {}

  std::string text_of(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      const std::string_view token = token_at(text, at);
      result += renamed(token);
      at += token.size();
    }
    return result;
  }

 private:
  std::string renamed(std::string_view token) {
    const unsigned char first = token[0];
    if (std::isspace(first)) return std::string(token);
    const bool is_file =
        std::exchange(is_file_next_, token == ".file" || token == ".loc" || token == "inlined_at");
    if (is_file && std::isdigit(first))
      return std::to_string(std::stoi(std::string(token)) + file_shift_);
    if (token.starts_with("$L__info_string")) return fmt::format("{}_m{}", token, module_);
    const auto found = names_.find(std::string(token));
    return found == names_.end() ? std::string(token) : found->second;
  }

  const std::map<std::string, std::string>& names_;
  int file_shift_, module_;
  bool is_file_next_ = false;  ///< the next token is the number of a file
};

bool is_function(const Item& item) {
  return std::ranges::find(item.words, ".func") != item.words.end();
}

bool is_declaration(const Item& item) {
  return is_function(item) && item.text.find('{') == std::string::npos;
}

/// The linked text: what a text uses stands before it.
class Linker {
 public:
  void declare(const std::vector<Item>& items) {
    for (const Item& item : items)
      if (is_shared_name(item) && !item.starts_with(".extern") && !is_declaration(item))
        defined_.insert(name_of(item));
  }
  void add(const std::vector<Item>& items) {
    std::map<std::string, std::string> names;
    for (const Item& item : items)
      if (const std::string name = name_of(item); !name.empty() && !is_shared_name(item))
        if (!taken_.insert(name).second) names[name] = fmt::format("{}_m{}", name, number_);
    int files = 0;
    for (const Item& item : items) {
      if (item.starts_with(".file")) files = std::max(files, std::stoi(std::string(item.words[1])));
      if (is_needed(item))
        part_of(item) += Renamer(names, file_shift_, number_).text_of(as_linked(item)) + "\n";
    }
    file_shift_ += files;
    ++number_;
  }
  std::string text() const { return header_ + declarations_ + variables_ + functions_; }

 private:
  bool is_needed(const Item& item) {
    if (item.is_header()) return number_ == 0;
    if (!is_shared_name(item)) return true;
    const std::string name = name_of(item);
    if (is_declaration(item)) return declared_.insert(name).second;
    if (item.starts_with(".extern") && defined_.contains(name)) return false;
    return written_.insert(name).second;
  }
  /// A function of another object is declared before it is there.
  std::string as_linked(const Item& item) const {
    constexpr std::string_view word = ".extern";
    if (!item.starts_with(word) || !defined_.contains(name_of(item))) return item.text;
    return ".visible" + item.text.substr(word.size());
  }
  std::string& part_of(const Item& item) {
    if (item.is_header()) return header_;
    if (is_declaration(item)) return declarations_;
    const bool is_variable = std::ranges::any_of(item.words, [](std::string_view word) {
      return word == ".global" || word == ".const" || word == ".shared";
    });
    return is_variable && !is_function(item) ? variables_ : functions_;
  }

  std::set<std::string> defined_, written_, declared_, taken_;
  std::string header_, declarations_, variables_, functions_;
  int file_shift_ = 0, number_ = 0;
};

}  // namespace

std::string link_ptx(llvm::ArrayRef<std::string> modules) {
  if (modules.size() == 1) return modules[0];
  std::vector<std::vector<Item>> parts;
  Linker linker;
  for (const std::string& module : modules) {
    parts.push_back(items_of(module));
    linker.declare(parts.back());
  }
  for (const std::vector<Item>& items : parts) linker.add(items);
  return linker.text();
}

}  // namespace hone::cudart
