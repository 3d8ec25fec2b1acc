#include "command.h"

namespace hone {
namespace warnings_test {

using testing::HasSubstr;

/// The warnings of `hone counters` about a rung of small_matmul.
template <class Idea>
std::string warnings(Idea idea) {
  Ladder ladder = small_matmul();
  ladder.rungs = {make_rung<SmallMatmul>("rung", "", RungTarget::gpu, idea)};
  return hone_on({ladder}, {"counters", "matmul/rung", "-DM=64", "-DN=64", "-DK=32"}).complained;
}

TEST(Warnings, TellThatNothingIsBound) {
  EXPECT_EQ(warnings([](Schedule&, const SmallMatmul&) {}),
            "warning: matmul: one thread computes everything, as nothing is bound; bind an axis of "
            "it to block.x and one to thread.x\n");
}

TEST(Warnings, TellOfIdleLanes) {
  EXPECT_EQ(warnings([](Schedule& s, const SmallMatmul& p) {
              auto [io, ii] = s.split(p.i, 4);
              s.bind(io, block.x);
              s.bind(ii, thread.x);
            }),
            "warning: matmul: 4 of the 32 lanes of a warp are at work, on average; give blocks a "
            "multiple of 32 threads, and let threads that follow each other take a condition "
            "alike\n");
}

TEST(Warnings, TellOfLoadsThatAreNotCoalesced) {
  const std::string text = warnings([](Schedule& s, const SmallMatmul& p) {
    s.reorder({p.j, p.i});
    s.bind(p.j, block.x);
    s.bind(p.i, thread.x);
    s.cache_registers(p.C, p.i);
  });
  EXPECT_EQ(text,
            "warning: matmul: lanes read A[i*K + k] in the loop k from 32 lines of 128 bytes at "
            "once; bind the axis of its last index to thread.x, or stage A with cache_shared\n");
}

TEST(Warnings, TellNothingOfWhatIsMeant) {
  EXPECT_EQ(warnings([](Schedule& s, const SmallMatmul& p) {
              auto [jo, ji] = s.split(p.j, 32);
              s.bind(p.i, block.y);
              s.bind(jo, block.x);
              s.bind(ji, thread.x);
              s.cache_registers(p.C, ji);
            }),
            "");
  EXPECT_EQ(hone({"counters", "axpy/blocks"}).complained, "");
}

/// One lane asks the copy engine for a tile.
TEST(Warnings, TellNothingOfTilesThatTheCopyEngineFills) {
  const auto bulk = [](Schedule& s, const SmallMatmul& p) {
    s.assume(p.N % 32 == 0);
    auto [jo, ji] = s.split(p.j, 32);
    auto [ko, ki] = s.split(p.k, 8);
    s.reorder({p.i, jo, ji, ko, ki});
    s.bind(p.i, block.y);
    s.bind(jo, block.x);
    s.bind(ji, thread.x);
    s.cache_registers(p.C, ji);
    const Cache tile = s.cache_shared(p.B, ko);
    s.copy_async(tile);
    s.specialize(ko, 3, {.producer_warps = 1});
    s.assume_aligned(p.B, 16);
    s.copy_bulk(tile);
  };
  EXPECT_EQ(warnings(bulk), "");
}

/// Y = 2 (X + 1), whose temporary a block computes in shared memory.
Ladder tiles(bool is_spread) {
  const auto program = [](const Sizes& fixed) {
    const Expr n = size_of(fixed, "N");
    const Tensor X("X", f32, {n}), T("T", f32, {n}), Y("Y", f32, {n});
    const Axis i("i", n), j("j", n);
    return Program("twice", {T(i) = X(i) + 1.0, Y(j) = T(j) * 2.0});
  };
  Ladder ladder;
  ladder.name = "twice";
  ladder.sizes = {{"N", 512}};
  ladder.program = program;
  ladder.rungs = {
      {"tile", "", "", RungTarget::gpu, [program, is_spread](const Sizes& fixed, const Sizes&) {
         Schedule s(program(fixed));
         auto [jo, ji] = s.split(s.axis("j"), 128);
         s.bind(jo, block.x);
         s.bind(ji, thread.x);
         s.compute_at(s.tensor("T"), jo, {.scope = Scope::shared});
         if (is_spread) s.bind(s.axis("i"), thread.x);
         return s;
       }}};
  return ladder;
}

TEST(Warnings, TellOfATileThatOneThreadFills) {
  const std::string one = hone_on({tiles(false)}, {"counters", "twice/tile"}).complained;
  EXPECT_THAT(one, HasSubstr("warning: twice: one lane at a time fills the tile T"));
  EXPECT_THAT(one, HasSubstr("128 elements a block; bind an axis of the nest that fills it to "
                             "thread.x, or take copy_loops of the tile and bind those\n"));
  EXPECT_EQ(hone_on({tiles(true)}, {"counters", "twice/tile"}).complained, "");
}

}  // namespace warnings_test
}  // namespace hone
