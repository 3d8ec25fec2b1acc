#include "tools/draw/draw.h"

#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/files.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace draw_test {

using testing::HasSubstr;

/// The output of a command line, which has to go well.
std::string printed(std::vector<std::string> words) {
  const CommandResult result = hone(std::move(words));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
  return result.printed;
}

// ---- The command --------------------------------------------------------------------------------

TEST(Draw, ListsTheDrawingsOfARung) {
  EXPECT_EQ(printed({"draw", "axpy/blocks", "-DN=150"}),
            R"(threads    which thread of a block writes each element
             Z: which thread of a block writes each element
lanes      the addresses and sectors that the lanes of a warp ask for
             X, global load: 4 sectors a request
             Y, global load: 4 sectors a request
             Z, global store: 4 sectors a request
space      iterations, and the dependences between them
             the iterations that make Z: 1 of 1 loop parallel
)");
}

/// 150 elements are four full warps, and 22 lanes of a fifth one.
TEST(Draw, LanesAndTheirSectors) {
  EXPECT_EQ(printed({"draw", "axpy/blocks", "lanes", "-DN=150", "--access=X", "--all"}),
            R"(X, global load: 4 sectors a request

the lanes of warp 0 of block (0, 0, 0), and the sectors of X that they ask for, 128 bytes a row
   0  1  2  3  4  5  6  7| 8  9 10 11 12 13 14 15|16 17 18 19 20 21 22 23|24 25 26 27 28 29 30 31
0  0  1  2  3  4  5  6  7| 8  9 10 11 12 13 14 15|16 17 18 19 20 21 22 23|24 25 26 27 28 29 30 31

The access is X[i]. One request of a warp asks for 128 bytes in 4 sectors, which move 128 bytes:
100% of them are used. Of the 5 requests, 4 cost as much. On average a request takes 3.8 sectors.


X, global load: 3 sectors a request

the lanes of warp 0 of block (1, 0, 0), and the sectors of X that they ask for, 128 bytes a row
     0  1  2  3  4  5  6  7| 8  9 10 11 12 13 14 15|16 17 18 19 20 21  -  -| -  -  -  -  -  -  -  -
128  0  1  2  3  4  5  6  7| 8  9 10 11 12 13 14 15|16 17 18 19 20 21  .  .|

The access is X[i]. One request of a warp asks for 88 bytes in 3 sectors, which move 96 bytes: 91.7%
of them are used. Of the 5 requests, 1 costs as much. On average a request takes 3.8 sectors.
)");
}

TEST(Draw, ThreadsAndTheirElements) {
  EXPECT_EQ(printed({"draw", "matmul/register", "threads", "-DN=7", "-DM=8"}),
            R"(C: which thread of a block writes each element

    4
4 0,0 0,1 0,2
5 1,0 1,1 1,2
6 2,0 2,1 2,2
7 3,0 3,1 3,2

Rows and columns are those of C. 12 threads of block (1, 1, 0) of the grid (2, 2, 1) write 12
elements of it, 1 at most each. A cell names its thread by y,x; a colour is a warp of 32 threads.
)");
}

TEST(Draw, WritesAFileForEachDrawing) {
  const TemporaryFolder folder;
  EXPECT_EQ(printed({"draw", "axpy/blocks", "threads", "--svg", folder.file("z.svg")}),
            folder.file("z.svg") + "  Z: which thread of a block writes each element\n");
  EXPECT_EQ(printed({"draw", "axpy/blocks", "lanes", "--svg", folder.file("all.svg")}),
            folder.file("all-1.svg") + "  X, global load: 4 sectors a request\n" +
                folder.file("all-2.svg") + "  Y, global load: 4 sectors a request\n" +
                folder.file("all-3.svg") + "  Z, global store: 4 sectors a request\n");
  const auto svg = read_small_file(folder.file("all-3.svg"), 1 << 20);
  ASSERT_TRUE(svg);
  EXPECT_THAT(*svg, HasSubstr("<title>Z, global store: 4 sectors a request</title>"));
}

