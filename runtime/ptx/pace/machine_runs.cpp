#include "runtime/ptx/pace/machine_runs.h"

#include <algorithm>
#include <limits>

namespace hone::ptx {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Of each the smaller one of the most that is before it and the most that is behind it, at most
/// `limit`.
void take_neighbours(llvm::ArrayRef<double> of_source, double limit,
                     llvm::MutableArrayRef<double> runs) {
  double before = 0, behind = 0;
  for (size_t n = 0; n < runs.size(); ++n) runs[n] = before = std::max(before, of_source[n]);
  for (size_t n = runs.size(); n-- > 0;) {
    behind = std::max(behind, of_source[n]);
    runs[n] = std::min({runs[n], behind, limit});
  }
}

std::vector<bool> targets_of(llvm::ArrayRef<MachineSource> code) {
  std::vector<bool> is_target(code.size() + 1);
  for (const MachineSource& one : code)
    if (one.machine.target >= 0) is_target[one.machine.target] = true;
  return is_target;
}

}  // namespace

std::vector<double> runs_of_machine(llvm::ArrayRef<MachineSource> code,
                                    llvm::ArrayRef<double> of_source,
                                    const std::vector<bool>& is_sure) {
  std::vector<double> all(code.size());
  const std::vector<bool> is_target = targets_of(code);
  const std::vector<size_t> firsts = blocks_of(code);
  double before = unlimited;  // of the block before, if a warp goes on from there
  for (size_t b = 0; b + 1 < firsts.size(); ++b) {
    const size_t first = firsts[b], last = firsts[b + 1] - 1;
    const auto runs = llvm::MutableArrayRef(all).slice(first, last + 1 - first);
    if (code[last].machine.is_jump && is_sure[last] && of_source[last] > 0)
      std::fill(runs.begin(), runs.end(), of_source[last]);
    else
      take_neighbours(of_source.slice(first, runs.size()), is_target[first] ? unlimited : before,
                      runs);
    before = code[last].machine.goes_on ? *std::max_element(runs.begin(), runs.end()) : unlimited;
  }
  return all;
}

}  // namespace hone::ptx
