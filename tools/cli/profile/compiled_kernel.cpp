#include "tools/cli/profile/compiled_kernel.h"

#include <algorithm>
#include <cmath>

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "codegen/shared_memory.h"
#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/text/parser.h"
#include "runtime/sim/count/scale.h"
#include "tools/cli/profile/ptx_loops.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

/// Nearly all counts as all: at edges of tiles the compiler reads once what is written twice.
constexpr double nearly = 0.98;

/// Elements that lanes ask for.
double elements_in(const MemoryCounts& counts, const TensorNode& tensor) {
  return static_cast<double>(counts.lane_bytes()) / static_cast<double>(size_of(tensor.type));
}

// ---- Accesses of the text, and those of PTX -----------------------------------------------------

/// The counted accesses of one statement to one tensor.
struct AccessGroup {
  CompiledAccess access;
  LoopNest loops;                        ///< around the statement
  llvm::SmallVector<unsigned, 1> lines;  ///< of the CUDA text
  int64_t left_bytes = 0;                ///< that lanes ask for in machine code
};

/// Bytes of lanes that machine code has, also where they are part of a wider access of another
/// statement.
int64_t left_bytes(const ptx::AccessCounts& compiled) {
  if (compiled.is_dropped) return 0;
  return compiled.in_ptx.bytes > 0 ? compiled.in_ptx.bytes : compiled.counts.lane_bytes();
}

class AccessGroups {
 public:
  AccessGroups(const KernelFunction& kernel, const CountReport& written, const SourceLoops& source,
               const StatementLines& lines)
      : names_(kernel, cuda_symbol(kernel), ""), has_arena_(shared_memory(kernel).is_arena) {
    for (const AccessReport& report : written.accesses) {
      auto group =
          llvm::find_if(groups_, [&](const auto& known) { return known.access.is_of(report); });
      if (group == groups_.end())
        group = groups_.insert(groups_.end(), group_for(report, source, lines));
      group->access.as_written += report.counts;
    }
  }

  /// Adds what PTX has to the group that stands nearest.
  void add(const ptx::AccessCounts& compiled) {
    AccessGroup* nearest = nullptr;
    for (AccessGroup& group : groups_)
      if (may_be_of(compiled, group.access) &&
          (!nearest || distance(group, compiled) < distance(*nearest, compiled)))
        nearest = &group;
    if (!nearest) return;
    nearest->access.counts += compiled.counts;
    nearest->left_bytes += left_bytes(compiled);
  }

  std::vector<AccessGroup>& all() { return groups_; }

 private:
  static AccessGroup group_for(const AccessReport& report, const SourceLoops& source,
                               const StatementLines& lines) {
    AccessGroup group;
    group.access.statement = report.statement;
    group.access.tensor = report.tensor;
    group.access.access_class = report.access_class;
    group.access.written_width = std::max(1, static_cast<int>(report.elements()));
    group.loops = source.around.lookup(report.statement.get());
    group.lines = lines.lookup(report.statement.get());
    if (!group.lines.empty()) group.access.line = group.lines[0];
    return group;
  }

  bool may_be_of(const ptx::AccessCounts& compiled, const CompiledAccess& access) const {
    if (compiled.access_class != access.access_class) return false;
    if (access.tensor->scope == Scope::global)
      return compiled.array.empty() || compiled.array == access.tensor->name;
    return has_arena_ || compiled.array.empty() || compiled.array == names_.of(*access.tensor);
  }

  static unsigned distance(const AccessGroup& group, const ptx::AccessCounts& compiled) {
    const auto line = static_cast<unsigned>(compiled.line_of_kernel);
    unsigned least = ~0u;
    for (const unsigned one : group.lines)
      least = std::min(least, std::max(one, line) - std::min(one, line));
    return least;
  }

  Identifiers names_;
  bool has_arena_;  ///< shared tensors are parts of one array
  std::vector<AccessGroup> groups_;
};

// ---- Fates --------------------------------------------------------------------------------------

AccessKind kind_of(AccessClass access_class) {
  switch (access_class) {
    case AccessClass::global_load:
    case AccessClass::shared_load:
      return AccessKind::load;
    case AccessClass::global_store:
    case AccessClass::shared_store:
      return AccessKind::store;
    case AccessClass::global_atomic:
    case AccessClass::shared_atomic:
      return AccessKind::atomic;
  }
  llvm_unreachable("unknown class of accesses");
}

/// Elements of a thread, as written.
SizeFormula written_per_thread(const CompiledAccess& access, const StaticFacts& facts) {
  SizeFormula all;
  for (const StatementAccess& one : facts.accesses)
    if (one.statement == access.statement.get() && one.tensor->id == access.tensor->id &&
        one.kind == kind_of(access.access_class))
      all += one.per_thread;
  return all;
}

/// The outermost loop that PTX still has, and that the access stands in no more: it is made once
/// for all trips, also those of the loops inside.
const For* left_loop(const AccessGroup& group, const PtxLoops& loops, const StatementLines& lines,
                     const SourceLoops& source, const Sizes& sizes) {
  double trips = 1;
  const For* left = nullptr;
  for (const For* loop : llvm::reverse(group.loops)) {
    if (!loops.have(lines.lookup(loop))) continue;
    trips *= value_of(source.trips.find(loop)->second, sizes);
    if (trips > 1 && group.access.left * trips * nearly <= group.access.written) left = loop;
  }
  return left;
}

