// The loops of a kernel, as it is written and as it was compiled.
#pragma once

#include "codegen/cost/size_formula.h"
#include "ir/core/stmt.h"
#include "ir/text/printer.h"
#include "llvm/ADT/MapVector.h"
#include "runtime/nvrtc/ptx.h"

namespace hone {

using LoopNest = llvm::SmallVector<const For*, 6>;  // outermost first

/// The loops around the statements of a body, in the order of the text.
struct SourceLoops {
  llvm::MapVector<const StmtNode*, LoopNest> around;  ///< of each statement
  llvm::MapVector<const For*, SizeFormula> trips;     ///< of each loop

  explicit SourceLoops(const Stmt& body);

  SizeFormula product(llvm::ArrayRef<const For*> loops) const;
};

/// The elements of one access to memory, as written in one run of its statement and as instructions
/// of the PTX.
struct AccessWeight {
  llvm::ArrayRef<const For*> loops;  ///< around the statement
  double elements = 0;
  std::vector<std::pair<size_t, double>> in_blocks;  ///< a block of the PTX, and elements there
};

/// The loops of a kernel in PTX, and those that they were made of.
class CompiledLoops {
 public:
  /// The accesses say how often a loop was unrolled: a loop that was unrolled 4 times holds those
  /// of 4 iterations. Of several loops that were made of one, those that are unrolled less run the
  /// remaining iterations, and have no trips. `ptx` outlives this.
  CompiledLoops(const SourceLoops& source, const StatementLines& lines, const PtxKernel& ptx,
                llvm::ArrayRef<AccessWeight> accesses, const Sizes& sizes);

  /// The number of times that a block runs, and the same as a formula.
  double trips(size_t block) const;
  SizeFormula formula(size_t block) const;
  /// True if a block stands in a loop that was made of this one.
  bool is_inside(size_t block, const For* source) const;
  /// True if any loop was made of this one.
  bool has(const For* source) const;

 private:
  struct Loop {
    const For* source = nullptr;  ///< null: no loop of the body
    double trips = 1;             ///< each time that control comes to it
    SizeFormula formula = 1;      ///< of the trips
  };

  const For* source_of(size_t number, const SourceLoops& source, const StatementLines& lines) const;
  void measure(int parent, const SourceLoops& source, llvm::ArrayRef<AccessWeight> accesses);
  double unrolled(size_t number, const SourceLoops& source,
                  llvm::ArrayRef<AccessWeight> accesses) const;
  double elements_in(const AccessWeight& access, size_t number) const;
  double written_in(const AccessWeight& access, const For* loop, const SourceLoops& source) const;

  const PtxKernel& ptx_;
  const Sizes& sizes_;
  std::vector<Loop> loops_;
};

/// The value of a formula; 1 where it has more in it than sizes.
double value_of(const SizeFormula& formula, const Sizes& sizes);

}  // namespace hone
