#include "tools/page/listing.h"

#include "codegen/emit/emit.h"
#include "ir/traverse/visit.h"
#include "tools/cli/judge/forms.h"
#include "tools/cli/line_diff.h"
#include "tools/cli/provenance.h"

namespace hone {
namespace {

std::string axis_of(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->axis->name;
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return let->axis->name;
  return "";
}

bool makes_axes(const Step& step) {
  return llvm::any_of(step.made,
                      [&](const AxisPtr& axis) { return !llvm::is_contained(step.axes, axis); });
}

/// The step that a statement is owed to, from 1 on; of the value of an axis of the definition, the
/// first that takes the axis apart.
int step_number(const Schedule& schedule, const Provenance& provenance, const Stmt& body,
                const Stmt& stmt) {
  if (const auto step = provenance.step_of(body, stmt.get())) return static_cast<int>(*step) + 1;
  const auto* let = llvm::dyn_cast<Let>(stmt);
  const auto trace = schedule.trace();
  for (size_t n = 0; let && n < trace.size(); ++n)
    for (const AxisPtr& axis : trace[n].step.axes)
      if (axis->name == let->axis->name && makes_axes(trace[n].step))
        return static_cast<int>(n) + 1;
  return 0;
}

/// Marks the lines of a text that starts with line 1 of `lines`. Of several statements of a line
/// the outermost counts.
void mark(const Schedule& schedule, const Stmt& body, const StatementLines& lines,
          Listing& listing) {
  const Provenance provenance(schedule);
  walk(body, [&](const Stmt& stmt) {
    const auto found = lines.find(stmt.get());
    if (found == lines.end()) return;
    for (const unsigned number : found->second) {
      if (number == 0 || number > listing.size()) continue;
      ListingLine& line = listing[number - 1];
      if (line.step >= 0) continue;
      line.step = step_number(schedule, provenance, body, stmt);
      line.axis = axis_of(stmt);
    }
  });
}

/// A pragma belongs to the line behind it.
void mark_pragmas(Listing& listing) {
  for (size_t n = listing.size(); n-- > 1;) {
    const llvm::StringRef text = llvm::StringRef(listing[n - 1].text).ltrim();
    if (text.take_until([](char character) { return character == ' '; }) != "#pragma") continue;
    listing[n - 1].step = listing[n].step;
    listing[n - 1].axis = listing[n].axis;
  }
}

/// Leaves out the comments above the launch: definitions and schedule stand in a listing of their
/// own.
void drop_history(Listing& listing) {
  const auto is_comment = [](const ListingLine& line) { return line.text.rfind("//", 0) == 0; };
  const auto end =
      llvm::find_if(listing, [](const ListingLine& line) { return line.text == "//"; });
  const bool is_header = end != listing.end() && std::all_of(listing.begin(), end, is_comment);
  if (is_header) listing.erase(listing.begin(), end + 1);
}

std::string text_with_ends(const Listing& listing) {
  std::string text;
  for (const ListingLine& line : listing) text += line.text + "\n";
  return text;
}

}  // namespace

Listing plain_listing(const std::string& text) {
  Listing listing;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    ListingLine line;
    const auto [first, others] = rest.split('\n');
    line.text = first.str();
    line.number = static_cast<unsigned>(listing.size()) + 1;
    listing.push_back(line);
    rest = others;
  }
  return listing;
}

Listing schedule_listing(const Schedule& schedule) {
  const llvm::ArrayRef<std::string> history = schedule.function().history;
  const auto trace = schedule.trace();
  Listing listing;
  for (const std::string& definition : history.drop_back(trace.size())) {
    ListingLine line;
    line.text = "// " + definition;
    line.step = 0;
    listing.push_back(line);
  }
  for (size_t n = 0; n < trace.size(); ++n) {
    ListingLine line;
    line.text = trace[n].text;
    line.step = static_cast<int>(n) + 1;
    const Step& step = trace[n].step;
    if (step.axes.size() == 1 && !makes_axes(step)) line.axis = step.axes[0]->name;
    listing.push_back(line);
  }
  return listing;
}

Listing loops_listing(const Schedule& schedule) {
  const Function& function = schedule.function();
  Listing listing = plain_listing(to_string(function) + "\n");
  const std::string operators = operator_lines(function.body);
  const auto above = static_cast<unsigned>(llvm::count(operators, '\n')) + 1;
  mark(schedule, function.body, print_with_lines(function.body, 1, above + 1).lines, listing);
  return listing;
}

Listing cuda_listing(const Schedule* schedule, const Module& module) {
  Listing all;
  const std::vector<unsigned> lines_above = cuda_lines_above(module);
  for (const auto& [kernel, above] : llvm::zip(module.kernels, lines_above)) {
    const LinedText cuda = emit_cuda_with_lines(kernel);
    Listing listing = plain_listing(cuda.text);
    for (ListingLine& line : listing) line.number += above;
    if (schedule) mark(*schedule, kernel.body, cuda.lines, listing);
    mark_pragmas(listing);
    drop_history(listing);
    if (!all.empty()) all.emplace_back();
    all.insert(all.end(), listing.begin(), listing.end());
  }
  return all;
}

Listing compared(const Listing& before, Listing after) {
  Listing result;
  size_t position = 0;  // in `after`
  unsigned position_before = 0;
  const std::string old_text = text_with_ends(before), new_text = text_with_ends(after);
  for (const LineEdit& edit : line_edits(old_text, new_text)) {
    ListingLine line;
    if (edit.kind == '-')
      line.text = std::string(edit.line.substr(0, edit.line.size() - 1));
    else
      line = after[position++];
    line.change = edit.kind;
    if (edit.kind != '+') line.before = ++position_before;
    result.push_back(line);
  }
  return result;
}

void drop_removed_if_new(Listing& listing) {
  const auto kept = llvm::count_if(listing, [](const auto& line) { return line.change == ' '; });
  const auto added = llvm::count_if(listing, [](const auto& line) { return line.change == '+'; });
  if (kept < added) llvm::erase_if(listing, [](const auto& line) { return line.change == '-'; });
}

bool has_changes(const Listing& listing) {
  return llvm::any_of(listing, [](const ListingLine& line) { return line.change != ' '; });
}

std::string text_of(const Listing& listing) {
  std::string text;
  for (const ListingLine& line : listing)
    if (line.change != '-') text += line.text + "\n";
  return text;
}

}  // namespace hone
