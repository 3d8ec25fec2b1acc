// Findings as a user reads them: with the lines of the kernel and of the CUDA text, and the step of
// the schedule, that each access is owed to.
#pragma once

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "llvm/Support/JSON.h"
#include "runtime/sim/finding.h"
#include "tools/cli/provenance.h"

namespace hone {

/// The lines, in the output of `hone show`, of the statements of a program's kernels.
class StatementPlaces {
 public:
  /// `schedule` is what the module is lowered from, null where that is not known; it and the module
  /// outlive this.
  StatementPlaces(const Module& module, const Schedule* schedule);

  /// A line each, of a statement of the kernel of that number:
  ///
  ///   kernel line 23: A.shared[i.1, j.1] = A[i*K + j.1]
  ///   matmul.cu:41: A_shared[i_1][j_1] = A[i * K + j_1];
  ///   step 6: auto A_shared = s.cache_shared(A, k_0);
  std::vector<std::string> of(size_t kernel, const StmtNode* statement) const;

 private:
  /// The texts of all kernels, one below the other; statements by their lines in the whole.
  struct Texts {
    std::vector<std::string> lines;
    std::vector<StatementLines> statements;  ///< per kernel

    void add(LinedText text);
    /// "23: barrier", "23 and 40: barrier"
    std::string place(size_t kernel, const StmtNode* statement) const;
  };

  const Module& module_;
  std::optional<Provenance> provenance_;
  Texts kernel_, cuda_;
};

/// "race on A.shared[3, 17]: ...", the accesses with their places, and how often: lines.
std::string to_string(const Finding& finding, size_t kernel, const StatementPlaces& places);
llvm::json::Value to_json(const Finding& finding, size_t kernel, const StatementPlaces& places);

}  // namespace hone
