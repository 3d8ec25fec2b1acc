// hgemm-grouped: products of many rows of bf16, where each group of rows has a matrix of its own,
// as the experts of a language model have. Groups are as long as data say; they are padded to whole
// tiles of rows, and a table has the group of each tile.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

/// Rows of one group: those that two warpgroups multiply.
constexpr int64_t tile_rows = 128;

Sizes of_a_tile(Sizes sizes) {
  sizes["M"] = tile_rows;
  return sizes;
}

/// Tiles are a batch of products, whose second matrices come by the table.
NarrowMatmul grouped(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(of_a_tile(fixed));
  const Expr tiles = size_or_param(fixed, "tiles"), groups = size_or_param(fixed, "groups");
  const Axis t("t", tiles);
  const Tensor A("A", bf16, {tiles, p.M, p.K}), B("B", bf16, {groups, p.K, p.N});
  const Tensor group_of("group_of", i32, {tiles}), C("C", bf16, {tiles, p.M, p.N});
  const Definition rounded = C(t, p.i, p.j) =
      cast(bf16, sum(p.k, cast(f32, A(t, p.i, p.k)) * cast(f32, B(group_of(t), p.k, p.j))));
  Sizes sizes = of_a_tile(expected);
  if (expected.count("tiles")) sizes["batch"] = expected.at("tiles");
  return {{p, A, B, Tensor(rounded.reduced()), p.i, p.j, Program("hgemm_grouped", rounded), sizes},
          C,
          false,
          t};
}

void global(Schedule& s, const NarrowMatmul& p) {
  s.bind(*p.batch, block.z);
  sums_in_registers(s, p);
}

}  // namespace

Ladder hgemm_grouped_ladder() {
  Ladder ladder = matmul_family(
      "hgemm-grouped", "C[t] = A[t] B[group_of[t]] of bf16, tiles of 128 rows", as_matmul<grouped>);
  ladder.sizes = {{"tiles", 64}, {"groups", 8}, {"N", 1024}, {"K", 1024}};
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * tile_rows * sizes.at("tiles") * sizes.at("N") * sizes.at("K");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = tile_rows * sizes.at("tiles"), n = sizes.at("N"), k = sizes.at("K");
    return 2.0 * (m * k + sizes.at("groups") * k * n + m * n) + 4.0 * sizes.at("tiles");
  };
  const RungMaker rung(grouped);
  ladder.rungs = {
      rung("global", "one thread per element, a layer of the grid per tile of rows",
           "Blocks of 32 x 32 threads cover the tile, and the third dimension of the grid counts "
           "tiles. Each thread asks the table for its group. Products are added on CUDA cores.",
           global),
      rung("wgmma", "warpgroups multiply tiles in shared memory",
           {"How does the copy engine find the matrix of a tile's group?",
            "The group is a coordinate of the box that is fetched, and the table has it. A launch "
            "needs no pointers and no descriptors of its own. The rest is as in hgemm-batched."},
           hgemm_wgmma, {.builds_on = "global"}),
      rung.tunable(
          rung(
              "tuned", "blocks stay, from one tile of rows to the next",
              {"Groups differ in length. How can every multiprocessor get the same amount of work?",
               "The tiles of all groups are one row, and a block for each multiprocessor takes "
               "every 132nd of them: groups may differ in length without a loss. Neighbours in the "
               "row are columns of one tile of rows, and tiles of one group, which find their "
               "operands in the L2 cache."},
              hgemm_tuned, {.builds_on = "wgmma"}),
          hgemm_by_choice),
  };
  return ladder;
}

}  // namespace hone
