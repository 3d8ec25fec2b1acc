#include "runtime/sim/check/shadow.h"

namespace hone {

void PagedShadow::select(int64_t page) {
  const auto [known, is_new] = numbers_.try_emplace(page, numbers_.size());
  if (is_new && known->second == pages_.size()) {
    claim_.grow(sizeof(Page), "the record of what a block accesses");
    pages_.push_back(std::make_unique<Page>());
  }
  if (is_new) pages_[known->second]->fill({});
  cells_ = pages_[known->second].get();
  last_ = page;
}

}  // namespace hone
