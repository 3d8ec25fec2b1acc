// The C++ that an author wrote for a rung: its entry in a table of rungs, and the functions that
// the steps of its schedule stand in.
#pragma once

#include "tools/cli/ladder.h"
#include "tools/cli/source/source_text.h"

namespace hone {

/// A function with the comment above it, or a call.
struct SourcePiece {
  std::string file;  ///< as it is from the current folder, where it lies in there
  LineRange lines;
  std::string name;     ///< of the function; empty for a call
  std::string comment;  ///< that a header has of it, where the lines have none
  std::string text;     ///< of the lines
  /// The first step of the schedule that each line calls, from 1 on; 0: none.
  std::vector<int> steps;
};

struct RungSource {
  /// The entry, and below each piece the functions that it leads to, in the order of its text; then
  /// those that no other piece names, in the order of their first steps.
  std::vector<SourcePiece> pieces;
  std::string problem;  ///< the reason that something is missing; empty if nothing is
};

/// Reads the files that the places of the rung and of its steps name: from Ladder::source, else
/// from the disk.
RungSource source_of(const Ladder& ladder, const Rung& rung, const Schedule& schedule);

/// Each piece below a comment that says where it stands. Throws RuntimeError with the problem, and
/// with the name of the rung, where there is no piece.
std::string text_of(const RungSource& source, const std::string& rung);

}  // namespace hone
