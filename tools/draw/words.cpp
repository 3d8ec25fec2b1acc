#include "tools/draw/words.h"

#include "fmt/ranges.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

/// The number of numbers that follow each other from there on.
size_t run_length(llvm::ArrayRef<int> numbers, size_t start) {
  size_t length = 1;
  while (start + length < numbers.size() &&
         numbers[start + length] == numbers[start] + static_cast<int>(length))
    ++length;
  return length;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back(word);
    } else {
      (lines.back() += ' ') += word;
    }
  }
  return lines;
}

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  const size_t sign = number < 0 ? 1 : 0;
  for (size_t place = text.size(); place > sign + 3;) text.insert(place -= 3, ",");
  return text;
}

std::string amount(int64_t count, std::string_view what) {
  const bool is_hissing = what.ends_with("s");
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : is_hissing ? "es" : "s");
}

std::string brief(llvm::ArrayRef<int> numbers) {
  if (numbers.empty()) return "";
  if (numbers.size() == 1) return std::to_string(numbers[0]);
  if (run_length(numbers, 0) == numbers.size())
    return fmt::format("{}-{}", numbers.front(), numbers.back());
  const char* const between = numbers.size() == 2 ? "+" : "..";
  return fmt::format("{}{}{}", numbers.front(), between, numbers.back());
}

std::string list_text(llvm::ArrayRef<int> numbers) {
  std::vector<std::string> parts;
  for (size_t start = 0; start < numbers.size();) {
    const size_t length = run_length(numbers, start);
    if (length > 2) {
      parts.push_back(fmt::format("{} to {}", numbers[start], numbers[start + length - 1]));
      start += length;
    } else {
      parts.push_back(std::to_string(numbers[start++]));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace hone
