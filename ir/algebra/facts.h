// Facts at the place of an expression: the ranges of the axes around it and the guards that hold.
// Params are not negative everywhere.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "ir/core/stmt.h"

namespace hone {

class Facts {
 public:
  /// Inside a loop: 0 <= axis < extent, and so extent >= 1. The latest statement about an axis
  /// counts.
  void add_axis(const AxisPtr& axis, const Expr& extent) { add(axis, extent, {}); }
  /// Inside a let: axis == value. A value that reads a tensor says nothing: stores may change it.
  void define(const AxisPtr& axis, const Expr& value);
  /// A condition that holds; a conjunction counts as its parts. A part that reads a tensor is not
  /// kept, since a store may end it.
  void assume(const Expr& condition);

  /// The extent of an axis; undefined when nothing is known about it.
  Expr extent(const AxisNode* axis) const;
  /// The extent, and the value that a let gives; undefined where there is none.
  std::pair<Expr, Expr> extent_and_value(const AxisNode* axis) const;
  /// The value of an axis that a let defines; undefined for any other.
  Expr value(const AxisNode* axis) const;
  llvm::ArrayRef<Expr> conditions() const { return conditions_; }

  /// Findings about a condition: about that alone, and kept as long as it.
  struct Note {
    std::optional<size_t> hash;
    std::optional<uint64_t> variables;
    bool is_about_axes_around = false;  ///< it mentions none that became known later
    std::array<std::optional<bool>, 4> holds_at_origin;
  };
  Note& note_of_condition(size_t n) const { return notes_[n]; }

  /// Findings about a quotient over params alone, wherever it stands: extents of loops that were
  /// split are such quotients, of one another. Null where none are noted.
  struct QuotientNote {
    Expr quotient;                                     ///< which lives as long as the note
    std::optional<std::pair<int64_t, int64_t>> range;  ///< of ir/algebra/interval.h
    std::array<std::optional<std::optional<int64_t>>, 4> at_size;
  };
  QuotientNote* note_of_quotient(const Binary& quotient) const {
    const auto found = quotients_.notes.find(&quotient);
    return found == quotients_.notes.end() ? nullptr : &found->second;
  }
  QuotientNote& add_note_of_quotient(const Binary& quotient) const {
    QuotientNote& note = quotients_.notes[&quotient];
    note.quotient = Expr(&quotient);
    return note;
  }

  /// True if `holds` is true of the extent of every axis. The answer is kept for each axis, as long
  /// as the axis is known: all calls have to pass the same `holds`.
  bool all_extents(llvm::function_ref<bool(const Expr&)> holds) const;

  /// The extents of all axes, outermost first.
  llvm::SmallVector<Expr, 8> extents() const;
  /// The number of conditions that were known before the axis was; all of them if it is not known.
  size_t conditions_around(const AxisNode* axis) const;

  /// `rewind` forgets the facts added since `mark`: facts follow the nesting of the text.
  struct Mark {
    size_t axes, conditions;
    uint64_t fingerprint;
  };
  Mark mark() const { return {axes_.size(), conditions_.size(), fingerprint_}; }
  void rewind(Mark mark);

  /// A number that the same facts have in any order: facts about the same nodes, as long as these
  /// exist.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Known {
    AxisPtr axis;
    Expr extent, value;  ///< at most one of them
    size_t conditions;   ///< the number known before
    mutable std::optional<bool> holds = {};
  };
  /// A copy of the facts starts without any.
  struct QuotientNotes {
    QuotientNotes() = default;
    QuotientNotes(const QuotientNotes& /*other*/) {}
    QuotientNotes& operator=(const QuotientNotes& /*other*/) { return *this; }
    std::map<const Binary*, QuotientNote> notes;
  };
  const Known* find(const AxisNode* axis) const;
  void add(const AxisPtr& axis, const Expr& extent, const Expr& value);
  void assume_one(const Expr& condition);

  llvm::SmallVector<Known, 8> axes_;
  llvm::SmallVector<Expr, 4> conditions_;
  mutable llvm::SmallVector<Note, 4> notes_;
  mutable QuotientNotes quotients_;
  uint64_t fingerprint_ = 0;
};

/// Calls `use` on `stmt` and every statement in it, outermost first, with the facts around it.
/// The facts are as before afterwards.
void walk_with_facts(const Stmt& stmt, Facts& facts,
                     llvm::function_ref<void(const Stmt&, const Facts&)> use);

/// The facts about the params that assumptions state.
Facts facts_of(llvm::ArrayRef<Expr> assumptions);

/// The comparison that is true exactly where `op` is false, over a totally ordered type.
BinaryOp opposite(BinaryOp op);

/// The condition that holds where `condition` does not; undefined where no operator says it.
Expr negated(const Expr& condition);

/// True if the value depends on the elements of a tensor.
bool reads_tensor(const Expr& expr);

}  // namespace hone
