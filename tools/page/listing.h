// Texts of a rung, line by line, with the step that each line is owed to, and with new lines
// marked.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "dsl/schedule.h"

namespace hone {

/// Lines of the same step, and lines of the same axis, belong together in all texts of a rung.
struct ListingLine {
  std::string text;     ///< without its end
  char change = ' ';    ///< '+' new, '-' gone, of the text that this one is compared with
  unsigned number = 0;  ///< of the line in its text, from 1 on; 0: none
  unsigned before = 0;  ///< the line of the compared text that it was, from 1 on; 0: none
  /// The step of the schedule that the line is owed to, from 1 on; 0: the definition; -1: nothing.
  int step = -1;
  std::string axis;  ///< whose loop, value or binding the line is; empty: of none
};

using Listing = std::vector<ListingLine>;

/// The definitions as comments, and the calls of the schedule: a step each.
Listing schedule_listing(const Schedule& schedule);
/// The loop nest.
Listing loops_listing(const Schedule& schedule);
/// The CUDA text of the kernels, without the comments that repeat the schedule: those have line
/// numbers all the same. Without a schedule lines are owed to nothing.
Listing cuda_listing(const Schedule* schedule, const Module& module);
/// A text whose lines are owed to nothing.
Listing plain_listing(const std::string& text);

/// `after` with the lines of `before` that are gone, each where it stood.
Listing compared(const Listing& before, Listing after);

/// Removes the lines that are gone where more lines are new than have stayed: side by side, two
/// texts that differ so much say nothing.
void drop_removed_if_new(Listing& listing);

/// True if any line is new or gone.
bool has_changes(const Listing& listing);
/// The lines, each with an end, without those that are gone.
std::string text_of(const Listing& listing);

}  // namespace hone
