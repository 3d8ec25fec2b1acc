#include "examples/ladders/tiling.h"

namespace hone {

bool promise_whole_tiles(Schedule& s, const Matmul& p, int64_t M, int64_t N, int64_t K) {
  struct Size {
    const char* name;
    Expr extent;
    int64_t factor;
  };
  const Size sizes[] = {{"M", p.M, M}, {"N", p.N, N}, {"K", p.K, K}};
  for (const Size& size : sizes)
    if (p.expected.at(size.name) % size.factor != 0) return false;
  for (const Size& size : sizes)
    if (!as_int(size.extent)) s.assume(size.extent % size.factor == 0);
  return true;
}

std::array<Axis, 2> shared_tiles(Schedule& s, const Matmul& p, int64_t tile,
                                 const Layout& B_layout) {
  promise_whole_tiles(s, p, tile, tile, tile);
  const Axis tx = square_blocks(s, p, tile);
  auto [ko, ki] = s.split(p.k, tile, {.names = {"step", "k"}});
  s.cache_registers(p.result, tx);
  s.cache_shared(p.A, ko);
  s.cache_shared(p.B, ko, {.layout = B_layout});
  return {ko, ki};
}

namespace {

/// The loops that fill a tile of the tensor: the threads have a row of it each, `rows` apart in
/// turns. Returns the axis of the turns.
Axis dealt_out_by_rows(Schedule& s, const Tensor& tensor, const Cache& tile, int64_t rows) {
  const std::string row_name = tensor.name() + "_row", column_name = tensor.name() + "_column";
  const std::vector<Axis> copy = s.copy_loops(tile, {.names = {nullptr, column_name.c_str()}});
  auto [turn, row] = s.split(copy[0], rows, {.names = {nullptr, row_name.c_str()}});
  s.bind(row, thread.y);
  s.bind(copy[1], thread.x);
  return turn;
}

}  // namespace

void thread_columns(Schedule& s, const Matmul& p, int64_t tile, int64_t rows) {
  promise_whole_tiles(s, p, tile, tile, tile);
  auto [by, bx, column, tx] =
      s.tile({p.y, p.x}, {tile, tile}, {.names = {"block_row", "block_column", nullptr, "column"}});
  auto [row, ty] = s.split(column, tile / rows, {.names = {"row", "thread_row"}});
  auto [ko, ki] = s.split(p.k, tile, {.names = {"step", "k"}});
  s.reorder({by, bx, ty, tx, ko, ki, row});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.result, tx);
  const Cache A_shared = s.cache_shared(p.A, ko), B_shared = s.cache_shared(p.B, ko);
  s.cache_registers(B_shared, ki);
  const Axis turn = dealt_out_by_rows(s, p.A, A_shared, tile / rows);
  s.merge(turn, dealt_out_by_rows(s, p.B, B_shared, tile / rows));
  s.unroll(s.rename(turn, "load_row"));
  s.unroll(ki);
}

ThreadTiles thread_tiles(Schedule& s, const Matmul& p, const TileShape& shape) {
  auto [by, bx, rows, columns] =
      s.tile({p.y, p.x}, {shape.block_rows, shape.block_columns},
             named_loops(p, {"block_row", "block_column", nullptr, nullptr}));
  auto [ty, tx, y, x] = s.tile({rows, columns}, {shape.thread_rows, shape.thread_columns},
                               named_loops(p, {"thread_row", "thread_column", "row", "column"}));
  auto [ko, ki] = s.split(p.k, shape.step, {.names = {"step", "k"}});
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  const Axis threads = s.fuse(ty, tx);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(threads, thread.x);
  return {threads, ko, ki};
}

ThreadTiles staged_tiles(Schedule& s, const Matmul& p, const TileShape& shape,
                         const Layout& B_layout) {
  const ThreadTiles tiles = thread_tiles(s, p, shape);
  s.cache_registers(p.result, tiles.threads);
  const Cache A_shared = s.cache_shared(p.A, tiles.outer_step);
  const Cache B_shared = s.cache_shared(p.B, tiles.outer_step, {.layout = B_layout});
  s.cache_registers(A_shared, tiles.inner_step);
  s.cache_registers(B_shared, tiles.inner_step);
  return tiles;
}

