#include "runtime/ptx/check/grid_shadow.h"

namespace hone::ptx {
namespace {

bool is_of_other(const GridStamp& stamp, int64_t block) {
  return stamp.exists() && stamp.block != block;
}

/// The thread has updated the granule before: so it comes behind the updates that others have made.
bool is_behind_update(const ShadowCell& cell, Stamp stamp) {
  return cell.updates.first.exists() && cell.updates.first.lane() == stamp.lane();
}

void keep_first(GridStamp& known, const GridStamp& mine) {
  if (!known.exists() && mine.exists()) known = mine;
}

}  // namespace

void GridShadow::add(GridCell& known, int64_t granule, int64_t block, const ShadowCell& cell,
                     Meet meet) {
  const auto stamp_of = [&](Stamp stamp) {
    return stamp.exists() ? GridStamp{block, stamp} : GridStamp();
  };
  const GridStamp write = stamp_of(cell.write), update = stamp_of(cell.updates.first),
                  read = stamp_of(cell.reads.first);
  const auto look = [&](const GridStamp& other, const GridStamp& mine, bool same_value) {
    if (mine.exists() && is_of_other(other, block)) meet(granule, other, mine, same_value);
  };
  const bool is_same = !cell.is_set && !known.have_values && cell.value == known.value;
  look(known.write, write, is_same);
  if (!is_behind_update(cell, cell.write)) look(known.update, write, false);
  look(known.read, write, false);
  look(known.write, update, false);
  look(known.read, update, false);
  look(known.write, read, false);
  if (!is_behind_update(cell, cell.reads.first)) look(known.update, read, false);
  if (write.exists() && !is_of_other(known.write, block)) {
    known.have_values = cell.is_set || (known.write.exists() && !is_same);
    known.value = cell.value;
  }
  keep_first(known.write, write);
  keep_first(known.update, update);
  keep_first(known.read, read);
}

void GridShadow::add(int64_t block, int64_t granule, const ShadowCell& cell, Meet meet) {
  const int64_t page = granule / page_cells;
  Shard& shard = shards_[static_cast<size_t>(page) % locks];
  const std::lock_guard lock(shard.mutex);
  std::unique_ptr<Page>& cells = shard.pages[page];
  if (!cells) cells = std::make_unique<Page>();
  add((*cells)[granule % page_cells], granule, block, cell, meet);
}

}  // namespace hone::ptx
