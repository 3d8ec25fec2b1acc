#include "ir/traverse/scopes.h"

#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

using Lines = llvm::SmallVector<Stmt, 8>;

void append_lines(const Stmt& stmt, Lines& lines) {
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    for (const Stmt& nested : seq->stmts) append_lines(nested, lines);
    return;
  }
  lines.push_back(stmt);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) append_lines(alloc->body, lines);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) append_lines(let->body, lines);
}

bool is_global(const Stmt& line) {
  const auto* alloc = llvm::dyn_cast<Alloc>(line);
  return alloc && alloc->tensor->scope == Scope::global;
}

/// An alloc or a let with another scope.
Stmt with_scope(const Stmt& line, const Stmt& scope) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(line)) return Alloc::make(alloc->tensor, scope);
  const auto* let = llvm::cast<Let>(line.get());
  return Let::make(let->axis, let->value, scope);
}

/// The lines of a body, apart from global allocs, and where their scopes end.
class Scopes {
 public:
  explicit Scopes(Lines lines) : lines_(std::move(lines)) {
    for (size_t n = 0; n < lines_.size(); ++n) {
      if (llvm::isa<Alloc, Let>(lines_[n])) lines_[n] = with_scope(lines_[n], Seq::make({}));
      note_names(n);
    }
  }

  /// Lines `first` to `end` as one statement.
  Stmt statement(size_t first, size_t end) const {
    Lines stmts;
    while (first < end) {
      const size_t next = end_of_scope(first);
      const bool declares = llvm::isa<Alloc, Let>(lines_[first]);
      stmts.push_back(declares ? with_scope(lines_[first], statement(first + 1, next))
                               : lines_[first]);
      first = next;
    }
    return Seq::make(stmts);
  }

  Stmt all() const { return statement(0, lines_.size()); }

 private:
  void note_names(size_t line) {
    const auto note = [&](uint64_t id) { last_lines_[id] = line; };
    walk(lines_[line], [&](const Stmt& stmt) {
      for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse) { note(tensor->id); });
    });
    walk_exprs(lines_[line], [&](const Expr& part) {
      if (const auto* reference = llvm::dyn_cast<AxisRef>(part)) note(reference->axis->id);
    });
  }

  /// The last line that needs what the line declares, if it does: what nothing needs belongs to the
  /// next one.
  size_t last_line(size_t line) const {
    const auto* alloc = llvm::dyn_cast<Alloc>(lines_[line]);
    const auto* let = llvm::dyn_cast<Let>(lines_[line]);
    if (!alloc && !let) return line;
    const size_t last = last_lines_.lookup(alloc ? alloc->tensor->id : let->axis->id);
    return std::min(std::max(last, line + 1), lines_.size() - 1);
  }

  /// Behind all that needs what the line declares, or what the lines in between do.
  size_t end_of_scope(size_t first) const {
    size_t end = first + 1;
    for (size_t line = first; line < end; ++line) end = std::max(end, last_line(line) + 1);
    return end;
  }

  Lines lines_;
  llvm::DenseMap<uint64_t, size_t> last_lines_;  ///< by the ids of tensors and axes
};

}  // namespace

Lines lines_of(const Stmt& stmt) {
  Lines lines;
  append_lines(stmt, lines);
  return lines;
}

Stmt with_tight_scopes(const Stmt& body) {
  Lines lines = lines_of(body);
  const auto declares = [](const Stmt& line) { return llvm::isa<Alloc, Let>(line); };
  if (llvm::none_of(llvm::ArrayRef<Stmt>(lines).drop_while(is_global), declares)) return body;
  Lines globals;
  llvm::copy_if(lines, std::back_inserter(globals), is_global);
  llvm::erase_if(lines, is_global);
  Stmt result = Scopes(std::move(lines)).all();
  for (const Stmt& alloc : llvm::reverse(globals)) result = with_scope(alloc, result);
  return result;
}

}  // namespace hone
