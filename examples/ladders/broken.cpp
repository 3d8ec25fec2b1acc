// Kernels that are wrong or slow on purpose, for students to find out why with `hone check` and
// `hone explain`. Each is the sound kernel of its ladder with a line or two changed; names and
// titles give nothing away.

#include <cassert>

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

/// A text to look for, and what stands in its place.
struct Change {
  std::string before, after;
};

std::string changed(std::string text, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    const size_t place = text.find(change.before);
    assert(place != std::string::npos && "a change of what the sound kernel has");
    text.replace(place, change.before.size(), change.after);
  }
  return text;
}

/// The rungs of a ladder: the sound kernel, and those with changes, which have numbers.
std::vector<Rung> rungs_of(const std::string& sound, const char* title,
                           const std::vector<std::vector<Change>>& mistakes) {
  const auto rung = [&](const std::string& name, const std::string& idea, std::string kernel) {
    Rung one;
    one.name = name;
    one.title = title;
    one.idea = idea;
    one.kernel = std::move(kernel);
    if (name != "sound") one.builds_on = "sound";
    return one;
  };
  std::vector<Rung> rungs = {rung(
      "sound", "What the others are meant to be: right, and as fast as its title allows.", sound)};
  for (size_t n = 0; n < mistakes.size(); ++n)
    rungs.push_back(rung(std::to_string(n + 1),
                         "It is wrong, or needlessly slow. `hone check` finds what is wrong, `hone "
                         "explain` what makes it slower than the sound one; `hone diff "
                         "--emit=kernel` shows the solution.",
                         changed(sound, mistakes[n])));
  return rungs;
}

constexpr const char* sound_transpose =
    R"(kernel transpose[N, M](A: f32[M, N], B: f32[N, M]) grid((N + 31) / 32, (M + 31) / 32, 1) block(32, 8, 1) @index32 {
  alloc tile: f32[32, 33] @shared(0)
  let x = thread.x
  let y = thread.y
  let row = block.y*32
  let column = block.x*32
  for s in 0..4 @unroll {
    tile[s*8 + y, x] = select(row + s*8 + y < M && column + x < N, A[(row + s*8 + y)*N + column + x], 0.0)
  }
  barrier
  for t in 0..4 @unroll {
    if (column + t*8 + y < N && row + x < M) {
      B[(column + t*8 + y)*M + row + x] = tile[x, t*8 + y]
    }
  }
}
)";

constexpr const char* sound_matmul =
    R"(kernel matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) grid((N + 15) / 16, (M + 15) / 16, 1) block(16, 16, 1) @index32 {
  alloc A.tile: f32[16, 16] @shared(0)
  alloc B.tile: f32[16, 16] @shared(1024)
  let y = thread.y
  let x = thread.x
  let row = block.y*16 + y
  let column = block.x*16 + x
  alloc sum: f32[] @registers
  sum[] = 0.0
  reduce step in 0..(K + 15) / 16 {
    A.tile[y, x] = select(row < M && step*16 + x < K, A[row*K + step*16 + x], 0.0)
    B.tile[y, x] = select(step*16 + y < K && column < N, B[(step*16 + y)*N + column], 0.0)
    barrier
    reduce k in 0..16 {
      sum[] += A.tile[y, k] * B.tile[k, x]
    }
    barrier
  }
  if (row < M && column < N) {
    C[row*N + column] = sum[]
  }
}
)";

constexpr const char* sound_reduce =
    R"(kernel start(S: f32[]) grid(1, 1, 1) block(1, 1, 1) @index32 {
  S[0] = 0.0
}

kernel reduce[n](A: f32[n], S: f32[]) grid((n + 511) / 512, 1, 1) block(256, 1, 1) @index32 {
  alloc tree: f32[256] @shared(0)
  let t = thread.x
  alloc part: f32[] @registers
  part[] = 0.0
  reduce k in 0..2 @unroll {
    if (block.x*512 + k*256 + t < n) {
      part[] += A[block.x*512 + k*256 + t]
    }
  }
  tree[t] = part[]
  barrier
  for stride in 0..3 {
    if (t < 128 >> stride) {
      tree[t] += tree[t + (128 >> stride)]
    }
    barrier
  }
  if (t < 32) {
    part[] = tree[t]
    for offset in 0..5 @unroll {
      part[] += shuffle_down(part[], 16 >> offset, 32)
    }
    if (t == 0) {
      atomic S[0] += part[]
    }
  }
}
)";

