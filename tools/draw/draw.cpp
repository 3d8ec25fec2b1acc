#include "tools/draw/draw.h"

namespace hone {
namespace {

struct Kind {
  FigureKind kind;
  std::string_view name, summary;
  std::vector<Figure> (*draw)(const Recording&);
};

constexpr Kind kinds[] = {
    {FigureKind::threads, "threads", "which thread of a block writes each element",
     threads_figures},
    {FigureKind::lanes, "lanes", "the addresses and sectors that the lanes of a warp ask for",
     lanes_figures},
    {FigureKind::banks, "banks", "the banks of shared memory that serve the lanes of a warp",
     banks_figures},
    {FigureKind::halo, "halo", "what a block reads, and its neighbours too", halo_figures},
    {FigureKind::walk, "walk", "the way of a block over tiles of its operands", walk_figures},
    {FigureKind::pipeline, "pipeline", "rings of tiles over time: slots filled, on their way, read",
     pipeline_figures},
    {FigureKind::reduction, "reduction", "threads that put their values together, step by step",
     reduction_figures},
    {FigureKind::spread, "spread", "which lane of a warp has which element of a matrix",
     spread_figures},
    {FigureKind::space, "space", "iterations, and the dependences between them", space_figures},
};

const Kind& of(FigureKind kind) { return kinds[static_cast<size_t>(kind)]; }

}  // namespace

std::string_view name(FigureKind kind) { return of(kind).name; }

std::string_view summary(FigureKind kind) { return of(kind).summary; }

std::optional<FigureKind> parse_figure_kind(std::string_view name) {
  for (const Kind& kind : kinds)
    if (kind.name == name) return kind.kind;
  return std::nullopt;
}

std::vector<Figure> figures_of(const Recording& recording, FigureKind kind) {
  return of(kind).draw(recording);
}

std::vector<Figure> figures_of(const Schedule& schedule, const Sizes& sizes,
                               const DrawOptions& options) {
  const Recording recording(schedule, sizes, options);
  std::vector<Figure> all;
  for (const Kind& kind : kinds)
    for (Figure& figure : kind.draw(recording)) all.push_back(std::move(figure));
  return all;
}

}  // namespace hone
