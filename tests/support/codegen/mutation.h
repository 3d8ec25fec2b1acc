// Rewrites that make one mistake in a kernel.
#pragma once

#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"
#include "tests/support/codegen/mutants.h"

namespace hone {

/// Makes one change: that of the place with a number, in the order of the text.
class Mutation : public Rewriter {
 public:
  explicit Mutation(size_t number) : number_(number) {}

  bool is_done() const { return is_done_; }
  const std::string& mistake() const { return mistake_; }
  const Stmt& place() const { return place_; }

 protected:
  /// True if this is the place to change.
  bool is_here() { return places_++ == number_; }
  void describe(std::string mistake, const Stmt& place = {}) {
    is_done_ = true;
    mistake_ = std::move(mistake);
    place_ = place;
  }

 private:
  size_t number_, places_ = 0;
  bool is_done_ = false;
  std::string mistake_;
  Stmt place_;
};

inline std::string head(const Stmt& stmt) {
  return llvm::StringRef(to_string(stmt)).split('\n').first.rtrim(" {").str();
}

inline Stmt nothing() { return Seq::make({}); }

/// One mutant for each place.
template <class Kind, class... Options>
void append_mutants(std::vector<Mutant>& mutants, const KernelFunction& kernel,
                    Options... options) {
  for (size_t number = 0;; ++number) {
    Kind mutation(number, options...);
    KernelFunction changed = kernel;
    changed.body = mutation.rewrite(kernel.body);
    if (!mutation.is_done()) return;
    mutants.push_back({mutation.mistake(), std::move(changed), mutation.place()});
  }
}

}  // namespace hone
