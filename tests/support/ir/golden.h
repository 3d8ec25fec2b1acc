// Texts that are kept in files.
#pragma once

#include <string>

namespace hone {

/// Expects `text` to be what the file at `path`, from the root of the repository, holds. With
/// UPDATE_GOLDEN=1 in the environment it writes the file instead.
void expect_golden(const std::string& path, const std::string& text);

}  // namespace hone
