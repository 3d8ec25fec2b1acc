#include "tools/cli/profile/compiled_loops.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Notes loops with the values of the axes around them put in.
class Collector {
 public:
  explicit Collector(SourceLoops& loops) : loops_(loops) {}

  void collect(const Stmt& stmt) {
    loops_.around[stmt.get()] = nest_;
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const bool is_let = llvm::isa<Let>(stmt);
    if (loop) loops_.trips.insert({loop, SizeFormula::of(resolved(loop->extent))});
    if (loop) nest_.push_back(loop);
    if (is_let) lets_.push_back(stmt);
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { collect(nested); });
    if (is_let) lets_.pop_back();
    if (loop) nest_.pop_back();
  }

 private:
  Expr resolved(const Expr& expr) const { return without_lets(expr, lets_); }

  SourceLoops& loops_;
  LoopNest nest_;
  llvm::SmallVector<Stmt, 6> lets_;
};

}  // namespace

double value_of(const SizeFormula& formula, const Sizes& sizes) {
  try {
    return formula.at(sizes);
  } catch (const std::invalid_argument&) {
    return 1;
  }
}

SourceLoops::SourceLoops(const Stmt& body) { Collector(*this).collect(body); }

SizeFormula SourceLoops::product(llvm::ArrayRef<const For*> loops) const {
  SizeFormula all = 1;
  for (const For* loop : loops) all *= trips.find(loop)->second;
  return all;
}

CompiledLoops::CompiledLoops(const SourceLoops& source, const StatementLines& lines,
                             const PtxKernel& ptx, llvm::ArrayRef<AccessWeight> accesses,
                             const Sizes& sizes)
    : ptx_(ptx), sizes_(sizes), loops_(ptx.loops.size()) {
  for (size_t number = 0; number < loops_.size(); ++number)
    loops_[number].source = source_of(number, source, lines);
  measure(-1, source, accesses);
}

/// The loop on whose line a loop of the PTX branches back, or the one around the statement there.
/// None for a wait, which goes round until a phase has ended: it counts once.
const For* CompiledLoops::source_of(size_t number, const SourceLoops& source,
                                    const StatementLines& lines) const {
  const unsigned line = ptx_.loops[number].line;
  const auto stands_there = [&](const StmtNode* stmt) {
    const auto found = lines.find(stmt);
    return found != lines.end() && llvm::is_contained(found->second, line);
  };
  for (const auto& [loop, trips] : source.trips)
    if (stands_there(loop)) return loop;
  const size_t header = ptx_.loops[number].header;
  for (const auto& [stmt, nest] : source.around)
    if (stands_there(stmt) && !is_wait_for_phase(Stmt(stmt)))
      for (const For* loop : llvm::reverse(nest))
        if (!is_inside(header, loop)) return loop;
  return nullptr;
}

/// Finds the trips of the loops directly in `parent`, after those of the loops inside them.
void CompiledLoops::measure(int parent, const SourceLoops& source,
                            llvm::ArrayRef<AccessWeight> accesses) {
  std::map<const For*, double> most;  // times that a loop was unrolled
  std::vector<std::pair<size_t, double>> found;
  for (size_t number = 0; number < loops_.size(); ++number) {
    if (ptx_.loops[number].parent != parent) continue;
    measure(static_cast<int>(number), source, accesses);
    if (!loops_[number].source) continue;
    found.emplace_back(number, unrolled(number, source, accesses));
    double& times = most[loops_[number].source];
    times = std::max(times, found.back().second);
  }
  for (const auto& [number, times] : found) {
    Loop& loop = loops_[number];
    const SizeFormula part = SizeFormula::fraction(1, static_cast<int64_t>(times));
    loop.formula = times < most[loop.source] ? 0 : source.trips.find(loop.source)->second * part;
    loop.trips = value_of(loop.formula, sizes_);
  }
}

/// As often as the access that says most.
double CompiledLoops::unrolled(size_t number, const SourceLoops& source,
                               llvm::ArrayRef<AccessWeight> accesses) const {
  const For* loop = loops_[number].source;
  double most = 1;
  for (const AccessWeight& access : accesses)
    if (llvm::is_contained(access.loops, loop))
      most = std::max(most, elements_in(access, number) / written_in(access, loop, source));
  return std::round(most);
}

/// Elements in one trip of a loop of the PTX.
double CompiledLoops::elements_in(const AccessWeight& access, size_t number) const {
  double all = 0;
  for (const auto& [block, elements] : access.in_blocks) {
    double times = elements;
    int inner = ptx_.loop_of(block);
    for (; inner >= 0 && inner != static_cast<int>(number); inner = ptx_.loops[inner].parent)
      times *= loops_[inner].trips;
    if (inner >= 0) all += times;
  }
  return all;
}

/// Elements in one iteration of a loop as written.
double CompiledLoops::written_in(const AccessWeight& access, const For* loop,
                                 const SourceLoops& source) const {
  const auto* inner = std::next(llvm::find(access.loops, loop));
  const SizeFormula times = source.product({inner, access.loops.end()});
  return std::max(access.elements * value_of(times, sizes_), 1e-9);
}

double CompiledLoops::trips(size_t block) const {
  double all = 1;
  for (int loop = ptx_.loop_of(block); loop >= 0; loop = ptx_.loops[loop].parent)
    all *= loops_[loop].trips;
  return all;
}

SizeFormula CompiledLoops::formula(size_t block) const {
  SizeFormula all = 1;
  for (int loop = ptx_.loop_of(block); loop >= 0; loop = ptx_.loops[loop].parent)
    all *= loops_[loop].formula;
  return all;
}

bool CompiledLoops::is_inside(size_t block, const For* source) const {
  for (int loop = ptx_.loop_of(block); loop >= 0; loop = ptx_.loops[loop].parent)
    if (loops_[loop].source == source) return true;
  return false;
}

bool CompiledLoops::has(const For* source) const {
  return llvm::any_of(loops_, [&](const Loop& loop) { return loop.source == source; });
}

}  // namespace hone
