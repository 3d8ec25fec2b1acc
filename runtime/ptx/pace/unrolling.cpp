#include "runtime/ptx/pace/unrolling.h"

#include <algorithm>
#include <map>

#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

/// The instructions that a block has of a step.
struct MadeCode {
  int all = 0, accesses = 0, specials = 0;
};

/// The most frequent one that is not 0, of several the largest; 0 where there is none.
int most_frequent(llvm::ArrayRef<int> counts) {
  std::map<int, int> times;
  for (const int count : counts)
    if (count > 0) ++times[count];
  const auto found =
      std::max_element(times.begin(), times.end(), [](const auto& lhs, const auto& rhs) {
        return std::pair(lhs.second, lhs.first) < std::pair(rhs.second, rhs.first);
      });
  return found == times.end() ? 0 : found->first;
}

/// Signs that copies are counted by, the surest first: products of floats stay single ones,
/// accesses at least do not become more, a root has one special instruction, and most integers stay
/// single, too.
enum class Sign : uint8_t { product, access, special, integer };

int count_of(const Step& step, const MadeCode& code, Sign sign) {
  switch (sign) {
    case Sign::product:
      return step.is_float_operation() ? code.all : 0;
    case Sign::access:
      return code.accesses;
    case Sign::special:
      return step.pipe == Pipe::special ? code.specials : 0;
    case Sign::integer:
      return step.is_single ? code.all : 0;
  }
  llvm_unreachable("unknown sign");
}

/// Of the steps of a stretch in one block; 0 where there is nothing of the kind.
int copies_of(llvm::ArrayRef<Step> steps, llvm::ArrayRef<MadeCode> made, Sign sign) {
  std::vector<int> counts;
  for (const auto& [step, code] : llvm::zip(steps, made))
    if (const int count = count_of(step, code, sign); count > 0) counts.push_back(count);
  if (counts.empty()) return 0;
  return sign == Sign::integer ? most_frequent(counts)
                               : *std::min_element(counts.begin(), counts.end());
}

/// The code of blocks that comes from stretches.
class CopyFinder {
 public:
  CopyFinder(llvm::ArrayRef<Step> steps, llvm::ArrayRef<SourceStretch> stretches,
             llvm::ArrayRef<MachineSource> code)
      : steps_(steps),
        stretches_(stretches),
        code_(code),
        stretch_of_(steps.size()),
        block_of_(code.size()),
        jumps_(steps.size()),
        blocks_with_most_(steps.size()),
        is_rare_(code.size()),
        most_(stretches.size()) {
    for (size_t s = 0; s < stretches.size(); ++s)
      std::fill_n(stretch_of_.begin() + static_cast<int64_t>(stretches[s].first),
                  stretches[s].end - stretches[s].first, s);
    const std::vector<size_t> firsts = blocks_of(code);
    for (size_t b = 0; b + 1 < firsts.size(); ++b)
      std::fill_n(block_of_.begin() + static_cast<int64_t>(firsts[b]), firsts[b + 1] - firsts[b],
                  b);
    find_rare(firsts);
    for (size_t n = 0; n < code.size(); ++n)
      if (code[n].step >= 0 && !is_rare_[n]) add(n);
    for (const Sign sign : {Sign::product, Sign::access, Sign::special, Sign::integer}) count(sign);
    for (auto& [place, own] : made_) find_most(place.first, own);
  }

  Copies find() const {
    Copies copies = {std::vector<int>(steps_.size(), 1), std::vector<double>(code_.size()),
                     std::vector<bool>(code_.size())};
    for (size_t n = 0; n < steps_.size(); ++n)
      copies.of_step[n] = std::max(most_[stretch_of_[n]], 1);
    const std::vector<int> blocks = main_blocks();
    for (size_t n = 0; n < code_.size(); ++n) {
      if (code_[n].step < 0 || is_rare_[n]) continue;
      const auto step = static_cast<size_t>(code_[n].step);
      const size_t stretch = stretch_of_[step];
      const bool has_most = made_.at({stretch, block_of_[n]}).copies == most_[stretch];
      if (has_most || blocks_with_most_[step] == 0)
        copies.share[n] = 1.0 / (copies.of_step[step] * blocks[stretch]);
      copies.is_sure[n] = jumps_[step] == 1 || (has_most && blocks[stretch] == 1);
    }
    return copies;
  }

