// Commands of the shell, and programs built by the compiler of the host.
#pragma once

#include <string>

namespace hone {

/// The output of a command, and its errors; `ok`: it went well.
struct CommandOutput {
  std::string text;
  bool ok = false;
};

CommandOutput run(const std::string& command);

bool has_program(const std::string& name);

/// The compiler that CXX names, or c++.
std::string host_compiler_name();

/// Builds main.cpp of the folder, beside tests/examples/export/cuda_runtime_api.h.
CommandOutput build_host_program(const std::string& folder);

}  // namespace hone
