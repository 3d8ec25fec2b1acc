#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/core/opcode.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

constexpr int64_t group_rows = 64, row_bytes = 128;  ///< of a warpgroup, and of a step

class WarpgroupGuide : public NestGuide {
 public:
  WarpgroupGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (spatial_.size() < 2 || reductions_.empty() || operands_.size() < 2) return {};
    type_ = operands_[0]->type;
    constexpr DType multiplied[] = {bf16, f16, tf32, f8e4m3, f8e5m2, i8};
    if (!llvm::is_contained(multiplied, type_)) return {};
    operands_.resize(2);
    columns_ = random_.chance(10) ? 128 : 16 * random_.between(1, 6);
    is_of_columns_ = size_of(type_) == 2 && columns_ != group_rows && random_.chance(40);
    if (is_of_columns_) std::swap(operands_[0], operands_[1]);
    is_left_turned_ = size_of(type_) == 2 && !runs_along_sum(operands_[0]);
    is_turned_ = size_of(type_) == 2 && !runs_along_sum(operands_[1]);
    groups_ = random_.chance(70) ? 1 : 2;
    promise();
    tile();
    add("bind", {group_}).binding = warpgroup;
    for (const char* part : {".init", ".post"}) spread(part);
    add("tensorize", {is_of_columns_ ? column_ : row_}).name = instruction();
    add("cache_registers", result_of_sum(), {tile_column_});
    for (const TensorPtr& operand : operands_) stage(*operand);
    if (!pair_.empty())
      stay_in_pairs();
    else if (random_.chance(65))
      stay();
    else
      bind_tiles();
    fill_by_engine();
    if (!turn_.empty() && random_.chance(75)) store_later();
    return std::move(steps_);
  }

 private:
  int64_t depth() const { return row_bytes / size_of(type_); }

  bool runs_along_sum(const TensorPtr& operand) const {
    const auto loops = loops_of(function_.body);
    const auto sum = llvm::find_if(
        loops, [&](const For* loop) { return loop->axis->name == reductions_.front(); });
    return llvm::any_of(collect_accesses(function_.body), [&](const MemoryAccess& access) {
      return access.tensor == operand && !access.indices.empty() &&
             mentions(access.indices.back(), (*sum)->axis.get());
    });
  }

  /// The sum has a tensor of its own where the result is made of it.
  std::string result_of_sum() const {
    std::string sum = result_->name;
    for (const MemoryAccess& access : collect_accesses(function_.body))
      if (access.writes && access.update == Update::add) sum = access.tensor->name;
    return sum;
  }

  void promise() {
    if (random_.chance(5)) return;
    for (const TensorPtr& operand : operands_) add("assume_aligned", operand->name, {}).count = 16;
    add("assume_aligned", result_->name, {}).count = 16;
  }

  /// Tiles of a block, of a warpgroup and of a step. Their rows may be columns of the result.
  void tile() {
    std::string i = spatial_[spatial_.size() - 2], j = spatial_.back();
    const std::string k = reductions_[0];
    if (is_of_columns_) {
      std::swap(i, j);
      add("reorder", {i, j});
    }
    if (random_.chance(Extra::multicasts, 95)) make_pairs(i, j);
    Step& step = add("tile", {i, j});
    step.factors.append({group_rows * groups_, columns_});
    step.tail = padded(95);
    split(i + ".1", group_rows, Tail::guard);
    split(k, depth(), padded(95));
    tile_row_ = i + ".0";
    tile_column_ = j + ".0";
    step_ = k + ".0";
    group_ = i + ".1.0";
    row_ = i + ".1.1";
    column_ = j + ".1";
    add("reorder", {tile_row_, tile_column_, step_, group_, is_of_columns_ ? column_ : row_,
                    is_of_columns_ ? row_ : column_, k + ".1"});
  }

  /// Two tiles that lie above each other, or side by side.
  void make_pairs(std::string& i, std::string& j) {
    has_peers_above_ = random_.chance(50);
    std::string& axis = has_peers_above_ ? i : j;
    split(axis, 2 * (has_peers_above_ ? group_rows * groups_ : columns_), padded(95));
    pair_ = axis + ".0";
    axis += ".1";
    add("reorder", {pair_, i, j});
  }

  /// The loops before and behind the sums go over lanes as the instruction has spread these.
  void spread(const std::string& part) {
    const std::string row = row_ + part, column = column_ + part;
    add("bind", {group_ + part}).binding = warpgroup;
    if (random_.chance(50)) {
      add("spread", {is_of_columns_ ? column : row, is_of_columns_ ? row : column}).name =
          instruction();
      return;
    }
    split(row, 16);
    if (is_of_columns_) add("reorder", {row + ".0", column});
    add("bind", {row + ".0"}).binding = warp;
    split(row + ".1", 8);
    split(column, 8);
    split(column + ".1", 2);
    add("bind", {row + ".1.1", column + ".1.0"}).binding = lane;
  }

  std::string instruction() const {
    const bool is_km = is_of_columns_ ? is_turned_ : is_left_turned_;
    const bool is_kn = is_of_columns_ ? is_left_turned_ : is_turned_;
    return fmt::format("wgmma_m{}n{}k{}{}{}_{}", is_of_columns_ ? columns_ : group_rows,
                       is_of_columns_ ? group_rows : columns_, depth(), is_km ? "_km" : "",
                       is_kn ? "_kn" : "", ptx_name(type_).str());
  }

  bool has_whole_vectors(const TensorNode& operand) const {
    const auto row = as_int(operand.shape.back());
    return !random_.has(Extra::warpgroups) || (row && *row * size_of(type_) % 16 == 0);
  }

  void stage(const TensorNode& operand) {
    Step& step = add("cache_shared", operand.name, {step_});
    step.count = has_whole_vectors(operand) && random_.chance(90) ? 16 / size_of(type_) : 0;
    const bool is_left = operand.name == operands_[0]->name;
    const int place = is_left != is_of_columns_ ? 1 : 2;
    const FragmentSpread& spread = find_opcode_with_lanes(instruction())->rules.spreads[place];
    const bool is_panel = is_left && is_left_turned_ && groups_ > 1;
    step.layout = is_panel ? spread.layout_of_panels(type_) : spread.layout(type_);
    if (random_.chance(4)) step.layout = random_layout(random_, operand.rank());
    shared_.push_back(operand.name + ".shared");
  }

  void bind_tiles() {
    bind(tile_row_, Kind::block, 1);
    bind(tile_column_, Kind::block, 0);
  }

  /// Few blocks, which take one tile after the other.
  void stay() {
    add("fuse", {tile_row_, tile_column_}).names = {"tile"};
    split("tile", random_.between(1, 3), padded(95));
    turn_ = "tile.0";
    add("reorder", {"tile.1", turn_});
    bind("tile.1", Kind::block, 0);
  }

  /// The same of clusters of two blocks.
  void stay_in_pairs() {
    const std::string& peer = has_peers_above_ ? tile_row_ : tile_column_;
    const std::string& other = has_peers_above_ ? tile_column_ : tile_row_;
    add("reorder", {pair_, other, peer});
    add("fuse", {pair_, other}).names = {"tile"};
    split("tile", random_.between(1, 3), padded(95));
    turn_ = "tile.0";
    add("reorder", {"tile.1", peer, turn_});
    add("fuse", {"tile.1", peer});
    bind("tile.1_" + peer, Kind::block, 0);
  }

  void fill_by_engine() {
    const bool has_engine = random_.chance(80);
    const bool is_at_once = has_engine && random_.chance(Extra::multicasts, 95);
    for (const std::string& tile : shared_) {
      if (is_at_once) continue;
      if (has_engine || random_.chance(50)) add("copy_async", tile, {});
      if (!has_engine || random_.chance(75)) add("align", tile, {}).count = 1024;
    }
    if (!random_.chance(92)) return;
    Step& step = add("specialize", {step_});
    step.count = random_.between(1, 4);
    if (is_at_once) step.engine = CopyEngine::boxes;
    WarpRoles& roles = step.binding.roles;
    roles.producer_warps = groups_ == 1 || random_.chance(40) ? random_.between(1, 2) : 4;
    roles.in_flight = random_.chance(40) ? random_.between(1, 2) : 0;
    if (roles.producer_warps == 4 && random_.chance(70)) {
      roles.producer_registers = 40;
      roles.consumer_registers = 232;
    }
    if (has_engine && !is_at_once)
      for (const std::string& tile : shared_) add("copy_bulk", tile, {});
    if (is_at_once && random_.chance(60))
      for (const std::string& tile : shared_) add("align", tile, {}).count = 1024;
    if (!has_engine || !random_.has(Extra::multicasts)) return;
    for (const std::string& tile : shared_)
      if (random_.chance(80)) add("multicast", tile, {}).count = random_.chance(95) ? 2 : 4;
  }

  /// Results go by way of shared memory, in loops that may be put off to the next tile.
  void store_later() {
    const std::string tile = result_->name + ".shared";
    Step& step = add("cache_shared", result_->name, {turn_});
    if (random_.chance(30)) step.layout = Layout().swizzle_bytes(row_bytes, result_->type);
    if (random_.chance(50)) add("write_back_at", tile, {group_ + ".post"});
    if (random_.chance(60))
      add("copy_loops", tile, {}).direction = Direction::write_back;
    else
      add("copy_bulk", tile, {});
  }

  DType type_ = bf16;
  /// The 64 rows that the hardware multiplies are columns of the result: operands change places.
  bool is_of_columns_ = false;
  bool is_left_turned_ = false;  ///< the operand on the left is k by its rows
  bool is_turned_ = false;       ///< the operand on the right is k by its columns
  int64_t columns_ = 0, groups_ = 1;
  std::string tile_row_, tile_column_, step_, group_, row_, column_;
  std::string turn_;  ///< of a block that stays
  std::string pair_;  ///< of tiles, which two blocks take
  bool has_peers_above_ = false;
  Names shared_;
};

}  // namespace

std::vector<Step> warpgroup_schedule(Random& random, const Function& function) {
  return WarpgroupGuide(random, function).run();
}

/// Mostly a loop behind another one in the body of a third.
std::optional<Step> draw_defer(Draw& draw) {
  const Loops sums = draw.those([](const For* loop) { return loop->is_reduction(); });
  const For* into =
      sums.empty() || draw.random.chance(20) ? draw.any_loop() : draw.random.pick(sums);
  const Loops around = draw.around(into), inside = loops_of(into->body);
  Loops behind;
  if (!around.empty()) {
    const auto all = loops_of(draw.random.pick(around)->body);
    for (const For* loop : llvm::make_range(llvm::find(all, into) + 1, all.end()))
      if (!llvm::is_contained(inside, loop)) behind.push_back(loop);
  }
  const For* loop = behind.empty() || draw.random.chance(5) ? draw.any_loop() : behind.front();
  auto step = make_step("defer", {into, loop});
  if (draw.random.chance(30))
    for (const For* inner : loops_of(loop->body)) {
      if (draw.random.chance(50)) break;
      step->axes.push_back(inner->axis);
    }
  return step;
}

}  // namespace hone
