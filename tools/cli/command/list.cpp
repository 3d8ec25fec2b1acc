#include <algorithm>

#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace {

constexpr size_t idea_width = 90;

/// The words of `text` in lines that start with `indent` and are at most `idea_width` wide.
std::string wrapped(llvm::StringRef text, const std::string& indent) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::string lines, line = indent;
  for (const llvm::StringRef word : words) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > idea_width) {
      lines += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word.str();
  }
  return lines + line + "\n";
}

std::string rung_line(const Rung& rung, size_t width) {
  return fmt::format("  {:<{}}  {}{}\n", rung.name, width, rung.title,
                     rung.target == RungTarget::host ? " (on the host)" : "");
}

/// "Builds on serial. Rebuilds step 1 of ..."
std::string origin(const Rung& rung) {
  std::string text;
  if (!rung.builds_on.empty()) text = "Builds on " + rung.builds_on + ".";
  if (!rung.rebuilds.empty())
    text += (text.empty() ? "" : " ") + ("Rebuilds " + rung.rebuilds + ".");
  return text;
}

std::string ladder_text(const Ladder& ladder, bool with_ideas) {
  size_t width = 0;
  for (const Rung& rung : ladder.rungs) width = std::max(width, rung.name.size());
  std::string text = fmt::format("{}: {}\n", ladder.name, ladder.title);
  for (const Rung& rung : ladder.rungs) {
    if (with_ideas) text += "\n";
    text += rung_line(rung, width);
    if (!with_ideas) continue;
    const std::string indent(width + 4, ' ');
    if (!rung.question.empty()) text += wrapped(rung.question, indent);
    text += wrapped(rung.idea, indent);
    if (const std::string from = origin(rung); !from.empty()) text += wrapped(from, indent);
  }
  return text;
}

/// Ladders whose rungs are wrong on purpose, below a line that says so.
std::string broken_text(llvm::ArrayRef<const Ladder*> ladders, bool with_ideas) {
  std::string text;
  for (const Ladder* ladder : ladders)
    if (ladder->is_broken) text += "\n" + ladder_text(*ladder, with_ideas);
  if (text.empty()) return text;
  const std::string line =
      "wrong or slow on purpose: find out why, with `hone check` and `hone explain`\n";
  return (with_ideas ? "" : "\n") + line + text;
}

llvm::json::Value json_or_null(const std::string& text) {
  return text.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(text);
}

llvm::json::Value as_json(const Ladder& ladder) {
  llvm::json::Array rungs;
  for (const Rung& rung : ladder.rungs) {
    const Rung* base = built_on(ladder, rung);
    rungs.push_back(llvm::json::Object{
        {"rung", rung.name},
        {"title", rung.title},
        {"question", json_or_null(rung.question)},
        {"idea", rung.idea},
        {"target", rung.target == RungTarget::host ? "host" : "gpu"},
        {"builds_on", base ? llvm::json::Value(base->name) : llvm::json::Value(nullptr)},
        {"rebuilds", json_or_null(rung.rebuilds)}});
  }
  return llvm::json::Object{{"ladder", ladder.name},
                            {"title", ladder.title},
                            {"is_broken", ladder.is_broken},
                            {"sizes", to_json(ladder.sizes)},
                            {"rungs", std::move(rungs)}};
}

std::vector<const Ladder*> chosen_ladders(const Arguments& arguments, const Session& session) {
  if (!arguments.positional().empty())
    return {&find_ladder(session.ladders, arguments.positional()[0])};
  std::vector<const Ladder*> all;
  for (const Ladder& ladder : session.ladders) all.push_back(&ladder);
  return all;
}

}  // namespace

int list_rungs(const Arguments& arguments, const Session& session) {
  const auto ladders = chosen_ladders(arguments, session);
  if (arguments.has("--json")) {
    llvm::json::Array all;
    for (const Ladder* ladder : ladders) all.push_back(as_json(*ladder));
    print_json(std::move(all), session.out);
    return exit_success;
  }
  const bool with_ideas = !arguments.positional().empty();
  std::string text;
  for (const Ladder* ladder : ladders)
    if (!ladder->is_broken) text += (text.empty() ? "" : "\n") + ladder_text(*ladder, with_ideas);
  text += broken_text(ladders, with_ideas);
  session.out.print(text);
  return exit_success;
}

}  // namespace hone
