// The command that makes a program of an answer.
#pragma once

#include <string>
#include <vector>

namespace hone {

/// Compiles and links one source with the compiler that Hone was built with, or $CXX, against this
/// Hone. Throws RuntimeError where there is no such compiler, and where the flags that the build
/// wrote are gone.
std::vector<std::string> compile_command(const std::string& source, const std::string& program);

}  // namespace hone
