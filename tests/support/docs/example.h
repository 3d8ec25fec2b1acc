// The C++ of our pages runs, and makes what stands beside it. The sources of the tests come from
// scripts/docs-code; they see the headers that users see.
#pragma once

#include <gtest/gtest.h>
#include <hone/hone.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace hone::docs {

/// The run of one example of a page: what it prints is kept, and compared with the page's blocks.
class Example {
 public:
  /// The path of the page, from the root of the repository.
  explicit Example(std::string page);
  /// Expects that all that was printed is shown.
  ~Example();

  /// Expects block `number` of the page, from 0, to be this text.
  void shows(int number, const std::string& text);
  /// The same of what was printed since the last time.
  void printed(int number);
  /// Fails: statements that the page says are refused ran.
  void was_not_refused(int number);
  /// Prints a command line, and runs the main() of the program with its words.
  void run(int (*program)(int, char**), std::vector<std::string> arguments);

 private:
  std::string page_;
  std::string printed_;  ///< and not shown yet
  bool is_well_ = true;  ///< all commands so far have succeeded
};

/// Loop IR as kernel IR, and as CUDA without the comments at its head: all of its kernels.
std::string kernel_text(const Schedule& schedule);
std::string cuda_text(const Schedule& schedule);

}  // namespace hone::docs

using hone::docs::cuda_text;
using hone::docs::kernel_text;
namespace docs = hone::docs;
