#include "runtime/files.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/drawings.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/judge/waiting.h"
#include "tools/cli/profile/profile.h"
#include "tools/draw/json.h"

namespace hone {
namespace {

FigureKind chosen_kind(const std::string& word) {
  if (const auto kind = parse_figure_kind(word)) return *kind;
  std::vector<std::string> known;
  for (const FigureKind kind : figure_kinds) known.emplace_back(name(kind));
  throw unknown("drawing", word, known);
}

/// "threads, lanes and banks"
std::string kinds_of(Drawings& drawings) {
  std::vector<std::string> kinds;
  for (const FigureKind kind : figure_kinds)
    if (!drawings.of(kind).empty()) kinds.emplace_back(name(kind));
  std::string text;
  for (size_t number = 0; number < kinds.size(); ++number)
    text += fmt::format("{}{}",
                        number == 0                  ? ""
                        : number + 1 == kinds.size() ? " and "
                                                     : ", ",
                        kinds[number]);
  return text;
}

/// A table of what there is to be drawn.
std::string list_text(Drawings& drawings) {
  std::string text;
  for (const FigureKind kind : figure_kinds) {
    const std::vector<Figure> figures = drawings.of(kind);
    if (figures.empty()) continue;
    text += fmt::format("{:<10} {}\n", name(kind), summary(kind));
    for (const Figure& figure : figures) text += fmt::format("             {}\n", figure.title);
  }
  return text;
}

bool is_about(const Figure& figure, const std::string& access) {
  return llvm::StringRef(figure.subject).split(',').first == access || figure.subject == access;
}

/// Those of the accesses that "--access" names.
std::vector<Figure> chosen_figures(const Arguments& arguments, std::vector<Figure> figures) {
  const auto access = arguments.value("--access");
  if (!access) return figures;
  std::vector<std::string> known;
  for (const Figure& figure : figures)
    if (!llvm::is_contained(known, figure.subject)) known.push_back(figure.subject);
  llvm::erase_if(figures, [&](const Figure& figure) { return !is_about(figure, *access); });
  if (figures.empty()) throw unknown("access", *access, known);
  return figures;
}

/// FILE.svg, or FILE-1.svg and so on where there are several figures.
std::string file_name(const std::string& file, size_t number, size_t count) {
  if (count == 1) return file;
  const std::string_view stem(file.data(), file.size() - (file.ends_with(".svg") ? 4 : 0));
  return fmt::format("{}-{}.svg", stem, number + 1);
}

void write_svgs(const std::vector<Figure>& figures, const std::string& file, Output& out) {
  for (size_t number = 0; number < figures.size(); ++number) {
    const std::string path = file_name(file, number, figures.size());
    replace_file(path, {to_svg(figures[number])});
    out.print(fmt::format("{}  {}\n", path, figures[number].title));
  }
}

void print_figures(const Arguments& arguments, const RungRef& rung, const Sizes& sizes,
                   const std::vector<Figure>& figures, Output& out) {
  if (const auto file = arguments.value("--svg")) return write_svgs(figures, *file, out);
  if (arguments.has("--json")) {
    llvm::json::Array array;
    for (const Figure& figure : figures) array.push_back(to_json(figure));
    return print_json(
        llvm::json::Object{
            {"rung", rung.name()}, {"sizes", to_json(sizes)}, {"figures", std::move(array)}},
        out);
  }
  for (size_t number = 0; number < figures.size(); ++number)
    out.print((number == 0 ? "" : "\n\n") + to_text(figures[number]));
}

}  // namespace

int draw_rung(const Arguments& arguments, const Session& session) {
  const auto& words = arguments.positional();
  const RungRef rung = find_rung(session.ladders, words[0]);
  const std::optional<FigureKind> kind =
      words.size() == 2 ? std::optional(chosen_kind(words[1])) : std::nullopt;
  if (arguments.has("--svg") && arguments.has("--json"))
    throw UsageError("--svg writes files, --json prints data; give one of them");
  DrawingOptions options;
  options.sizes = simulated_sizes(*rung.ladder, given_sizes(arguments, *rung.ladder));
  options.seed = chosen_seed(arguments);
  if (arguments.has("--blocks")) options.most_blocks = chosen_count(arguments).most_blocks;
  options.all_patterns = arguments.has("--all");
  const auto draw = [&] {
    const Waiting waiting(session.out, "drawing " + rung.name(), Expectation(0));
    return Drawings(rung, options);
  };
  Drawings drawings = draw();
  if (!kind && !arguments.has("--json") && !arguments.has("--svg")) {
    session.out.print(list_text(drawings));
    return exit_success;
  }
  std::vector<Figure> figures;
  for (const FigureKind one : figure_kinds)
    if (!kind || one == *kind)
      for (Figure& figure : drawings.of(one)) figures.push_back(std::move(figure));
  if (figures.empty() && kind)
    throw UsageError("{} has no drawing of {}{}; it has {}", rung.name(), name(*kind),
                     rung.rung->target == RungTarget::host ? ", as it runs on the host" : "",
                     kinds_of(drawings));
  print_figures(arguments, rung, options.sizes, chosen_figures(arguments, std::move(figures)),
                session.out);
  return exit_success;
}

}  // namespace hone
