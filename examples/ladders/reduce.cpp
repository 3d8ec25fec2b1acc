// reduce, dot and argmax: the sum of all elements, that of all products of two vectors, and the
// largest element with its index. Each element is used once: what counts is how many loads are on
// their way, and how threads put their results together.

#include <algorithm>

#include "examples/ladders/ladders.h"
#include "examples/ladders/threads.h"

namespace hone {
namespace {

/// The rungs take from a problem its axis, and the tensors that it reads and computes.
struct Whole {
  Expr n;
  ReduceAxis k;
  Tensor S;
  std::vector<Tensor> inputs;
  Program program;
  Sizes expected;
};

Whole sum_of_elements(const Sizes& fixed, const Sizes& expected) {
  const Expr n = size_or_param(fixed, "n");
  const Tensor A("A", f32, {n}), S("S", f32, {});
  const ReduceAxis k("k", n);
  return {n, k, S, {A}, Program("reduce", S() = sum(k, A(k))), expected};
}

Whole sum_of_products(const Sizes& fixed, const Sizes& expected) {
  const Expr n = size_or_param(fixed, "n");
  const Tensor A("A", f32, {n}), B("B", f32, {n}), S("S", f32, {});
  const ReduceAxis k("k", n);
  return {n, k, S, {A, B}, Program("dot", S() = sum(k, A(k) * B(k))), expected};
}

/// The element and its index.
Whole largest_of_elements(const Sizes& fixed, const Sizes& expected) {
  const Expr n = size_or_param(fixed, "n");
  const Tensor A("A", f32, {n}), S("S", f32_i32, {});
  const ReduceAxis k("k", n);
  return {n, k, S, {A}, Program("argmax", S() = argmax(k, A(k))), expected};
}

constexpr int64_t threads = 256;
/// A few blocks for each multiprocessor, and more for a smaller GPU.
constexpr int64_t grid = 1056;

/// The threads of a block: as many as are asked for, where that can be.
int64_t block_size(const Whole& p) {
  const auto asked = p.expected.find("threads");
  return asked == p.expected.end() ? threads : std::clamp<int64_t>(asked->second, 1, 1024);
}

/// Blocks leave a sum each, and a second kernel, of one block, adds these up.
void in_two_kernels(Schedule& s, const Axis& blocks, const Axis& elements, const Whole& p,
                    const Combine& combine) {
  const RFactor parts = s.rfactor(p.S, blocks);
  s.bind(parts.partial, block.x);
  combine_threads(s, elements, block_size(p), combine);
  combine_threads(s, parts.total, 1024, combine);
}

/// Each thread takes so many elements.
auto tree(const Combine& combine, int64_t items) {
  return [=](Schedule& s, const Whole& p) {
    auto [blocks, elements] = s.split(p.k, block_size(p) * items, {.names = {"chunk", "element"}});
    in_two_kernels(s, blocks, elements, p, combine);
  };
}

/// The grid has a fixed size, and goes over the elements in turns.
void grid_stride(Schedule& s, const Whole& p) {
  auto [turn, rest] = s.split(p.k, grid * threads, {.names = {"k"}});
  auto [blocks, t] = s.split(rest, threads, {.names = {"chunk", "element"}});
  s.reorder({blocks, t, turn});
  const RFactor parts = s.rfactor(p.S, blocks);
  const Combine combine = {.method = Combine::sequential, .unrolled = true, .last_warp = true};
  s.bind(parts.partial, block.x);
  s.bind(t, thread.x, combine);
  combine_threads(s, parts.total, 1024, combine);
}

/// The batches of the elements: a batch is what the threads of a block load at once.
struct Batches {
  int64_t threads, vectors;  ///< per block, and per thread
  Combine blocks;
  int64_t most_blocks;  ///< 0: as many as there are batches, else some may take several
  bool whole = false;   ///< asked for as a whole, whatever there is to do for an element
  int64_t width = 4;    ///< elements of a vector

