#include "examples/ladders/matmul_tiles.h"

#include <cmath>

#include "fmt/format.h"

namespace hone {
namespace {

/// Four warps of producers beside eight of consumers, which have so many registers each. All
/// threads start with 168: producers keep what is left.
constexpr WarpRoles roles_with(int64_t consumer_registers) {
  return {.producer_warps = 4,
          .producer_registers = int64_t{3} * 168 - 2 * consumer_registers,
          .consumer_registers = consumer_registers};
}

/// Warps that make copies of elements.
constexpr int64_t warps_for_elements = 4;

constexpr BlockTiles ways[] = {
    {"128x256", huge_warp_tiles, 4, roles_with(216), Reload::both_in_bulk},
    {"128x192", {128, 192, 16, 32, 96}, 5, roles_with(200), Reload::never},
    {"192x128", {192, 128, 16, 48, 64}, 5, roles_with(200), Reload::never},
    {"160x192", {160, 192, 16, 40, 96}, 4, roles_with(216), Reload::never},
    {"96x256", {96, 256, 16, 24, 128}, 5, roles_with(200), Reload::one_in_bulk},
    {"96x192", {96, 192, 16, 24, 96}, 6, {.producer_warps = 4}, Reload::one_in_bulk},
    {"96x128", {96, 128, 16, 24, 64}, 6, {.producer_warps = 4}, Reload::one_in_bulk},
    {"128x128", {128, 128, 16, 32, 64}, 6, {.producer_warps = 4}, Reload::never},
    {"144x192", {144, 192, 16, 36, 96}, 5, roles_with(208), Reload::never},
    {"64x256", {64, 256, 16, 32, 64}, 6, {.producer_warps = 4}, Reload::one_in_bulk},
    {"64x192", {64, 192, 16, 32, 96}, 6, {.producer_warps = 1}, Reload::one_in_bulk},
    {"128x96", {128, 96, 16, 32, 96}, 7, {.producer_warps = 1}, Reload::one_in_bulk},
    {"112x96", {112, 96, 16, 28, 96}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"128x64", {128, 64, 16, 32, 64}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"144x64", {144, 64, 16, 36, 64}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"160x64", {160, 64, 16, 40, 64}, 7, {.producer_warps = 1}, Reload::one_in_bulk},
    {"80x64", {80, 64, 16, 20, 64}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"48x64", {48, 64, 16, 12, 64}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"80x96", {80, 96, 16, 20, 96}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"64x160", {64, 160, 16, 16, 160}, 7, {.producer_warps = 1}, Reload::one_in_bulk},
    {"112x64", {112, 64, 16, 28, 64}, 8, {.producer_warps = 1}, Reload::one_in_bulk},
    {"64x128", small_warp_tiles, 8, {.producer_warps = 1}, Reload::one_in_bulk},
};

bool reloads(const BlockTiles& tiles, const Operands& bulk) {
  if (tiles.reload == Reload::both_in_bulk) return bulk.A && bulk.B;
  return tiles.reload == Reload::one_in_bulk && (bulk.A || bulk.B);
}

int64_t tiles_of(int64_t elements, int64_t tile) { return (elements + tile - 1) / tile; }

/// All multiprocessors take as many blocks as they hold, round by round; `of_blocks` has the times
/// of a round of 1, 2, ... blocks. Blocks of an only round are spread evenly. In later rounds, a
/// multiprocessor whose blocks have ended together takes a full set again.
double microseconds_of(int64_t blocks, const std::vector<double>& of_blocks,
                       int64_t multiprocessors, bool end_together) {
  const auto most = static_cast<int64_t>(of_blocks.size());
  const int64_t held = multiprocessors * most, rounds = blocks / held, left = blocks % held;
  const double whole_rounds = static_cast<double>(rounds) * of_blocks.back();
  if (left == 0) return whole_rounds;
  const bool is_even = rounds == 0 || !end_together;
  const int64_t together = is_even ? tiles_of(left, multiprocessors) : std::min(left, most);
  return whole_rounds + of_blocks[together - 1];
}

}  // namespace

llvm::ArrayRef<BlockTiles> block_tiles() { return ways; }

std::string TileChoice::name() const {
  std::string name = tiles->name;
  if (parts > 1) name += fmt::format(" of {} parts", parts);
  if (copied.A || copied.B)
    name += fmt::format(", {} copied", !copied.B ? "A" : copied.A ? "A and B" : "B");
  return name;
}

void schedule_tiles(Schedule& s, const Matmul& p, const TileChoice& choice) {
  const Operands bulk = in_whole_vectors(p.expected) | choice.copied;
  WarpRoles roles = choice.tiles->roles;
  if (!bulk.A || !bulk.B) roles.producer_warps = warps_for_elements;
  Matmul product = choice.parts == 1 ? p : split_sums(s, p, choice.parts);
  const int64_t K = p.expected.at("K"), N = p.expected.at("N");
  if (choice.copied.A) product.A = at_whole_lines(s, p.A, p.K, K);
  if (choice.copied.B) product.B = at_whole_lines(s, p.B, p.N, N);
  const OrderedWarpTiles tiles =
      bulk_warp_tiles(s, product, choice.tiles->shape, choice.tiles->stages, roles, bulk);
  if (reloads(*choice.tiles, bulk)) s.pipeline(tiles.fragment_step, 1);
}

namespace {

/// Rounds of the tiles by the table, of so many blocks in all. Blocks of a multiprocessor end
/// together where the copy engine fills their tiles.
std::optional<double> microseconds_of_rounds(const TileTable& table, const TileChoice& choice,
                                             const Operands& bulk, int64_t products_of_block,
                                             int64_t blocks) {
  std::vector<double> of_blocks;
  for (const TileRound& round : table.rounds)
    if (round.tiles == choice.tiles->name && round.bulk == bulk)
      of_blocks.push_back(round.microseconds(products_of_block));
  if (of_blocks.empty()) return std::nullopt;
  return microseconds_of(blocks, of_blocks, table.multiprocessors, bulk.A || bulk.B);
}

double microseconds_of_pass(const TilePass& pass, int64_t floats) {
  if (pass.gb_per_s == 0) return INFINITY;
  return pass.start_us + static_cast<double>(floats * 4) / pass.gb_per_s / 1000;
}

}  // namespace

std::optional<double> expected_microseconds(const TileTable& table, const TileChoice& choice,
                                            const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N"), K = sizes.at("K"), parts = choice.parts;
  const WarpShape& shape = choice.tiles->shape;
  const int64_t tiles = tiles_of(M, shape.block_rows) * tiles_of(N, shape.block_columns);
  std::optional<double> time =
      microseconds_of_rounds(table, choice, in_whole_vectors(sizes) | choice.copied,
                             parts == 1 ? K : length_of_part(K, parts), tiles * parts);
  if (!time) return std::nullopt;
  const auto add_copy = [&](int64_t elements) {
    *time += microseconds_of_pass(table.copy, 2 * elements);
  };
  if (choice.copied.A) add_copy(M * K);
  if (choice.copied.B) add_copy(K * N);
  if (parts > 1) *time += microseconds_of_pass(table.sum, (parts + 1) * M * N);
  return time;
}

namespace {

/// The operands that may be copied: those whose rows hold no whole vectors, and none.
std::vector<Operands> copies_of(const Sizes& sizes) {
  const Operands whole = in_whole_vectors(sizes);
  std::vector<Operands> copies = {{}};
  if (!whole.A) copies.push_back({.A = true});
  if (!whole.B) copies.push_back({.B = true});
  if (!whole.A && !whole.B) copies.push_back({true, true});
  return copies;
}

}  // namespace

std::vector<TileChoice> tile_choices(const BlockTiles& tiles, const Sizes& sizes, int64_t most) {
  constexpr int64_t least_length = 128;
  std::vector<TileChoice> choices;
  for (int64_t parts = 1; parts <= most; ++parts) {
    const int64_t length = length_of_part(sizes.at("K"), parts);
    if (parts > 1 && (length < least_length || tiles_of(sizes.at("K"), length) != parts)) continue;
    for (const Operands& copied : copies_of(sizes)) choices.push_back({&tiles, parts, copied});
  }
  return choices;
}

TileChoice fastest_of(const TileTable& table, llvm::ArrayRef<TileChoice> choices,
                      const Sizes& sizes) {
  TileChoice fastest = choices.front();
  double least = INFINITY;
  for (const TileChoice& choice : choices) {
    const auto time = expected_microseconds(table, choice, sizes);
    if (!time || *time >= least) continue;
    fastest = choice;
    least = *time;
  }
  return fastest;
}

TileChoice fastest_choice(const TileTable& table, const Sizes& sizes, int64_t most) {
  std::vector<TileChoice> choices;
  for (const BlockTiles& tiles : ways)
    llvm::append_range(choices, tile_choices(tiles, sizes, most));
  return fastest_of(table, choices, sizes);
}

}  // namespace hone
