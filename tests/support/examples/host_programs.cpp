#include "tests/support/examples/host_programs.h"

#include <cstdio>

#include "fmt/format.h"
#include "runtime/environment.h"

namespace hone {

CommandOutput run(const std::string& command) {
  CommandOutput output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe))
    output.text.append(buffer, count);
  output.ok = pclose(pipe) == 0;
  return output;
}

std::string host_compiler_name() { return environment("CXX").value_or("c++"); }

CommandOutput build_host_program(const std::string& folder) {
  return run(
      fmt::format("here=$(pwd) && cd {} && {} -std=c++17 -Wall -Wextra -Werror "
                  "-I$here/tests/examples/export main.cpp -o main",
                  folder, host_compiler_name()));
}

bool has_program(const std::string& name) { return run("command -v " + name).ok; }

}  // namespace hone