Ladder broken(const Ladder& whole, const char* title, Sizes sizes, std::vector<Rung> rungs) {
  Ladder ladder = whole;
  ladder.name = "broken-" + whole.name;
  ladder.title = title;
  ladder.sizes = std::move(sizes);
  ladder.rungs = std::move(rungs);
  ladder.is_broken = true;
  ladder.figures = {};
  return ladder;
}

Ladder broken_transpose() {
  const std::string staged =
      "tile[s*8 + y, x] = select(row + s*8 + y < M && column + x < N, A[(row "
      "+ s*8 + y)*N + column + x], 0.0)";
  const std::vector<std::vector<Change>> mistakes = {
      // Threads read what others have not written yet.
      {{"  barrier\n", ""}},
      // One row too many is read.
      {{"row + s*8 + y < M", "row + s*8 + y <= M"}},
      // Neighbouring threads read down a column of A.
      {{staged,
        "tile[x, s*8 + y] = select(row + x < M && column + s*8 + y < N, A[(row + x)*N + "
        "column + s*8 + y], 0.0)"}},
      // Rows of 40 elements: a column lies in four of the 32 banks.
      {{"f32[32, 33]", "f32[32, 40]"}},
      // Rows are compared with the number of columns, and the other way round.
      {{"row + s*8 + y < M && column + x < N", "row + s*8 + y < N && column + x < M"}},
      // Half a tile: two threads write each of its elements.
      {{"f32[32, 33]", "f32[32, 16]"},
       {"tile[s*8 + y, x]", "tile[s*8 + y, x % 16]"},
       {"tile[x, t*8 + y]", "tile[x, (t*8 + y) % 16]"}},
  };
  return broken(transpose_ladder(), "B = A^T: what is the matter with these?",
                {{"M", 100}, {"N", 70}},
                rungs_of(sound_transpose, "tiles of 32 x 32 through shared memory", mistakes));
}

Ladder broken_matmul() {
  const std::vector<std::vector<Change>> mistakes = {
      // A thread that is fast fills the next tiles while others still read.
      {{"    }\n    barrier\n  }\n", "    }\n  }\n"}},
      // The last product of each tile is left out.
      {{"reduce k in 0..16", "reduce k in 0..15"}},
      // The sum starts again with each tile.
      {{"  sum[] = 0.0\n", ""}, {"    A.tile[y, x] =", "    sum[] = 0.0\n    A.tile[y, x] ="}},
      // Neighbouring threads take neighbouring rows.
      {{"let y = thread.y\n  let x = thread.x", "let y = thread.x\n  let x = thread.y"}},
      // Threads without an element leave, and the others wait for them.
      {{"  reduce step", "  if (row < M && column < N) {\n  reduce step"},
       {"  if (row < M && column < N) {\n    C[", "  C["}},
  };
  return broken(matmul_ladder(), "C = A B: what is the matter with these?",
                {{"M", 70}, {"N", 50}, {"K", 40}},
                rungs_of(sound_matmul, "tiles of 16 x 16 in shared memory", mistakes));
}

Ladder broken_reduce() {
  const std::vector<std::vector<Change>> mistakes = {
      // A level of the tree reads what the one before has not finished.
      {{"    }\n    barrier\n  }\n  if (t < 32)", "    }\n  }\n  barrier\n  if (t < 32)"}},
      // One element too many.
      {{"+ t < n)", "+ t <= n)"}},
      // Blocks overwrite each other's updates.
      {{"atomic S[0]", "S[0]"}},
      // Half of a warp leaves, and the other half asks all of it.
      {{"if (t < 32)", "if (t < 16)"}},
      // A thread takes two neighbours: lanes skip every other element.
      {{"block.x*512 + k*256 + t < n", "block.x*512 + t*2 + k < n"},
       {"A[block.x*512 + k*256 + t]", "A[block.x*512 + t*2 + k]"}},
      // Nobody sets the sum to zero.
      {{"  S[0] = 0.0\n", "  if (thread.x > 0) {\n    S[0] = 0.0\n  }\n"}},
  };
  return broken(
      reduce_ladder(), "the sum of n floats: what is the matter with these?", {{"n", 1000}},
      rungs_of(sound_reduce, "a tree in shared memory, shuffles, and an atomic sum", mistakes));
}

}  // namespace

std::vector<Ladder> broken_ladders() {
  return {broken_transpose(), broken_matmul(), broken_reduce()};
}

std::vector<Ladder> shipped_ladders() {
  std::vector<Ladder> ladders = all_ladders();
  for (Ladder& ladder : broken_ladders()) ladders.push_back(std::move(ladder));
  return ladders;
}

}  // namespace hone
