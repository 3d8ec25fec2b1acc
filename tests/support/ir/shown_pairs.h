// The guide shows primitives by pairs of IR texts of these tests.
#pragma once

#include <string>

namespace hone {

/// Expects a page that shows the test that runs to show these texts: the page has
/// `<!-- test: Suite.Name -->` above a block with `before`, and `after` in the next block of IR. Of
/// a test with several pairs, the first counts.
void expect_shown_pair(const std::string& before, const std::string& after);

}  // namespace hone