 private:
  /// The blocks of a loop that have as many copies each; of one that is only split, 1.
  std::vector<int> main_blocks() const {
    std::vector<int> blocks(stretches_.size(), 1);
    for (size_t s = 0; s < stretches_.size(); ++s) {
      if (!stretches_[s].is_in_loop) continue;
      std::vector<int> counts;
      for (size_t n = stretches_[s].first; n < stretches_[s].end; ++n)
        if (steps_[n].is_single || steps_[n].is_float_operation())
          counts.push_back(blocks_with_most_[n]);
      blocks[s] = std::max(most_frequent(counts), 1);
    }
    return blocks;
  }

  /// Of a stretch, by step, in one block.
  struct Own {
    std::vector<MadeCode> made;
    int copies = 0;
  };

  /// Quotients and roots call code of their own for numbers that are very small or very large: that
  /// hardly ever runs, nor does the block that calls it.
  void find_rare(llvm::ArrayRef<size_t> firsts) {
    for (size_t n = 0; n < code_.size(); ++n) {
      const MachineInstruction& call = code_[n].machine;
      const bool is_of_call = code_[n].step < 0 || steps_[code_[n].step].kind == Step::Kind::jump;
      if (!call.is_call || call.target < 0 || is_of_call) continue;
      for (size_t m = firsts[block_of_[n]]; m <= n; ++m) is_rare_[m] = true;
      for (auto m = static_cast<size_t>(call.target); m < code_.size(); ++m) {
        is_rare_[m] = true;
        const MachineInstruction& last = code_[m].machine;
        if (last.is_jump && !last.goes_on && last.target < 0) break;
      }
    }
  }

  void add(size_t n) {
    const auto step = static_cast<size_t>(code_[n].step);
    const size_t stretch = stretch_of_[step];
    std::vector<MadeCode>& made = made_[{stretch, block_of_[n]}].made;
    made.resize(stretches_[stretch].end - stretches_[stretch].first);
    MadeCode& own = made[step - stretches_[stretch].first];
    ++own.all;
    own.accesses += code_[n].machine.is_access ? 1 : 0;
    own.specials += code_[n].machine.is_special ? 1 : 0;
    jumps_[step] += code_[n].machine.is_jump ? 1 : 0;
  }

  /// For those stretches that no surer sign says it of.
  void count(Sign sign) {
    const std::vector<int> known = most_;
    for (auto& [place, own] : made_) {
      const SourceStretch& source = stretches_[place.first];
      if (known[place.first] > 0) continue;
      own.copies =
          source.is_in_loop
              ? copies_of(steps_.slice(source.first, source.end - source.first), own.made, sign)
              : 1;
      most_[place.first] = std::max(most_[place.first], own.copies);
    }
  }

  void find_most(size_t stretch, const Own& own) {
    if (own.copies < most_[stretch]) return;
    for (size_t n = 0; n < own.made.size(); ++n)
      if (own.made[n].all > 0) ++blocks_with_most_[stretches_[stretch].first + n];
  }

  llvm::ArrayRef<Step> steps_;
  llvm::ArrayRef<SourceStretch> stretches_;
  llvm::ArrayRef<MachineSource> code_;
  std::vector<size_t> stretch_of_, block_of_;      ///< by step; by instruction
  std::map<std::pair<size_t, size_t>, Own> made_;  ///< by stretch and block
  std::vector<int> jumps_, blocks_with_most_;      ///< by step
  std::vector<bool> is_rare_;                      ///< by instruction
  std::vector<int> most_;                          ///< copies that a block has, by stretch
};

}  // namespace

std::vector<size_t> blocks_of(llvm::ArrayRef<MachineSource> code) {
  std::vector<size_t> firsts = {0, code.size()};
  for (size_t n = 0; n < code.size(); ++n) {
    if (code[n].machine.is_jump) firsts.push_back(n + 1);
    if (code[n].machine.target >= 0) firsts.push_back(static_cast<size_t>(code[n].machine.target));
  }
  llvm::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  return firsts;
}

Copies find_copies(llvm::ArrayRef<Step> steps, llvm::ArrayRef<SourceStretch> stretches,
                   llvm::ArrayRef<MachineSource> code) {
  return CopyFinder(steps, stretches, code).find();
}

}  // namespace hone::ptx