TEST(Draw, JsonHasTheFiguresOfAllKinds) {
  auto json = llvm::json::parse(printed({"draw", "axpy/blocks", "--json", "-DN=3"}));
  ASSERT_TRUE(!!json);
  const llvm::json::Object& object = *json->getAsObject();
  EXPECT_EQ(*object.getString("rung"), "axpy/blocks");
  const llvm::json::Array& figures = *object.getArray("figures");
  ASSERT_EQ(figures.size(), 5u);
  const llvm::json::Object& threads = *figures[0].getAsObject();
  EXPECT_EQ(*threads.getString("kind"), "threads");
  EXPECT_EQ(*threads.getObject("facts")->getInteger("elements"), 3);
  const llvm::json::Object& panel = *threads.getArray("panels")->front().getAsObject();
  EXPECT_EQ(*panel.getInteger("columns"), 3);
  EXPECT_EQ(*panel.getArray("cells")->back().getAsObject()->getString("tip"),
            "Z[2]: thread (2, 0, 0), lane 2 of warp 0");
}

TEST(Draw, RefusesWhatARungHasNot) {
  expect_usage_error(
      {"draw", "matmul/register", "banks"},
      "matmul/register has no drawing of banks; it has threads, lanes, walk and space");
  expect_usage_error({"draw", "matmul/register", "bank"},
                     "there is no drawing 'bank'; did you mean 'banks'?");
  expect_usage_error({"draw", "matmul/register", "lanes", "--access=Q"},
                     "there is no access 'Q'; there are A, global load, B, global load, C, global "
                     "store");
  expect_usage_error(
      {"draw", "matmul/parallel", "banks"},
      "matmul/parallel has no drawing of banks, as it runs on the host; it has space");
  expect_usage_error({"draw", "matmul/register", "lanes", "--svg=x", "--json"},
                     "--svg writes files, --json prints data; give one of them");
  expect_usage_error({"draw", "matmul/register", "lanes", "--blocks=-1"},
                     "--blocks takes a number from 0 on, got '-1'");
}

// ---- Banks --------------------------------------------------------------------------------------

/// B = A^T through a tile of 4 x 32, whose rows are `padding` elements longer.
Schedule transposed(int64_t padding) {
  const Tensor A("A", f32, {32, 32}), B("B", f32, {32, 32});
  const Axis j("j", 32), i("i", 32);
  Schedule s(Program("transpose", B(j, i) = A(i, j)));
  const auto [j0, i0, j1, i1] = s.tile({j, i}, {32, 32});
  s.bind(j0, block.x);
  s.bind(j1, thread.y);
  s.bind(i1, thread.x);
  const Cache tile = s.cache_shared(A, j0);
  if (padding > 0) s.layout(tile, Layout().pad(padding));
  return s;
}

Figure load_of(const Schedule& schedule) {
  for (const Figure& figure : banks_figures(Recording(schedule, {})))
    if (figure.subject == "A.shared, shared load") return figure;
  ADD_FAILURE() << "no load of the tile";
  return {};
}

/// A column of 32 elements lies in one bank; a row that is one longer puts it into 32.
TEST(Draw, PaddingTakesAColumnThroughAllBanks) {
  const Figure tiled = load_of(transposed(0)), padded = load_of(transposed(1));
  EXPECT_EQ(tiled.facts.at("wavefronts"), 32);
  EXPECT_EQ(tiled.facts.at("conflict_degree"), 32);
  EXPECT_EQ(padded.facts.at("wavefronts"), 1);
  EXPECT_EQ(padded.facts.at("ideal_wavefronts"), 1);
  const FigurePanel& tile = padded.panels[2];
  EXPECT_EQ(tile.columns, 33);
  for (int64_t row = 0; row < 32; ++row) {
    EXPECT_EQ(tiled.panels[2].at(row, 0).text, "0");
    EXPECT_EQ(tile.at(row, 0).text, std::to_string(row));
    EXPECT_GE(tile.at(row, 0).group, 0);
    EXPECT_EQ(tile.at(row, 1).group, -1);
  }
}

TEST(Draw, BeforeAndAfterStandBesideEachOther) {
  const Figure tiled = load_of(transposed(0)), padded = load_of(transposed(1));
  const Figure both = before_and_after(tiled, "tiled", padded, "padded");
  EXPECT_EQ(both.title,
            "A.shared, shared load: 32 wavefronts a request in tiled, 1 wavefront a request in "
            "padded");
  ASSERT_EQ(both.panels.size(), 6u);
  EXPECT_EQ(both.panels[2].rows, 32);
  EXPECT_EQ(both.panels[3].rows, 1);
  EXPECT_FALSE(both.panels[2].is_beside);
  EXPECT_TRUE(both.panels[3].is_beside);
  EXPECT_EQ(both.facts.at("before_wavefronts"), 32);
}