  int64_t size() const { return threads * vectors * width; }
};

/// The axes of blocks and of the batches of each of them, which is absent where they have one.
std::pair<Axis, std::optional<Axis>> blocks_of(Schedule& s, const Whole& p, const Axis& batch,
                                               const Batches& batches) {
  if (batches.most_blocks == 0 || p.expected.at("n") <= batches.size() * batches.most_blocks)
    return {batch, std::nullopt};
  auto [turn, block] = s.split(batch, batches.most_blocks, {.names = {"turn", "batch"}});
  s.reorder({block, turn});
  return {block, turn};
}

/// All vectors of a batch are loaded before the first is added. A length that has other elements
/// takes them one by one.
auto in_batches(const Batches& batches) {
  return [=](Schedule& s, const Whole& p) {
    const int64_t width = batches.width;
    const bool has_vectors = width > 1 && p.expected.at("n") % width == 0;
    if (has_vectors) s.assume(p.n % width == 0);
    auto [batch, part] = s.split(p.k, batches.size(), {.names = {"batch"}});
    auto [b, turn] = blocks_of(s, p, batch, batches);
    auto [item, row] = s.split(part, batches.threads * width, {.names = {"item"}});
    auto [t, element] = s.split(row, width, {.names = {"vector", "element"}});
    s.reorder({t, item});
    if (turn) s.reorder({t, *turn});
    s.bind(b, block.x, batches.blocks);
    s.bind(t, thread.x, Combine::two_level);
    s.unroll(item);
    const Axis& place = batches.whole ? b : item;
    for (const Tensor& input : p.inputs)
      s.cache_registers(input, place, {.vectorize = has_vectors ? width : 0});
  };
}

void batches_by_choice(Schedule& s, const Whole& p, tune::Choices& choices) {
  const int64_t block_threads = choices.choice("block_threads", {128, 256, 512, 1024});
  const int64_t vectors = choices.choice("vectors", {1, 2, 4, 8});
  const int64_t most_blocks = choices.choice("most_blocks", {0, grid});
  Batches batches = {block_threads, vectors, {Combine::atomic}, most_blocks};
  batches.width = choices.choice("width", {1, 2, 4});
  in_batches(batches)(s, p);
}

/// A ladder of reductions of vectors, as yet without rungs.
Ladder whole_ladder(const char* name, const char* title, RungMaker<Whole>::MakeProblem make,
                    int64_t length) {
  Ladder ladder;
  ladder.name = name;
  ladder.title = title;
  ladder.sizes = {{"n", length}};
  ladder.program = [make](const Sizes& fixed) { return make(fixed, {}).program; };
  const auto inputs = static_cast<double>(make({}, {}).inputs.size());
  ladder.bytes = [inputs](const Sizes& sizes) {
    return 4.0 * inputs * static_cast<double>(sizes.at("n"));
  };
  return ladder;
}

/// Rungs whose blocks add up by a tree.
std::vector<Rung> tree_rungs(const RungMaker<Whole>& rung) {
  const Combine unrolled = {.method = Combine::sequential, .unrolled = true, .last_warp = true};
  return {
      rung("interleaved-modulo", "a tree in shared memory, neighbours first",
           "Each block adds up an element per thread, 256 or -D threads=N, in shared memory: "
           "neighbours first, then elements two apart, four apart. The threads that go on are "
           "those whose number the stride divides, so that every warp stays busy with ever fewer "
           "lanes. A second kernel adds up the sums.",
           tree({Combine::interleaved_modulo}, 1)),
      rung("interleaved-strided", "the same tree, by threads that follow each other",
           {"The threads that go on are spread over all warps. Which threads should go on, so that "
            "whole warps can stop?",
            "The threads that go on have the lowest numbers: whole warps drop out. The elements "
            "that they add lie ever further apart, in fewer and fewer banks."},
           tree({Combine::interleaved_strided}, 1), {.builds_on = "interleaved-modulo"}),
      rung("sequential", "the stride shrinks",
           {"The elements that neighbouring threads add lie ever further apart, in fewer banks. "
            "Which order keeps them side by side?",
            "The upper half is added to the lower half: neighbouring threads take neighbouring "
            "elements, no branch divides a warp, and no two lanes meet in a bank."},
           tree({Combine::sequential}, 1), {.builds_on = "interleaved-strided"}),
      rung("first-add", "two elements a thread",
           {"Half of the threads load an element and never add one. What could they do?",
            "Each thread loads two elements and adds them before the tree starts: all threads add, "
            "and there are half as many blocks."},
           tree({Combine::sequential}, 2), {.builds_on = "sequential"}),
      rung("last-warp", "the last 32 sums by shuffles",
           {"At the last 32 sums a single warp works, and the whole block waits at barriers. Does "
            "it have to?",
            "The lanes of a warp read each other's registers by shuffles, and need neither "
            "barriers nor shared memory."},
           tree({.method = Combine::sequential, .last_warp = true}, 2), {.builds_on = "first-add"}),
      rung("unrolled", "the tree written out",
           {"The number of levels of the tree is known. Does it need a loop?",
            "The number of threads is a constant, so each level is a statement of its own, without "
            "a loop around it."},
           tree(unrolled, 2), {.builds_on = "last-warp"}),
  };
}

/// Rungs whose threads add up many elements before they meet.
std::vector<Rung> stream_rungs(const RungMaker<Whole>& rung) {
  return {
      rung("grid-stride", "as many blocks as the GPU holds, in turns",
           {"A block adds 512 elements and ends. What if it took more of them?",
            "A fixed grid goes over all elements. Threads add up many of them before they meet, "
            "and there are few sums for the second kernel."},
           grid_stride, {.builds_on = "unrolled"}),
      rung.tunable(rung("vectorized", "eight vectors of four in flight",
                        {"A thread has few loads in flight, and memory takes long to answer. How "
                         "can it ask for more at once?",
                         "All loads of a thread are in flight before it adds the first: the bytes "
                         "in flight decide the speed. Warps combine by shuffles, and blocks by an "
                         "atomic addition each."},
                        in_batches({512, 8, {Combine::atomic}, 0}), {.builds_on = "grid-stride"}),
                   batches_by_choice),
      rung("last-block", "the last block finishes",
           {"Atomic additions come in any order, and so the result changes from run to run. How "
            "can one kernel add in a fixed order?",
            "Blocks leave their sums in memory and count themselves. A warp of the last one adds "
            "the sums up, always in the same order: one kernel, and the same result every time. "
            "For a large array the grid has a fixed size, so few sums are left."},
           in_batches({512, 4, {.method = Combine::last_block, .last_warp = true}, grid}),
           {.builds_on = "vectorized"}),
  };
}

}  // namespace

Ladder reduce_ladder() {
  Ladder ladder = whole_ladder("reduce", "the sum of n floats", sum_of_elements, int64_t{1} << 26);
  ladder.sizes["threads"] = threads;
  const RungMaker rung(sum_of_elements);
  ladder.rungs = tree_rungs(rung);
  llvm::append_range(ladder.rungs, stream_rungs(rung));
  return ladder;
}

Ladder dot_ladder() {
  Ladder ladder =
      whole_ladder("dot", "the product of two vectors", sum_of_products, int64_t{1} << 25);
  const RungMaker rung(sum_of_products);
  ladder.rungs = {
      rung("grid-stride", "as many blocks as the GPU holds, in turns",
           "Threads add up the products of many pairs before they meet in shared memory. A second "
           "kernel adds up what the blocks have.",
           grid_stride),
      rung("vectorized", "four vectors of four of either in flight",
           {"Two vectors are read. How many loads of each have to be in flight?",
            "Two streams have twice the loads in flight: half as many vectors of each keep the "
            "memory as busy."},
           in_batches({256, 4, {Combine::atomic}, 0}), {.builds_on = "grid-stride"}),
      rung("last-block", "the last block finishes",
           {"How can one kernel give the same result every time?",
            "As in reduce, blocks leave their sums in memory, and the last block adds them up in a "
            "fixed order."},
           in_batches({512, 2, {.method = Combine::last_block, .last_warp = true}, grid}),
           {.builds_on = "vectorized"}),
  };
  return ladder;
}

Ladder argmax_ladder() {
  Ladder ladder = whole_ladder("argmax", "the largest of n floats, and where it is",
                               largest_of_elements, int64_t{1} << 26);
  const RungMaker rung(largest_of_elements);
  ladder.rungs = {
      rung("tree", "pairs in shared memory",
           "A value and its index are one element of 8 bytes, and stay together on the way through "
           "a tree in shared memory. Of two equal values the one with the lower index goes on. A "
           "second kernel takes the largest of the blocks' pairs.",
           tree({Combine::sequential}, 2)),
      rung("shuffle", "pairs between registers",
           {"At every level, pairs go through shared memory. Can they stay in registers?",
            "Lanes exchange both halves of a pair by shuffles; shared memory holds one pair a "
            "warp."},
           tree({Combine::two_level}, 8), {.builds_on = "tree"}),
      rung("vectorized", "eight vectors of four in flight",
           {"A thread has few loads in flight. How can it ask for more at once, and what does a "
            "block do with its pair?",
            "All loads of a thread are in flight before the first comparison. Each block exchanges "
            "its pair with the result, 8 bytes at once, and tries again if another block came in "
            "between."},
           in_batches({512, 8, {Combine::atomic}, 0, true}), {.builds_on = "shuffle"}),
      rung("last-block", "the last block finishes",
           {"Blocks exchange pairs with the result, and try again where another was faster. Can "
            "they do without that?",
            "Blocks leave their pairs in memory and count themselves; a warp of the last one takes "
            "the largest. One kernel, and no exchanges."},
           in_batches({512, 4, {.method = Combine::last_block, .last_warp = true}, grid}),
           {.builds_on = "vectorized"}),
  };
  return ladder;
}

}  // namespace hone
