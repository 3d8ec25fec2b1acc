// The dependences of a function, loop by loop: the iterations that may run at the same time, and
// the reasons that others have to wait. Users read them before they bind a loop.
//
//   for i in 0..N                     i: parallel, every iteration has elements of its own
//     C[i] = 0
//     reduce k in 0..K                k: carries a reduction of C[i], which may be regrouped
//       C[i] += A[i, k]
//
// Nothing is executed. A dependence that is not disproved counts as one that may be there.
#pragma once

#include "ir/analysis/site.h"

namespace hone {

enum class DependenceKind : uint8_t {
  flow,       ///< an iteration reads what an earlier one writes
  anti,       ///< an iteration writes what an earlier one reads
  output,     ///< two iterations write one element
  reduction,  ///< two iterations update one element, by one operator
};

/// "flow", "anti", "output", "reduction"
const char* to_string(DependenceKind kind);

/// Two accesses in different iterations of a loop, of which the first comes first, while all loops
/// around have one iteration.
struct CarriedDependence {
  DependenceKind kind = DependenceKind::flow;
  TensorPtr tensor;
  std::string earlier, later;       ///< the accesses: "C[i]", "C[i - 1]"
  std::optional<int64_t> distance;  ///< iterations between them; nothing where it may be any
  bool is_certain = false;  ///< proved to be there, wherever loops have more iterations than that
};

/// The permission to group the values that iterations of a loop combine into one element anew.
struct Regrouping {
  bool is_allowed = false;
  bool is_exact = false;  ///< the result is the same, bit by bit
  std::string reason;     ///< "sums of i32 wrap around, and come out the same in any order"
};

struct LoopDependences {
  const For* loop = nullptr;  ///< of the function
  unsigned depth = 0;         ///< loops around it
  std::vector<CarriedDependence> carried;
  /// Of a loop that combines values: what is known of each tensor, by its name.
  std::vector<std::pair<std::string, Regrouping>> regroupings;

  bool is_parallel() const { return carried.empty(); }
};

/// One of the statements that the function runs one after the other.
struct NestDependences {
  Stmt nest;
  std::vector<LoopDependences> loops;                    ///< in the order of the text
  llvm::SmallVector<std::string, 2> writes, only_reads;  ///< tensors
  /// Tensors of `only_reads` that a nest before writes.
  llvm::SmallVector<std::string, 2> waits_for;
};

/// The function outlives the result.
std::vector<NestDependences> dependences_of(const Function& function);

/// All of it as lines, for people: each nest, a line or more for each of its loops, and in words
/// the loops that may run at the same time.
std::string to_string(llvm::ArrayRef<NestDependences> nests);

}  // namespace hone