// ---- Walk and halo ------------------------------------------------------------------------------

/// C = A B in tiles of 2 x 2, which three turns of k.0 fetch.
Schedule tiled_matmul(int64_t K) {
  const SmallMatmul p({{"M", 4}, {"N", 6}, {"K", K}});
  Schedule s(p.program);
  const auto [by, bx, ty, tx] = s.tile({p.i, p.j}, {2, 2});
  const auto [k0, k1] = s.split(p.k, 2);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.reorder({ty, tx, k0, k1});
  s.cache_registers(p.C, tx);
  s.cache_shared(p.A, k0);
  s.cache_shared(p.B, k0);
  return s;
}

TEST(Draw, TheWalkOverTiles) {
  const std::vector<Figure> figures = walk_figures(Recording(tiled_matmul(6), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(to_text(figures[0]), R"(the walk of a block over A, B: 3 turns of k.0

A in tiles of 2 x 2
  0
0 . . .
2 0 1 2

B in tiles of 2 x 2
  0
0 . 0 .
2 . 1 .
4 . 2 .

The number is the turn of the loop k.0 in which block (1, 1, 0) of the grid (3, 2, 1) reads a tile.
It reads 12 elements of A, each once. It reads 12 elements of B, each once.
)");
  EXPECT_EQ(figures[0].facts.at("turns"), 3);
  EXPECT_EQ(figures[0].facts.at("reads_of_A"), 12);
}

/// The last tile is cut off; the others say how large it is.
TEST(Draw, TheWalkOverATileThatIsCutOff) {
  const std::vector<Figure> figures = walk_figures(Recording(tiled_matmul(5), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].panels[0].title, "A in tiles of 2 x 2");
  EXPECT_EQ(figures[0].panels[0].at(1, 2).text, "2");
  EXPECT_EQ(figures[0].facts.at("elements_of_A"), 10);
}

/// B[i] = A[i] + A[i + 1] + A[i + 2] in blocks of 4.
Schedule smoothed() {
  const Tensor A("A", f32, {14}), B("B", f32, {12});
  const Axis i("i", 12);
  Schedule s(Program("smooth", B(i) = A(i) + A(i + 1) + A(i + 2)));
  const auto [chunk, lane] = s.split(i, 4);
  s.bind(chunk, block.x);
  s.bind(lane, thread.x);
  return s;
}

TEST(Draw, ElementsThatNeighboursReadToo) {
  const std::vector<Figure> figures = halo_figures(Recording(smoothed(), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(to_text(figures[0]), R"(A: what a block reads, and its neighbours too

  4
0 2 2 1 1 2 2

Rows and columns are those of A. Block (1, 0, 0) of the grid (3, 1, 1) reads 6 elements, and writes
4. 4 of those that it reads are read by neighbours too; the number is that of the blocks.
)");
  EXPECT_EQ(figures[0].facts.at("halo_elements"), 4);
}

TEST(Draw, BlocksThatShareAllOrNothingHaveNoHalo) {
  EXPECT_TRUE(halo_figures(Recording(tiled_matmul(6), {})).empty());
  EXPECT_TRUE(halo_figures(Recording(transposed(0), {})).empty());
}

// ---- Reductions ---------------------------------------------------------------------------------

Schedule summed(Combine::Method method) {
  const Tensor A("A", f32, {8}), S("S", f32, {});
  const ReduceAxis k("k", 8);
  Schedule s(Program("sum", S() = sum(k, A(k))));
  s.bind(k, thread.x, method);
  return s;
}

TEST(Draw, ATreeStepByStep) {
  const std::vector<Figure> figures =
      reduction_figures(Recording(summed(Combine::interleaved_strided), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(to_text(figures[0]), R"(how S.tree comes together: 3 steps

       0 1 2 3 4 5 6 7
values . . . . . . . .
    +1 0 . 1 . 2 . 3 .
    +2 0 . . . 1 . . .
    +4 0 . . . . . . .

The rows are 3 steps, 0 of them by a shuffle. A column is an element of the tile. A cell names the
thread that works there, and its colour is the warp; an arrow comes from where the other value was.
)");
  ASSERT_EQ(figures[0].arrows.size(), 7u);
  EXPECT_EQ(figures[0].arrows[0].from, (FigurePlace{0, 0, 1}));
  EXPECT_EQ(figures[0].arrows[0].to, (FigurePlace{0, 1, 0}));
  EXPECT_EQ(figures[0].arrows[6].from, (FigurePlace{0, 2, 4}));
}

TEST(Draw, TheSameSumsByAShrinkingStride) {
  const std::vector<Figure> figures = reduction_figures(Recording(summed(Combine::sequential), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].panels[0].row_labels, testing::ElementsAre("values", "+4", "+2", "+1"));
  EXPECT_EQ(figures[0].facts.at("combinations"), 7);
}

TEST(Draw, ShufflesStepByStep) {
  const std::vector<Figure> figures = reduction_figures(Recording(summed(Combine::shuffle), {}));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_THAT(figures[0].panels[0].row_labels,
              testing::ElementsAre("values", "shuffle +4", "shuffle +2", "shuffle +1"));
  EXPECT_EQ(figures[0].facts.at("shuffles"), 3);
}

// ---- Space --------------------------------------------------------------------------------------

TEST(Draw, IterationsOfASum) {
  const SmallMatmul p({{"M", 2}, {"N", 3}, {"K", 4}});
  const std::vector<Figure> figures = space_figures(p.program.function());
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(to_text(figures[0]), R"(the iterations that make C: 2 of 3 loops parallel

    k=0 k=1 k=2 k=3
j=0   0   1   2   3
j=1   0   1   2   3
j=2   0   1   2   3
(of i, j, k these two are drawn; the others have one iteration)

i is parallel. j is parallel. k carries a dependence (reduction of C, which may be regrouped). The
number and the colour are the step in which an iteration can run at the earliest: iterations of one
step can run at the same time. An arrow leads to one that waits.
)");
  EXPECT_EQ(figures[0].arrows.size(), 9u);
  EXPECT_EQ(figures[0].arrows[0].to, (FigurePlace{0, 0, 1}));
  EXPECT_EQ(figures[0].facts.at("parallel_loops"), 2);
}

// ---- Figures ------------------------------------------------------------------------------------

/// Two rows of two: a box of two cells, one without colour, one that is not there.
Figure small_figure() {
  Figure figure;
  figure.title = "a < b & \"c\"";
  figure.caption = "Words.";
  FigurePanel panel("panel", 2, 2);
  panel.merges = true;
  panel.at(0, 0) = {"5", 1, "tip"};
  panel.at(0, 1) = {"5", 1, "tip"};
  panel.at(1, 0) = {"", -1, ""};
  panel.row_labels = {"r", "s"};
  figure.panels = {panel};
  return figure;
}

TEST(Figures, AsText) {
  EXPECT_EQ(to_text(small_figure()), R"(a < b & "c"

panel
r 5 5
s .

Words.
)");
}

TEST(Figures, AsSvg) {
  const std::string svg = to_svg(small_figure());
  EXPECT_THAT(svg, HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc>Words.</desc>"));
  // One box of two cells of 30 x 20, and one cell without colour.
  EXPECT_THAT(svg,
              HasSubstr(R"(<path class="b g1" d="M13 20h60v20h-60z"><title>tip</title></path>)"));
  EXPECT_THAT(svg, HasSubstr(R"(<path class="b n" d="M13 40h30v20h-30z"/>)"));
  EXPECT_THAT(svg, HasSubstr(R"(<tspan x="43" y="30">5</tspan>)"));
}

/// Wide panels are cut where a terminal ends.
TEST(Figures, PiecesOfWidePanels) {
  Figure figure;
  figure.title = "wide";
  FigurePanel panel("", 1, 60);
  for (int64_t column = 0; column < 60; ++column)
    panel.at(0, column) = {std::to_string(column + 100), 0, ""};
  figure.panels = {panel};
  const std::string text = to_text(figure);
  EXPECT_THAT(text, HasSubstr("columns 0 to 19\n 100 101"));
  EXPECT_THAT(text, HasSubstr("columns 40 to 59\n 140 141"));
}

TEST(Figures, FromCppOfAnySchedule) {
  const std::vector<Figure> figures = figures_of(transposed(1), {});
  std::vector<std::string> kinds;
  for (const Figure& figure : figures)
    if (kinds.empty() || kinds.back() != figure.kind) kinds.push_back(figure.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("threads", "lanes", "banks", "space"));
}

TEST(Figures, SizesAreNeeded) {
  const Axpy axpy({});
  Schedule s(axpy.program);
  s.bind(axpy.i, thread.x);
  try {
    Recording(s, {});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "no size is given for N");
  }
}

}  // namespace draw_test
}  // namespace hone
