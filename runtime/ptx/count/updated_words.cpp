#include "runtime/ptx/count/updated_words.h"

#include <algorithm>

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

void UpdatedWords::add(const WarpAccess& access) {
  for_each_lane(access.active, [&](int lane) {
    Word& word = words_[access.addresses[lane]];
    ++word.updates;
    word.blocks = 1;
  });
}

void UpdatedWords::add(const UpdatedWords& block) {
  for (const auto& [address, of_block] : block.words_) {
    Word& word = words_[address];
    word.updates += of_block.updates;
    word.blocks += of_block.blocks;
  }
}

int64_t UpdatedWords::most_of_all(const Scale& scale) const {
  int64_t most = 0;
  for (const auto& [address, word] : words_)
    most = std::max(most, word.blocks > 1 ? scale(word.updates) : word.updates);
  return most;
}

}  // namespace hone::ptx
