// Findings about a run of a kernel, as data: what, where, and who.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "runtime/sim/finding_kind.h"

namespace hone {

/// Numbers along x, y and z: "(1, 0, 0)".
std::string triple(const std::array<int64_t, 3>& xyz);

/// One of the (up to two) accesses of a finding.
struct FindingSite {
  Stmt statement;      ///< of the kernel's body
  std::string access;  ///< as it stands there: "A.shared[k, j]", "i*j"; empty for a barrier
  std::string verb;    ///< "reads", "writes", "updates", "computes"; empty for a barrier
  std::array<int64_t, 3> block{}, thread{};
};

struct Finding {
  FindingKind kind = FindingKind::race;
  TensorPtr tensor;     ///< null where none is involved
  std::string element;  ///< its index: "[3, 17]"
  llvm::SmallVector<FindingSite, 2> sites;
  std::string detail;  ///< the numbers of the case, one line
  int64_t count = 1;   ///< equal findings, of which this is the first
  /// Orders findings: the number of the block, and how many others of the block came before.
  int64_t block = 0, order = 0;
};

/// The same kind at the same statements: such findings count as one.
bool alike(const Finding& lhs, const Finding& rhs);

/// "race on A.shared[3, 17]: ...", the sites, and how often: several lines, without a newline at
/// the end. Statements are shown by their first line.
std::string to_string(const Finding& finding);

/// Equal findings folded, in the order of their blocks.
class Findings {
 public:
  void add(Finding finding);
  void add(const Findings& others);
  std::vector<Finding> sorted() const;
  bool empty() const { return findings_.empty(); }

 private:
  llvm::SmallVector<Finding, 0> findings_;
};

}  // namespace hone
