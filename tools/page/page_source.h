// The source of a rung as a page shows it: a function once, in the rung that has it first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/cli/source/rung_source.h"
#include "tools/page/listing.h"

namespace hone {

/// A function that an earlier rung of the page shows.
struct ShownFunction {
  std::string name;  ///< of a call: "line 12 of a.cpp"
  std::string rung, anchor;
};

struct PageSource {
  /// Without the strings of the call that states the rung, which the page has already.
  Listing listing;  ///< pieces with their line numbers, below comments that name the files
  std::vector<ShownFunction> shown;
  std::string problem;  ///< the reason that something is missing; empty if nothing is
};

/// Puts the sources of a page's rungs together, in the order of the rungs.
class PageSources {
 public:
  PageSource add(const RungSource& source, const std::string& rung, const std::string& anchor);

 private:
  std::map<std::pair<std::string, unsigned>, ShownFunction> shown_;  ///< by file and first line
};

}  // namespace hone
