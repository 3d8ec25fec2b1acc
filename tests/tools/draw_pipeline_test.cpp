// Rings of tiles over time, of small schedules.
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "gtest/gtest.h"
#include "tools/draw/pipeline_panels.h"

namespace hone {
namespace draw_pipeline_test {

struct Sums {
  Tensor A = Tensor("A", f32, {7, 64}), C = Tensor("C", f32, {64});
  Axis t = Axis("t", 64);
  ReduceAxis k = ReduceAxis("k", 7);
  Program program = Program("sums", C(t) = sum(k, A(k, 63 - t)));
};

/// Columns added up through a tile of one row.
Schedule tiled(const Sums& p, bool is_async) {
  Schedule s(p.program);
  s.bind(p.t, thread.x);
  s.cache_registers(p.C, p.t);
  const Cache tile = s.cache_shared(p.A, p.k);
  if (is_async) s.copy_async(tile);
  return s;
}

Schedule specialized(const Sums& p) {
  Schedule s = tiled(p, true);
  s.specialize(p.k, 3, {.producer_warps = 1});
  return s;
}

/// The one figure of a schedule.
Figure figure_of(const Schedule& s) {
  const std::vector<Figure> figures = pipeline_figures(Recording(s, {}));
  EXPECT_EQ(figures.size(), 1u);
  return figures.at(0);
}

TEST(DrawPipeline, GroupsOfCopies) {
  const Sums p;
  Schedule s = tiled(p, true);
  s.pipeline(p.k, 3);
  EXPECT_EQ(to_text(figure_of(s)), R"(the ring A.shared: 3 slots, up to 2 on their way

who does what, step by step
                      0   1   2   3   4   5   6   7
threads: wait_group   .   1   1   1   1   1   1   1
   threads: barrier   .   x   x   x   x   x   x   x
      threads: fill 0-1   2   3   4   5   6   .   .
copies on their way   2   2   2   2   2   2   1   .
      threads: read   .   0   1   2   3   4   5   6

the slots of A.shared
                      0   1   2   3   4   5   6   7
             slot 0  +0  r0  +3  ~3  r3  +6  ~6  r6
             slot 1  +1  ~1  r1  +4  ~4  r4   .   .
             slot 2   .  +2  ~2  r2  +5  ~5  r5   .

A step is what is done from one wait to the next. Of block (0, 0, 0), the threads are 64 threads,
warps 0, 1. A number is the turn of the loop that a slot is for: +3 it is being filled, ~3 its
copies are on their way, =3 it is full, r3 it is read. A wait_group names the groups of copies that
it leaves on their way.
)");
}

TEST(DrawPipeline, StoresByThreads) {
  const Sums p;
  Schedule s = tiled(p, false);
  s.pipeline(p.k, 3);
  EXPECT_EQ(to_text(figure_of(s)), R"(the ring A.shared: 3 slots

who does what, step by step
                   0   1   2   3   4   5   6   7
threads: barrier   .   x   x   x   x   x   x   x
   threads: fill 0-1   2   3   4   5   6   .   .
   threads: read   .   0   1   2   3   4   5   6

the slots of A.shared
                   0   1   2   3   4   5   6   7
          slot 0  +0  r0  +3  =3  r3  +6  =6  r6
          slot 1  +1  =1  r1  +4  =4  r4   .   .
          slot 2   .  +2  =2  r2  +5  =5  r5   .

A step is what is done from one wait to the next. Of block (0, 0, 0), the threads are 64 threads,
warps 0, 1. A number is the turn of the loop that a slot is for: +3 it is being filled, ~3 its
copies are on their way, =3 it is full, r3 it is read.
)");
}

TEST(DrawPipeline, Roles) {
  const Sums p;
  const Figure figure = figure_of(specialized(p));
  EXPECT_EQ(to_text(figure), R"(the ring A.shared: 3 slots, up to 2 on their way

who does what, step by step
                          0   1   2   3   4   5   6   7   8
     producers: barrier   x   .   .   .   .   .   .   .   .
producers: wait k.empty 0/1 1/1 2/1 0/0 1/0 2/0 0/1   .   .
        producers: fill   0   1   2   3   4   5   6   .   .
    copies on their way   1   2   2   2   2   2   2   1   .
     consumers: barrier   x   .   .   .   .   .   .   .   .
 consumers: wait k.full ... ... 0/0 1/0 2/0 0/1 1/1 2/1 0/0
        consumers: read   .   .   0   1   2   3   4   5   6

the slots of A.shared
                          0   1   2   3   4   5   6   7   8
                 slot 0  +0  ~0  r0  +3  ~3  r3  +6  ~6  r6
                 slot 1   .  +1  ~1  r1  +4  ~4  r4   .   .
                 slot 2   .   .  +2  ~2  r2  +5  ~5  r5   .

A step is what is done from one wait to the next. Of block (0, 0, 0), the producers are 32 threads,
warp 2; the consumers are 64 threads, warps 0, 1. A number is the turn of the loop that a slot is
for: +3 it is being filled, ~3 its copies are on their way, =3 it is full, r3 it is read. A wait for
an mbarrier names its slot and the parity. All go on as soon as they may; copies take 2 steps, which
is the longest time that keeps nobody waiting later on.
)");
  // Copies for turn 0 start, and it reads; then copies for turn 3 start in the same slot.
  const std::vector<FigureArrow>& arrows = figure.arrows;
  EXPECT_EQ(arrows[0].from, (FigurePlace{1, 0, 0}));
  EXPECT_EQ(arrows[0].to, (FigurePlace{1, 0, 2}));
  EXPECT_EQ(arrows[0].text, "full");
  EXPECT_EQ(arrows[1].to, (FigurePlace{1, 0, 3}));
  EXPECT_EQ(arrows[1].text, "empty");
  EXPECT_EQ(figure.facts.at("agents"), 2);
}

/// The steps of a kernel whose text has another one in the place of a part.
RingTimeline with_change(const Schedule& s, const std::string& part, const std::string& other) {
  Module module = lower(s);
  std::string text = to_string(module.kernels[0]);
  const size_t at = text.rfind(part);
  EXPECT_NE(at, std::string::npos) << text;
  module.kernels = {parse_kernel(text.replace(at, part.size(), other))};
  return drawn_pipelines(Recording(module, {}, {})).at(0).timeline;
}

/// The same without its last line that begins so.
RingTimeline without(const Schedule& s, const std::string& line) {
  const std::string text = to_string(lower(s).kernels[0]);
  const size_t at = text.rfind("\n" + line);
  EXPECT_NE(at, std::string::npos) << text;
  return with_change(s, text.substr(at, text.find('\n', at + 1) - at), "");
}

/// Four rows a step, of which consumers fill registers during the step before.
std::string figure_with_prefetch(int64_t tests_ahead) {
  const Tensor A("A", f32, {24, 64}), C("C", f32, {64});
  const Axis t("t", 64);
  const ReduceAxis k("k", 24);
  Schedule s(Program("sums", C(t) = sum(k, A(k, 63 - t))));
  s.bind(t, thread.x);
  s.cache_registers(C, t);
  auto [ko, ki] = s.split(k, 4);
  const Cache tile = s.cache_shared(A, ko);
  s.copy_async(tile);
  s.cache_registers(tile, ki);
  s.pipeline(ki, 2);
  s.specialize(ko, 3, {.producer_warps = 1});
  s.prefetch(ko, tests_ahead);
  const std::string kernel = to_string(lower(s).kernels[0]);
  EXPECT_EQ(kernel.find("test_mbarrier") != std::string::npos, tests_ahead > 0) << kernel;
  return to_text(figure_of(s));
}

/// The figure has all waits, those that a test may spare as well.
TEST(DrawPipeline, TestsChangeNothing) {
  const std::string figure = figure_with_prefetch(2);
  EXPECT_EQ(figure, figure_with_prefetch(0));
  EXPECT_NE(figure.find("consumers: wait k.0.full ... 0/0 1/0"), std::string::npos) << figure;
}

/// Nothing is drawn of what fails on the simulated device.
TEST(DrawPipeline, WarpsThatWaitForEverHaveNone) {
  for (const char* line : {"      wait_mbarrier k.full", "      wait_mbarrier k.empty",
                           "      arrive_mbarrier k.empty"})
    EXPECT_THROW(without(specialized(Sums()), line), RuntimeError) << line;
}

TEST(DrawPipeline, ThreadsFillWhatIsNotRead) {
  const Sums p;
  Schedule s = tiled(p, true);
  s.pipeline(p.k, 3);
  EXPECT_GT(with_change(s, "A.shared[(k + 2) % 3", "A.shared[k % 3").mistakes(), 0);
}

TEST(DrawPipeline, ThreadsReadWhatTheyDoNotWaitFor) {
  const Sums p;
  Schedule s = tiled(p, true);
  s.pipeline(p.k, 3);
  EXPECT_GT(without(s, "    wait_group").mistakes(), 0);
}

TEST(DrawPipeline, TilesWithoutARingHaveNone) {
  EXPECT_TRUE(pipeline_figures(Recording(tiled(Sums(), true), {})).empty());
}

}  // namespace draw_pipeline_test
}  // namespace hone