ThreadTiles large_staged_tiles(Schedule& s, const Matmul& p) {
  const ThreadTiles tiles = staged_tiles(s, p, large_tiles);
  s.unroll(tiles.inner_step, 4);
  return tiles;
}

Axis grouped_raster(Schedule& s, const Axis& y, const Axis& x, int64_t rows) {
  auto [group, row] = s.split(y, rows, {.names = {"group", nullptr}});
  s.reorder({group, x, row});
  s.bind(group, block.y);
  const Axis tile = s.fuse(x, row, {.name = "tile"});
  s.bind(tile, block.x);
  return tile;
}

Axis persistent_blocks(Schedule& s, const Axis& y, const Axis& x, int64_t blocks) {
  const Axis tile = s.fuse(y, x, {.name = "tile"});
  auto [turn, first] = s.split(tile, blocks, {.names = {"turn", "block"}});
  s.reorder({first, turn});
  s.bind(first, block.x);
  return turn;
}

int64_t widest_vectors(int64_t elements) {
  return elements % 4 == 0 ? 4 : elements % 2 == 0 ? 2 : 1;
}

int64_t widest_vectors(const Matmul& p) {
  return std::min(widest_vectors(p.expected.at("K")), widest_vectors(p.expected.at("N")));
}

namespace {

/// Hone aligns what it allocates itself.
bool is_argument(const Schedule& s, const Tensor& tensor) {
  return llvm::any_of(s.function().arguments,
                      [&](const TensorPtr& argument) { return argument->name == tensor.name(); });
}

}  // namespace

int64_t promise_vectors(Schedule& s, const Tensor& operand, const Expr& row, int64_t expected) {
  const int64_t element = size_of(operand.node()->type);
  int64_t width = 16 / element;
  while (expected % width != 0) width /= 2;
  const bool is_aligned = width * element > 1 && is_argument(s, operand);
  if (is_aligned) s.assume_aligned(operand, width * element);
  const bool has_aligned_rows = is_aligned && operand.node()->rank() > 1;
  if (width > 1 && !as_int(row) && !has_aligned_rows) s.assume(row % width == 0);
  return width;
}

Tensor at_whole_lines(Schedule& s, const Tensor& operand, const Expr& row, int64_t expected) {
  const int64_t width = promise_vectors(s, operand, row, expected);
  const int64_t line = line_bytes / size_of(operand.node()->type);
  auto [copy, axes] = s.cache_global(operand, Layout().pitch((row + (line - 1)) / line * line));
  const Axis rows = axes.size() > 2 ? s.fuse(axes[0], axes[1]) : axes[0];
  auto [part, vectors] = s.split(axes.back(), 256 * width);
  auto [own, element] = s.split(vectors, width);
  s.bind(rows, block.x);
  s.bind(own, thread.x);
  s.unroll(part, 4);
  if (width > 1) s.vectorize(element);
  return copy;
}

void vectorized_tiles(Schedule& s, const Matmul& p, const TileShape& shape, int64_t width) {
  const auto bytes = width * static_cast<int64_t>(sizeof(float));
  for (const Tensor& tensor : {p.A, p.B, p.result}) s.assume_aligned(tensor, bytes);
  promise_whole_tiles(s, p, shape.block_rows, shape.block_columns, shape.step);
  const auto [threads, ko, ki] = thread_tiles(s, p, shape);
  s.cache_registers(p.result, threads, {.vectorize = width});
  const Cache A_shared =
      s.cache_shared(p.A, ko, {.vectorize = width, .layout = Layout::column_major()});
  const Cache B_shared = s.cache_shared(p.B, ko, {.vectorize = width});
  s.cache_registers(A_shared, ki, {.vectorize = 4});
  s.cache_registers(B_shared, ki, {.vectorize = 4});
  s.unroll(ki);
}

}  // namespace hone