/// The part of a formula's elements that is left.
SizeFormula part_left(const CompiledAccess& access, const For* loop, const SourceLoops& source) {
  if (access.left == 0) return 0;
  if (access.left >= nearly * access.written) return 1;
  if (loop) return SizeFormula(1) / source.trips.find(loop)->second;
  constexpr double parts = 1000;
  const double times = access.written / access.left;
  if (std::abs(times - std::round(times)) < 1 - nearly)
    return SizeFormula::fraction(1, std::llround(times));
  return SizeFormula::fraction(std::llround(parts / times), static_cast<int64_t>(parts));
}

/// The access is one of the box, and none by which the thread says where the box is.
bool is_by_engine(const CompiledAccess& access) {
  const auto move = box_move(Stmt(access.statement));
  return move && (access.tensor->id == move->tile.tensor->id ||
                  access.tensor->id == move->memory.tensor->id);
}

Fate fate_of(const CompiledAccess& access) {
  if (is_by_engine(access)) return Fate::by_engine;
  if (access.left == 0) return Fate::in_register;
  if (!access.loop.empty()) return Fate::moved;
  return access.left < nearly * access.written ? Fate::reused : Fate::kept;
}

std::string fate_text(const CompiledAccess& access) {
  switch (access.fate) {
    case Fate::kept:
      return "kept";
    case Fate::moved:
      return fmt::format("moved out of the loop {}", access.loop);
    case Fate::reused:
      return fmt::format("one of {:.3g} is left, the others are in registers",
                         access.written / access.left);
    case Fate::in_register:
      return "kept in a register";
    case Fate::by_engine:
      return "left to the copy engine";
  }
  llvm_unreachable("unknown fate");
}

SizeFormula statements_of(const CountReport& written, const SourceLoops& source) {
  SizeFormula all;
  for (const Stmt& stmt : written.run_statements)
    all += source.product(source.around.lookup(stmt.get()));
  return all;
}

}  // namespace

const char* name(Fate fate) {
  constexpr const char* names[] = {"kept", "moved", "reused", "in_register", "by_engine"};
  return names[static_cast<int>(fate)];
}

bool CompiledAccess::is_of(const AccessReport& report) const {
  return statement.get() == report.statement.get() && tensor->id == report.tensor->id &&
         access_class == report.access_class;
}

double CompiledAccess::width() const {
  if (counts.requests == 0 || as_written.requests == 0) return 0;
  const double now = static_cast<double>(counts.lane_bytes()) / counts.requests,
               before = static_cast<double>(as_written.lane_bytes()) / as_written.requests;
  return before == 0 ? 0 : now / before * written_width;
}

const CompiledAccess* CompiledKernel::of(const AccessReport& report) const {
  const auto found =
      llvm::find_if(accesses, [&](const CompiledAccess& access) { return access.is_of(report); });
  return found == accesses.end() ? nullptr : &*found;
}

SizeFormula CompiledKernel::per_thread(AccessClass access_class) const {
  SizeFormula all;
  for (const CompiledAccess& access : accesses)
    if (access.access_class == access_class) all += access.per_thread;
  return all;
}

CompiledKernel read_compiled(const KernelFunction& kernel, const CountReport& written,
                             const StaticFacts& facts, const std::string& ptx,
                             ptx::LaunchCounts counts, const Sizes& sizes) {
  const SourceLoops source(kernel.body);
  const StatementLines lines = emit_cuda_with_lines(kernel).lines;
  const PtxLoops loops(ptx::parse(ptx), cuda_symbol(kernel));
  AccessGroups groups(kernel, written, source, lines);
  for (const ptx::AccessCounts& access : counts.accesses) groups.add(access);
  CompiledKernel result;
  for (AccessGroup& group : groups.all()) {
    CompiledAccess& access = group.access;
    access.written = elements_in(access.as_written, *access.tensor);
    access.left =
        static_cast<double>(group.left_bytes) / static_cast<double>(size_of(access.tensor->type));
    const For* const loop =
        access.left == 0 ? nullptr : left_loop(group, loops, lines, source, sizes);
    if (loop) access.loop = loop->axis->name;
    access.fate = fate_of(access);
    access.per_thread = written_per_thread(access, facts) * part_left(access, loop, source);
    result.accesses.push_back(std::move(access));
  }
  result.statements = statements_of(written, source);
  result.bytes_in_flight = loops.bytes_in_flight();
  result.local_accesses =
      static_cast<double>(32 * counts.local_requests) / static_cast<double>(written.threads());
  result.counts = std::move(counts);
  return result;
}

MemoryCounts part_of(const CompiledAccess& access, const AccessReport& report) {
  if (access.as_written.bytes == report.counts.bytes) return access.counts;
  return Scale(report.counts.bytes, access.as_written.bytes)(access.counts);
}

std::string to_string(const CompiledAccess& access) {
  const std::string text = fate_text(access);
  if (!access.is_merged()) return text;
  return fmt::format("{}, merged: {:.2g} in one", text, access.width() / access.written_width);
}

}  // namespace hone
