#include "fmt/format.h"
#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

/// Results of two bytes, which warps put into a tile in shared memory by stmatrix.
class MatrixStoreGuide : public NestGuide {
 public:
  MatrixStoreGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (spatial_.size() < 2 || size_of(result_->type) != 2) return {};
    constexpr Matrices all[] = {{"x4", 16, 16}, {"x2", 16, 8}, {"x1", 8, 8}};
    matrices_ = random_.pick(all);
    tile();
    bind(tile_row_, Kind::block, 1);
    bind(tile_column_, Kind::block, 0);
    add("bind", {warp_row_}).binding = warp;
    add("spread", {row_, column_}).name = instruction();
    store();
    return std::move(steps_);
  }

 private:
  struct Matrices {
    const char* word;
    int64_t rows, columns;
  };

  std::string instruction(const char* end = "") const {
    return fmt::format("stmatrix_{}{}_{}", matrices_.word, end, ptx_name(result_->type).str());
  }

  /// Tiles of a block, and the rows of a warp, which has some matrices side by side.
  void tile() {
    const std::string i = spatial_[spatial_.size() - 2], j = spatial_.back();
    Step& step = add("tile", {i, j});
    step.factors.append(
        {matrices_.rows * random_.between(1, 2), matrices_.columns * random_.between(1, 2)});
    step.tail = Tail::exact;  // check mode reports registers that stmatrix moves without a value
    split(i + ".1", matrices_.rows);
    split(j + ".1", matrices_.columns);
    tile_row_ = i + ".0";
    tile_column_ = j + ".0";
    warp_row_ = i + ".1.0";
    row_ = i + ".1.1";
    column_ = j + ".1.1";
    add("reorder", {tile_row_, tile_column_, warp_row_, j + ".1.0", row_, column_});
  }

  void store() {
    const std::string tile = result_->name + ".shared";
    Step& step = add("cache_shared", result_->name, {tile_column_});
    const bool is_turned = random_.chance(25);
    if (is_turned) step.layout = Layout::column_major();
    if (random_.chance(50)) step.layout = step.layout.pad(8);
    add("cache_registers", tile, {warp_row_});
    add("tensorize", tile, {}).name = instruction(is_turned ? "_trans" : "");
  }

  Matrices matrices_ = {};
  std::string tile_row_, tile_column_, warp_row_, row_, column_;
};

}  // namespace

std::vector<Step> matrix_store_schedule(Random& random, const Function& function) {
  return MatrixStoreGuide(random, function).run();
}

}  // namespace hone
