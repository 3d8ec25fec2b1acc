// Findings about a run of a kernel, as data: what, where, and who.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace hone {

/// Numbers along x, y and z: "(1, 0, 0)".
std::string triple(const std::array<int64_t, 3>& xyz);

enum class FindingKind : uint8_t {
  race,             ///< two threads, one writes, and nothing orders them
  same_value_race,  ///< the same, but both write what the other one does
  uninitialised_read,
  unfinished_copy,     ///< elements are used while an asynchronous copy of them goes on
  unfinished_store,    ///< a tile is written, or left, while the copy engine stores it; or elements
                       ///< are used that it writes
  unfinished_product,  ///< a tile is written, or left, while tensor cores multiply it; or sums are
                       ///< used that they add to
  missing_fence,       ///< the copy engine does not see what it stores
  ended_block,         ///< a block ends while others of its cluster use its memory
  out_of_bounds,
  misaligned_access,
  divergent_barrier,  ///< not all threads of a block reach it
  divergent_shuffle,  ///< not the lanes of a warp that it names, or others, take part in it
  missing_arrival,    ///< a counter of blocks is not 0 in the end
  invalid_operation,  ///< a division by zero
  index_overflow,     ///< index arithmetic leaves the bits that C computes it in
  run_away_loop,      ///< the block runs out of steps
  deadlock,           ///< warps wait for each other, or for some that never come
  unneeded_barrier,   ///< a hint: without it nothing is found
};

/// "race", "same-value race", "uninitialised read"...
const char* to_string(FindingKind kind);
/// True if a kernel with such a finding may still compute what it should.
bool is_hint(FindingKind kind);

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
