#include "tools/cli/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fmt/format.h"

namespace hone {
namespace {

constexpr size_t context = 3;

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Length of the longest common subsequence of what follows each pair of positions.
class CommonLengths {
 public:
  CommonLengths(const Lines& before, const Lines& after)
      : width_(after.size() + 1), table_((before.size() + 1) * width_) {
    for (size_t i = before.size(); i-- > 0;)
      for (size_t j = after.size(); j-- > 0;)
        at(i, j) =
            before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }

  uint32_t& at(size_t i, size_t j) { return table_[i * width_ + j]; }

 private:
  size_t width_;
  std::vector<uint32_t> table_;
};

/// The edits between texts that differ in their first and in their last line.
void append_edits(const Lines& before, const Lines& after, std::vector<LineEdit>& edits) {
  CommonLengths common(before, after);
  size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_old = i < before.size(), has_new = j < after.size();
    if (has_old && has_new && before[i] == after[j]) {
      edits.push_back({' ', before[i++]});
      ++j;
    } else if (has_old && (!has_new || common.at(i + 1, j) >= common.at(i, j + 1))) {
      edits.push_back({'-', before[i++]});
    } else {
      edits.push_back({'+', after[j++]});
    }
  }
}

std::vector<LineEdit> edits_between(Lines before, Lines after) {
  std::vector<LineEdit> edits;
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before.end()[-1 - tail] == after.end()[-1 - tail]) ++tail;
  for (size_t n = 0; n < head; ++n) edits.push_back({' ', before[n]});
  append_edits(Lines(before.begin() + head, before.end() - tail),
               Lines(after.begin() + head, after.end() - tail), edits);
  for (size_t n = before.size() - tail; n < before.size(); ++n) edits.push_back({' ', before[n]});
  return edits;
}

/// "12,7": the first line, counted from 1, and how many; of no lines, the line before.
std::string range_text(size_t first, size_t count) {
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

/// The end of the hunk that holds a change at `position`: three lines after the last change that is
/// near enough to share its context.
size_t end_of_hunk(const std::vector<LineEdit>& edits, size_t position) {
  size_t end = position + 1;
  for (size_t n = position; n < edits.size() && n <= end + 2 * context; ++n)
    if (edits[n].kind != ' ') end = n + 1;
  return std::min(end + context, edits.size());
}

}  // namespace

std::vector<LineEdit> line_edits(std::string_view old_text, std::string_view new_text) {
  return edits_between(lines_of(old_text), lines_of(new_text));
}

std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text) {
  const std::vector<LineEdit> edits = line_edits(old_text, new_text);
  std::string diff;
  size_t old_line = 0, new_line = 0, position = 0;  // of the edit at `position`
  const auto advance = [&] {
    old_line += edits[position].kind != '+' ? 1 : 0;
    new_line += edits[position].kind != '-' ? 1 : 0;
    ++position;
  };
  while (true) {
    const auto is_change = [](const LineEdit& edit) { return edit.kind != ' '; };
    const auto change = std::find_if(edits.begin() + position, edits.end(), is_change);
    if (change == edits.end()) return diff;
    const size_t first_change = change - edits.begin();
    const size_t start = std::max(position + context, first_change) - context;
    while (position < start) advance();
    const size_t old_start = old_line, new_start = new_line;
    std::string hunk;
    const size_t end = end_of_hunk(edits, first_change);
    while (position < end) {
      hunk += edits[position].kind + std::string(edits[position].line);
      advance();
    }
    if (diff.empty()) diff = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
    diff += fmt::format("@@ -{} +{} @@\n{}", range_text(old_start, old_line - old_start),
                        range_text(new_start, new_line - new_start), hunk);
  }
}

}  // namespace hone
