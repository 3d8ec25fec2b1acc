// How a program that uses this Hone is compiled and linked.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct BuildFlags {
  std::string compiler;                ///< that Hone was built with, or $CXX: a path
  std::vector<std::string> options;    ///< of the compiler: the standard, and folders of headers
  std::vector<std::string> libraries;  ///< for the linker
};

/// The flags of an installation beside this program, else those of the build tree. Throws
/// RuntimeError where there is no such compiler, and where the flags that the build wrote are gone.
BuildFlags build_flags();

/// Compiles and links one source, without warnings. Throws what build_flags() throws.
std::vector<std::string> compile_command(const std::string& source, const std::string& program);

}  // namespace hone
