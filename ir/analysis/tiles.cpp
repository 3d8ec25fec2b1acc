#include "ir/analysis/tiles.h"

#include "ir/algebra/simplify.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {

class Tiles::Collector {
 public:
  explicit Collector(Tiles& result) : tiles_(result.tiles_), written_(result.written_) {}

  void visit(const Stmt& stmt) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return visit_alloc(*alloc);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      loops_.push_back({loop->axis, loop->extent});
      visit(loop->body);
      loops_.pop_back();
      return;
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      read(stmt, branch->condition);
      guards_.push_back(branch->condition);
      visit(branch->body);
      guards_.pop_back();
      return;
    }
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) {
      add(stmt, copy->source.tensor, false);
      add(stmt, copy->destination.tensor, true);
    }
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) add(stmt, store->tensor, true);
    for_each_operand(
        stmt, [&](const Expr& expr) { read(stmt, expr); },
        [&](const Stmt& nested) { visit(nested); });
  }

 private:
  struct Place {
    size_t guards, loops;
  };

  void visit_alloc(const Alloc& alloc) {
    tiles_[alloc.tensor.get()];
    places_[alloc.tensor.get()] = {guards_.size(), loops_.size()};
    visit(alloc.body);
  }

  void read(const Stmt& stmt, const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part)) add(stmt, load->tensor, false);
    });
  }

  void add(const Stmt& stmt, const TensorPtr& tensor, bool writes) {
    if (writes) written_.insert(tensor.get());
    const auto place = places_.find(tensor.get());
    if (place == places_.end()) return;
    Tile& tile = tiles_[tensor.get()];
    TileUse use{stmt, {}, {}};
    use.guards.append(guards_.begin() + place->second.guards, guards_.end());
    use.loops.append(loops_.begin() + place->second.loops, loops_.end());
    (writes ? tile.writers : tile.readers).push_back(std::move(use));
  }

  llvm::MapVector<const TensorNode*, Tile>& tiles_;
  llvm::SmallPtrSetImpl<const TensorNode*>& written_;
  llvm::DenseMap<const TensorNode*, Place> places_;
  llvm::SmallVector<Expr, 4> guards_;
  llvm::SmallVector<AxisRange, 8> loops_;
};

Tiles::Tiles(const Stmt& body) { Collector(*this).visit(body); }

const Tile* Tiles::find(const TensorNode* tensor) const {
  const auto found = tiles_.find(tensor);
  return found == tiles_.end() ? nullptr : &found->second;
}

bool Tiles::is_written(const TensorNode* tensor) const { return written_.contains(tensor); }

const Copy* Tile::filling_copy(const TensorNode& tile) const {
  if (writers.size() != 1 || !writers[0].loops.empty() || !writers[0].guards.empty())
    return nullptr;
  const auto* copy = llvm::dyn_cast<Copy>(writers[0].stmt);
  if (!copy) return nullptr;
  for (size_t dim = 0; dim < tile.rank(); ++dim) {
    const Range& range = copy->destination.ranges[dim];
    const bool is_whole = !range.is_point() && is_int(range.offset, 0) && as_int(range.extent) &&
                          as_int(range.extent) == as_int(tile.shape[dim]) && range.stride == 1;
    if (!is_whole) return nullptr;
  }
  return copy;
}

llvm::SmallVector<Expr, 4> indices_at(const Region& region, llvm::ArrayRef<Expr> position) {
  llvm::SmallVector<Expr, 4> indices;
  const Expr* next = position.begin();
  for (const Range& range : region.ranges)
    indices.push_back(range.is_point() ? range.offset : range.at(*next++));
  return indices;
}

Expr Tiles::loaded(const Expr& expr, const Facts& facts) const {
  const auto* load = llvm::dyn_cast<Load>(expr);
  const Tile* tile = load ? find(load->tensor.get()) : nullptr;
  const Copy* copy = tile ? tile->filling_copy(*load->tensor) : nullptr;
  if (!copy) return {};
  const TensorPtr& source = copy->source.tensor;
  const auto indices = indices_at(copy->source, load->indices);
  for (unsigned dim = 0; dim < source->rank(); ++dim)
    if (proves(indices[dim] >= source->shape[dim], facts) || proves(indices[dim] < 0, facts))
      return copy->fill;
  return loaded(Load::make(source, indices), facts);
}

Expr Tiles::in_padding(const Expr& value, const Facts& facts) const {
  return transform(value, [&](const Expr& part) { return loaded(part, facts); });
}

}  // namespace hone
