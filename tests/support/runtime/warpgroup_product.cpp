#include "tests/support/runtime/warpgroup_product.h"

#include <numeric>

#include "fmt/format.h"

namespace hone {
namespace {

constexpr int64_t group_rows = 64, row_bytes = 128, chunk_columns = 64;

Layout rows_of_128_bytes(DType type) { return Layout().swizzle_bytes(row_bytes, type); }

/// Of so many columns of two bytes: panels of 64, 32 or 16, where there are several.
Layout panels(int64_t columns, DType type) {
  const int64_t panel = std::gcd(columns, chunk_columns);
  const Layout rows = columns == panel
                          ? Layout()
                          : Layout::order({IndexDigit(1) / panel, 0, IndexDigit(1) % panel});
  return rows.swizzle_bytes(panel * size_of(type), type);
}

/// A warpgroup's rows and columns, among its lanes. Returns the loop over warps, and that over
/// neighbours.
std::pair<Axis, Axis> spread_over_lanes(Schedule& s, const Axis& row, const Axis& column) {
  auto [of_warp, rows] = s.split(row, 16);
  auto [upper, lane_row] = s.split(rows, 8);
  auto [part, pairs] = s.split(column, 8);
  auto [lane_column, pair] = s.split(pairs, 2);
  s.bind(of_warp, warp);
  s.bind({lane_row, lane_column}, lane);
  return {of_warp, pair};
}

}  // namespace

WarpgroupProduct::WarpgroupProduct(const WarpgroupOptions& options)
    : options(options),
      A(options.is_left_turned ? Tensor("A", options.type, {K, M})
                               : Tensor("A", options.type, {M, K})),
      B(options.is_turned ? Tensor("B", options.type, {K, N}) : Tensor("B", options.type, {N, K})),
      C("C", is_rounded() ? options.type : sum_type(), {M, N}),
      program("product", definition()) {}

Definition WarpgroupProduct::definition() {
  const Expr a = options.is_left_turned ? A(k, i) : A(i, k);
  const Expr b = options.is_turned ? B(k, j) : B(j, k);
  const auto products = sum(k, cast(sum_type(), a) * cast(sum_type(), b));
  return is_rounded() ? C(i, j) = cast(options.type, products) : C(i, j) = products;
}

std::string WarpgroupProduct::instruction() const {
  return fmt::format("wgmma_m64n{}k{}{}{}_{}", options.columns, row_bytes / size_of(options.type),
                     options.is_left_turned ? "_km" : "", options.is_turned ? "_kn" : "",
                     ptx_name(options.type).str());
}

/// Returns the loop that the tiles of a block are in.
Axis WarpgroupProduct::bind_blocks(Schedule& s, const Axis& by, const Axis& bx) const {
  if (options.blocks == 0) {
    s.bind(by, block.y);
    s.bind(bx, block.x);
    return bx;
  }
  auto [turn, own] = s.split(s.fuse(by, bx), options.blocks);
  s.reorder({own, turn});
  s.bind(own, block.x);
  return turn;
}

WarpgroupProduct::Tiles WarpgroupProduct::tile(Schedule& s) const {
  auto [by, bx, rows, column] =
      s.tile({i, j}, {group_rows * options.warpgroups, options.columns}, {.tail = Tail::pad});
  Axis group = rows, row = rows;
  std::pair<Axis, Axis> spread = {row, column};
  if (has_groups()) {
    auto [outer, inner] = s.split(rows, group_rows);
    group = outer;
    row = inner;
  }
  auto [step, of_step] = s.split(k, row_bytes / size_of(options.type), {.tail = Tail::pad});
  s.reorder({by, bx, step, row, column, of_step});
  if (has_groups()) s.reorder({step, group});
  const Axis turn = bind_blocks(s, by, bx);
  if (has_groups()) s.bind(group, warpgroup);
  for (const std::string part : {".init", ".post"}) {
    if (part == ".post" && !is_rounded()) continue;
    if (has_groups()) s.bind(s.axis(group.name() + part), warpgroup);
    spread = spread_over_lanes(s, s.axis(row.name() + part), s.axis(column.name() + part));
  }
  s.tensorize(row, instruction());
  s.cache_registers(is_rounded() ? s.tensor("C.acc") : C, turn);
  return {step, group, spread.first, spread.second, turn};
}

void WarpgroupProduct::fill(Schedule& s, const Axis& step, const Layout& layout) const {
  const int64_t width = options.fill == Fill::threads ? 1 : piece();
  const auto layout_of = [&](bool is_turned, int64_t count) {
    return is_turned ? panels(count, options.type) : layout;
  };
  const Layout left = layout_of(options.is_left_turned, group_rows * options.warpgroups);
  const Layout right = layout_of(options.is_turned, options.columns);
  const Cache A_shared = s.cache_shared(A, step, {.vectorize = width, .layout = left});
  const Cache B_shared = s.cache_shared(B, step, {.vectorize = width, .layout = right});
  for (const Cache& tile : {A_shared, B_shared}) {
    if (options.fill != Fill::engine) s.align(tile, 1024);
    if (options.fill != Fill::threads) s.copy_async(tile);
  }
  if (options.fill == Fill::async) s.pipeline(step, 2);
  if (options.fill == Fill::producers || options.fill == Fill::engine)
    s.specialize(step, 3, {.producer_warps = 1, .in_flight = options.in_flight});
  if (options.fill == Fill::engine)
    for (const Cache& tile : {A_shared, B_shared}) s.copy_bulk(tile);
}

void WarpgroupProduct::put_into(Schedule& s, const Cache& results, const Axis& of_warp,
                                const Axis& pair) const {
  if (!options.stores_matrices) return s.vectorize(pair);
  s.cache_registers(results, of_warp);
  s.tensorize(results, fmt::format("stmatrix_x4_{}", ptx_name(options.type).str()));
}

void WarpgroupProduct::store_rounded(Schedule& s, const Tiles& tiles) const {
  const Cache results =
      s.cache_shared(C, tiles.turn, {.layout = panels(options.columns, options.type)});
  if (has_groups()) s.write_back_at(results, s.axis(tiles.group.name() + ".post"));
  s.copy_bulk(results);
  put_into(s, results, tiles.of_warp, tiles.pair);
}

void WarpgroupProduct::store_later(Schedule& s, const Tiles& tiles) const {
  const Cache rounded = s.cache_registers(C, tiles.turn);
  // By row: warpgroup if there are several, warp, half of a warp's rows, lane. By column: eight at
  // a time, lane, pair.
  const std::vector<Axis> parts = s.copy_loops(rounded, Direction::write_back);
  const size_t first = has_groups() ? 1 : 0;
  auto [chunk, eight] = s.split(parts[first + 3], options.columns / 2 / 8);
  s.reorder({chunk, parts[first], parts[first + 1], parts[first + 2]});
  if (has_groups()) s.reorder({chunk, parts[0]});
  const Cache results = s.cache_shared(C, chunk);
  if (has_groups()) s.write_back_at(results, parts[0]);
  s.copy_bulk(results);
  put_into(s, results, parts[first], parts.back());
  s.defer(tiles.step, {chunk});
}

Schedule WarpgroupProduct::scheduled(const Layout& layout) const {
  Schedule s(program);
  if (options.fill != Fill::threads) s.assume(K % piece() == 0);
  if (options.fill != Fill::threads && options.is_left_turned) s.assume(M % piece() == 0);
  const bool has_rows_of_columns = options.is_turned || is_rounded();
  if (options.fill != Fill::threads && has_rows_of_columns) s.assume(N % piece() == 0);
  if (options.result == Result::deferred) s.assume(K > row_bytes / size_of(options.type));
  const Tiles tiles = tile(s);
  fill(s, tiles.step, layout);
  if (options.result == Result::rounded) store_rounded(s, tiles);
  if (options.result == Result::deferred) store_later(s, tiles);
  return s;
}

Schedule WarpgroupProduct::scheduled() const { return scheduled(rows_of_128_bytes(options.type)); }

}  // namespace hone
