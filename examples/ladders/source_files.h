// The source files of the ladders, which CMake makes part of the library: their schedules can be
// shown as they were written where there is no checkout.
#pragma once

#include <optional>
#include <string>

namespace hone {

/// The text of a file, by the path that places of the ladders' calls have:
/// "examples/ladders/matmul.cpp". Nothing for another path.
std::optional<std::string> find_source_file(const std::string& path);

}  // namespace hone
