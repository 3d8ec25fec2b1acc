#include "runtime/ptx/compile/order.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

bool ends_block(const Instruction& instruction) {
  static const std::set<std::string> all = {"bra", "brx", "ret", "exit", "trap"};
  return all.count(instruction.opcode) > 0;
}

std::vector<size_t> starts_of_blocks(const Function& function) {
  std::set<size_t> starts = {0};
  for (const auto& [label, at] : function.labels) starts.insert(at);
  for (size_t n = 0; n < function.instructions.size(); ++n)
    if (ends_block(function.instructions[n])) starts.insert(n + 1);
  starts.erase(starts.lower_bound(function.instructions.size()), starts.end());
  return {starts.begin(), starts.end()};
}

std::vector<std::string> targets_of(const Function& function, const Instruction& last) {
  if (last.opcode == "bra") return {last.operands.front().name};
  if (last.opcode != "brx") return {};
  const auto table = function.targets.find(last.operands.back().name);
  return table == function.targets.end() ? std::vector<std::string>() : table->second;
}

}  // namespace

std::vector<BasicBlock> basic_blocks(const Function& function) {
  const std::vector<size_t> starts = starts_of_blocks(function);
  std::vector<BasicBlock> blocks(starts.size());
  const auto add_target = [&](BasicBlock& block, const std::string& label) {
    const auto at = function.labels.find(label);
    if (at == function.labels.end() || at->second >= function.instructions.size()) return;
    const auto start = std::lower_bound(starts.begin(), starts.end(), at->second);
    block.successors.push_back(start - starts.begin());
  };
  for (size_t n = 0; n < blocks.size(); ++n) {
    BasicBlock& block = blocks[n];
    block.first = starts[n];
    block.end = n + 1 < starts.size() ? starts[n + 1] : function.instructions.size();
    const Instruction& last = function.instructions[block.end - 1];
    for (const std::string& label : targets_of(function, last)) add_target(block, label);
    block.falls_through = (!ends_block(last) || last.guard.exists) && n + 1 < blocks.size();
    if (block.falls_through) block.successors.push_back(n + 1);
  }
  return blocks;
}

namespace {

/// Orders a part of the graph, which is entered at one block: strongly connected components in
/// topological order, each from its own entry, without the jumps back to there.
class Orderer {
 public:
  explicit Orderer(const std::vector<BasicBlock>& blocks)
      : blocks_(blocks), region_(blocks.size(), 0), index_(blocks.size()), low_(blocks.size()) {}

  std::vector<size_t> order() {
    order_region(0, 0);
    return order_;
  }

 private:
  using Component = std::vector<size_t>;

  /// The state of a search in one region.
  struct Search {
    size_t entry = 0;
    int region = 0;
    std::vector<Component> components{};  ///< the last ones first
    std::vector<size_t> stack{};
  };

  bool is_in(const Search& search, size_t block) const { return region_[block] == search.region; }

  /// Tarjan's algorithm.
  void visit(Search& search, size_t block) {
    index_[block] = low_[block] = ++counter_;
    search.stack.push_back(block);
    auto next = blocks_[block].successors;
    llvm::sort(next, std::greater<>());
    for (const size_t successor : next) {
      if (successor == search.entry || !is_in(search, successor)) continue;
      if (index_[successor] == 0) visit(search, successor);
      low_[block] = std::min(low_[block], low_[successor]);
    }
    if (low_[block] != index_[block]) return;
    Component component;
    do {
      component.push_back(search.stack.back());
      search.stack.pop_back();
      low_[component.back()] = ~size_t{0};  // others do not reach it
    } while (component.back() != block);
    search.components.push_back(std::move(component));
  }

  void order_region(size_t entry, int region) {
    Search search = {entry, region};
    visit(search, entry);
    for (Component& component : llvm::reverse(search.components)) {
      const size_t first = component.back();  // the one that was come to first
      order_.push_back(first);
      if (component.size() == 1) continue;
      const int own = ++regions_;
      for (const size_t block : component) {
        region_[block] = own;
        index_[block] = 0;
      }
      order_.pop_back();
      order_region(first, own);
    }
  }

  const std::vector<BasicBlock>& blocks_;
  std::vector<int> region_;
  std::vector<size_t> index_, low_, order_;
  size_t counter_ = 0;
  int regions_ = 0;
};

}  // namespace

std::vector<size_t> order_of(const std::vector<BasicBlock>& blocks) {
  return blocks.empty() ? std::vector<size_t>() : Orderer(blocks).order();
}

}  // namespace hone::ptx
