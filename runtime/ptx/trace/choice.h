// The threads and the lines of a launch that a user may choose.
#pragma once

#include <set>

#include "llvm/ADT/DenseSet.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/trace/trace.h"

namespace hone::ptx {

/// The number of the thread in its block. Throws RuntimeError where the launch has no such thread.
int64_t number_of_thread(const ThreadChoice& choice, const LaunchShape& shape);

/// The instructions of functions that come from a line, also by way of functions that are inlined
/// there.
class LinesOfText {
 public:
  /// Throws RuntimeError where the kernel has no code of that line.
  LinesOfText(const Run& run, const LineChoice& choice);
  bool has(const Code& code, uint32_t instruction) const {
    return chosen_.contains({code.function, instruction});
  }
  const std::string& file() const { return file_; }

 private:
  void find(const Run& run, const Function& function, const LineChoice& choice,
            std::set<int>& known);

  std::string file_;
  llvm::DenseSet<std::pair<const Function*, uint32_t>> chosen_;
};

}  // namespace hone::ptx
