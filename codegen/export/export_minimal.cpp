// Exports as a library: a short header, and a CMake file.
#include "codegen/export/export.h"
#include "codegen/export/launch_text.h"
#include "codegen/export/templates.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace hone {
namespace {

/// Their comment says what their text does.
std::string workspace_declaration(const LaunchContract& contract) {
  if (!has_workspace(contract)) return "";
  return fmt::format(
      "/// Bytes of memory that a launch needs beside its arguments, at a multiple of 256.\n"
      "std::size_t workspace_bytes({});\n\n",
      size_parameters(contract, "long long "));
}

}  // namespace

std::string export_declarations(const LaunchContract& contract) {
  return fmt::format(
      "{0}#pragma once\n\n#include <cuda_runtime_api.h>\n\n#include <cstddef>\n{1}\n"
      "namespace {2} {{\n\n{3}\n{4}{5}Status launch({6});\n\n}}  // namespace {2}\n",
      comment_of(contract), element_includes(contract), contract.name, status_support,
      workspace_declaration(contract), comment_on_launch(contract),
      launch_parameters(contract, "long long "));
}

std::string export_cmake(const std::string& name, llvm::ArrayRef<std::string> options,
                         const std::string& architecture) {
  const std::string flags = options.empty() ? ""
                                            : fmt::format("target_compile_options({} PRIVATE {})\n",
                                                          name, fmt::join(options, " "));
  return fmt::format(
      R"(# The kernels of {0}.h as the library {0}, which {0}.py loads from the folder build:
#
#   cmake -S . -B build && cmake --build build
cmake_minimum_required(VERSION 3.24)
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES {1})
endif()
project({0} LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)

add_library({0} SHARED {0}.cu)
target_compile_features({0} PUBLIC cxx_std_17)
{2}target_include_directories({0} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
target_link_libraries({0} PUBLIC CUDA::cudart)
)",
      name, architecture.empty() ? "native" : architecture, flags);
}

}  // namespace hone
