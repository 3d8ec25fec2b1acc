#include "examples/ladders/matmul_tiles.h"

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
    {"256x128", {256, 128, 16, 32, 128}, 4, roles_with(208), Reload::both_in_bulk},
    {"192x192", {192, 192, 16, 48, 96}, 4, roles_with(224), Reload::never},
    {"128x192", {128, 192, 16, 32, 96}, 5, roles_with(200), Reload::never},
    {"192x128", {192, 128, 16, 48, 64}, 5, roles_with(200), Reload::never},
    {"160x192", {160, 192, 16, 40, 96}, 4, roles_with(216), Reload::never},
    {"96x256", {96, 256, 16, 24, 128}, 5, roles_with(200), Reload::one_in_bulk},
    {"96x192", {96, 192, 16, 24, 96}, 6, {.producer_warps = 4}, Reload::one_in_bulk},
    {"96x128", {96, 128, 16, 24, 64}, 6, {.producer_warps = 4}, Reload::one_in_bulk},
    {"128x128", {128, 128, 16, 32, 64}, 6, {.producer_warps = 4}, Reload::never},
    {"64x128", small_warp_tiles, 8, {.producer_warps = 1}, Reload::one_in_bulk},
};

bool reloads(const BlockTiles& tiles, const BulkOperands& bulk) {
  if (tiles.reload == Reload::both_in_bulk) return bulk.A && bulk.B;
  return tiles.reload == Reload::one_in_bulk && (bulk.A || bulk.B);
}

int64_t tiles_of(int64_t elements, int64_t tile) { return (elements + tile - 1) / tile; }

/// All multiprocessors take as many blocks as they hold, round by round; those of the last round
/// are shared out evenly. `of_blocks` has the times of a round of 1, 2, ... blocks.
double microseconds_of(int64_t blocks, const std::vector<double>& of_blocks,
                       int64_t multiprocessors) {
  const int64_t held = multiprocessors * static_cast<int64_t>(of_blocks.size());
  const int64_t rounds = blocks / held, left = blocks % held;
  const double last_round = left == 0 ? 0 : of_blocks[(left - 1) / multiprocessors];
  return static_cast<double>(rounds) * of_blocks.back() + last_round;
}

}  // namespace

llvm::ArrayRef<BlockTiles> block_tiles() { return ways; }

std::string TileChoice::name() const {
  return parts == 1 ? tiles->name : fmt::format("{} of {} parts", tiles->name, parts);
}

void schedule_tiles(Schedule& s, const Matmul& p, const TileChoice& choice) {
  const BulkOperands bulk(p.expected);
  WarpRoles roles = choice.tiles->roles;
  if (!bulk.A || !bulk.B) roles.producer_warps = warps_for_elements;
  const Matmul product = choice.parts == 1 ? p : split_sums(s, p, choice.parts);
  const OrderedWarpTiles tiles =
      bulk_warp_tiles(s, product, choice.tiles->shape, choice.tiles->stages, roles);
  if (reloads(*choice.tiles, bulk)) s.pipeline(tiles.fragment_step, 1);
}

std::optional<double> expected_microseconds(const TileTable& table, const TileChoice& choice,
                                            const Sizes& sizes) {
  const BulkOperands bulk(sizes);
  const int64_t K = sizes.at("K");
  const int64_t products_of_block = choice.parts == 1 ? K : length_of_part(K, choice.parts);
  std::vector<double> of_blocks;
  for (const TileRound& round : table.rounds)
    if (round.tiles == choice.tiles->name && round.bulk == bulk)
      of_blocks.push_back(round.microseconds(products_of_block));
  if (of_blocks.empty()) return std::nullopt;
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  const WarpShape& shape = choice.tiles->shape;
  const int64_t blocks = tiles_of(M, shape.block_rows) * tiles_of(N, shape.block_columns);
  const double products = microseconds_of(blocks * choice.parts, of_blocks, table.multiprocessors);
  if (choice.parts == 1) return products;
  const auto bytes = static_cast<double>((choice.parts + 1) * M * N * 4);
  return products + table.sum_start_us + bytes / table.sum_gb_per_s / 1000;
}

std::vector<TileChoice> tile_choices(const BlockTiles& tiles, const Sizes& sizes, int64_t most) {
  constexpr int64_t least_length = 128;
  std::vector<TileChoice> choices = {{&tiles, 1}};
  for (int64_t parts = 2; parts <= most; ++parts) {
    const int64_t length = length_of_part(sizes.at("K"), parts);
    if (length >= least_length && tiles_of(sizes.at("K"), length) == parts)
      choices.push_back({&tiles, parts});
  }
  return choices;
}

TileChoice fastest_choice(const TileTable& table, const Sizes& sizes, int64_t most) {
  TileChoice fastest = {&ways[0]};
  double least = std::numeric_limits<double>::infinity();
  for (const BlockTiles& tiles : ways)
    for (const TileChoice& choice : tile_choices(tiles, sizes, most))
      if (const auto time = expected_microseconds(table, choice, sizes); time && *time < least) {
        fastest = choice;
        least = *time;
      }
  return fastest;
}

}  // namespace hone
