// Loops by dominators: an edge that leads back to a block that dominates it makes one.
#include <algorithm>
#include <map>
#include <set>

#include "runtime/nvrtc/ptx.h"

namespace hone {
namespace {

using Blocks = std::vector<bool>;  // by number

std::vector<llvm::SmallVector<size_t, 4>> predecessors_of(llvm::ArrayRef<PtxBlock> blocks) {
  std::vector<llvm::SmallVector<size_t, 4>> predecessors(blocks.size());
  for (size_t number = 0; number < blocks.size(); ++number)
    for (const size_t successor : blocks[number].successors)
      predecessors[successor].push_back(number);
  return predecessors;
}

/// For each block those that every path to it passes, itself included.
std::vector<Blocks> dominators_of(llvm::ArrayRef<PtxBlock> blocks) {
  const auto predecessors = predecessors_of(blocks);
  std::vector<Blocks> dominators(blocks.size(), Blocks(blocks.size(), true));
  if (blocks.empty()) return dominators;
  dominators[0].assign(blocks.size(), false);
  dominators[0][0] = true;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (size_t number = 1; number < blocks.size(); ++number) {
      Blocks common(blocks.size(), true);
      for (const size_t before : predecessors[number])
        for (size_t one = 0; one < blocks.size(); ++one)
          common[one] = common[one] && dominators[before][one];
      common[number] = true;
      if (common == dominators[number]) continue;
      dominators[number] = std::move(common);
      has_changed = true;
    }
  }
  return dominators;
}

/// Adds to `loop` the blocks that lead to `latch` without passing the header.
void add_body(llvm::ArrayRef<llvm::SmallVector<size_t, 4>> predecessors, size_t latch,
              std::set<size_t>& loop) {
  std::vector<size_t> open = {latch};
  while (!open.empty()) {
    const size_t number = open.back();
    open.pop_back();
    if (!loop.insert(number).second) continue;
    open.insert(open.end(), predecessors[number].begin(), predecessors[number].end());
  }
}

/// The nearest before it that holds all its blocks: outer loops come first.
int parent_of(llvm::ArrayRef<PtxLoop> loops, size_t number) {
  const auto& inner = loops[number].blocks;
  for (size_t outer = number; outer-- > 0;)
    if (std::includes(loops[outer].blocks.begin(), loops[outer].blocks.end(), inner.begin(),
                      inner.end()))
      return static_cast<int>(outer);
  return -1;
}

}  // namespace

std::vector<PtxLoop> find_loops(llvm::ArrayRef<PtxBlock> blocks) {
  const auto predecessors = predecessors_of(blocks);
  const std::vector<Blocks> dominators = dominators_of(blocks);
  std::map<size_t, std::set<size_t>> bodies;  // by header
  std::map<size_t, unsigned> lines;
  for (size_t latch = 0; latch < blocks.size(); ++latch)
    for (const size_t header : blocks[latch].successors) {
      if (!dominators[latch][header]) continue;
      bodies[header].insert(header);
      add_body(predecessors, latch, bodies[header]);
      if (!blocks[latch].instructions.empty())
        lines[header] = blocks[latch].instructions.back().line;
    }
  std::vector<PtxLoop> loops;
  loops.reserve(bodies.size());
  for (const auto& [header, body] : bodies)
    loops.push_back({header, {body.begin(), body.end()}, -1, lines[header]});
  std::stable_sort(loops.begin(), loops.end(), [](const PtxLoop& lhs, const PtxLoop& rhs) {
    return lhs.blocks.size() > rhs.blocks.size();
  });
  for (size_t number = 0; number < loops.size(); ++number)
    loops[number].parent = parent_of(loops, number);
  return loops;
}

}  // namespace hone
