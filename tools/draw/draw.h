// Drawings of a schedule, computed from runs of its kernels on the simulated device:
//
//   for (const Figure& figure : figures_of(s, {{"M", 64}, {"N", 64}, {"K", 64}}))
//     fmt::print("{}", to_text(figure));
//
//   const Recording recording(s, sizes);                  // one run for several kinds
//   write(to_svg(lanes_figures(recording).front()));
#pragma once

#include <optional>

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "ir/core/opcode.h"
#include "runtime/array.h"
#include "tools/draw/figure.h"

namespace hone {

enum class FigureKind { threads, lanes, banks, halo, walk, pipeline, reduction, spread, space };
inline constexpr FigureKind figure_kinds[] = {
    FigureKind::threads,   FigureKind::lanes,  FigureKind::banks,
    FigureKind::halo,      FigureKind::walk,   FigureKind::pipeline,
    FigureKind::reduction, FigureKind::spread, FigureKind::space};

/// "lanes"
std::string_view name(FigureKind kind);
std::optional<FigureKind> parse_figure_kind(std::string_view name);
/// A line: what such a figure shows.
std::string_view summary(FigureKind kind);

struct DrawOptions {
  /// Arguments of the program by name, on the host; the others get small whole numbers. Addresses
  /// that depend on values depend on these.
  std::map<std::string, AnyArray, std::less<>> arrays = {};
  int64_t most_blocks = 64;  ///< the number to run, spread over the grid; 0: all
  /// A figure for each shape that the requests of an access have, not only for the most frequent.
  bool all_patterns = false;
};

struct RecordedRun;

/// A run of a schedule's kernels on the simulated device, which figures are made of. A value.
class Recording {
 public:
  /// Throws ScheduleError where the schedule cannot run on a GPU, and RuntimeError where a size is
  /// missing, or the run fails.
  Recording(const Schedule& schedule, const Sizes& sizes, const DrawOptions& options = {});
  /// The same of kernels that nobody scheduled, with the program that they are to compute.
  Recording(Module module, const Function& program, const Sizes& sizes,
            const DrawOptions& options = {});

  const RecordedRun& run() const { return *run_; }

 private:
  std::shared_ptr<const RecordedRun> run_;
};

/// The element of a tile, or of an output, that each thread of a block computes or moves: a figure
/// per tensor that the block writes.
std::vector<Figure> threads_figures(const Recording& recording);

/// The bytes that the lanes of a warp ask for in one request to global memory, and the sectors that
/// these lie in: a figure per access. Accesses whose requests are alike share one.
///
/// Facts of this request: `lanes`, `bytes`, `used_bytes` (each byte once), `sectors`. Of all
/// requests of its accesses: `requests`, `requests_alike` (as many have this shape),
/// `total_sectors`.
std::vector<Figure> lanes_figures(const Recording& recording);

/// The shared-memory banks that serve the lanes of a warp in one request, pass by pass: a figure
/// per access, as above. Atomic updates have none.
///
/// Facts of this request: `lanes`, `bytes`, `wavefronts`, `ideal_wavefronts`, `conflict_degree`
/// (passes of the phase with most of them). Of all: `requests`, `requests_alike`,
/// `total_wavefronts`, `total_ideal_wavefronts`.
std::vector<Figure> banks_figures(const Recording& recording);

/// Elements of a tensor that a block reads, and which of them its neighbours read too: a figure per
/// tensor that neighbours share a part of, as overlapping tiles do.
///
/// Facts: `elements`, `halo_elements`, `written_elements`.
std::vector<Figure> halo_figures(const Recording& recording);

/// The tiles of its operands that a block reads, numbered by the turns of the outermost loop that
/// it takes several turns of: a figure per such loop.
///
/// Facts: `turns`, and of each operand `elements_of_A` (different ones) and `reads_of_A`.
std::vector<Figure> walk_figures(const Recording& recording);

/// The slots of rings of tiles over time, from one wait of a block's threads to the next: which are
/// filled, on their way, full, and read, and what each agent waits for. Agents are the warps that
/// wait at the same places. A figure per kernel that has rings.
///
/// Facts: `slots` (of the largest ring), `agents`, `copies_in_flight` (the most slots of a ring
/// whose copies are on their way), `steps_to_arrive` (that a copy has), `mistakes` (reads of what
/// is not there, and fills of what is not read).
std::vector<Figure> pipeline_figures(const Recording& recording);

/// The steps in which threads of a block put their values together, by a tree in shared memory or
/// by shuffles: a figure per tensor that comes about so.
///
/// Facts: `steps`, `shuffles` (of these steps), `combinations` (of all steps).
std::vector<Figure> reduction_figures(const Recording& recording);

/// The matrices of instructions that the lanes of a warp, or of a warpgroup, issue together: which
/// lane has which element in its registers. A figure per matrix of an instruction.
///
/// Facts: `lanes`, `values_per_lane`, `elements`.
std::vector<Figure> spread_figures(const Opcode& opcode);
std::vector<Figure> spread_figures(const Recording& recording);

/// The iterations of each nest, with the dependences that they carry: which may run at the same
/// time. Of a program without a schedule, `Program::function()`, or of the loops of a schedule.
///
/// Facts: `loops`, `parallel_loops`.
std::vector<Figure> space_figures(const Function& program, const Sizes& sizes = {});
std::vector<Figure> space_figures(const Recording& recording);

/// Those of one kind; empty where the schedule has none.
std::vector<Figure> figures_of(const Recording& recording, FigureKind kind);

/// Those of all kinds.
std::vector<Figure> figures_of(const Schedule& schedule, const Sizes& sizes,
                               const DrawOptions& options = {});

}  // namespace hone
