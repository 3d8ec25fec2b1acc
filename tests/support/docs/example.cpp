#include "tests/support/docs/example.h"

#include <utility>

#include "tests/support/ir/code_blocks.h"

namespace hone::docs {

Example::Example(std::string page) : page_(std::move(page)) { testing::internal::CaptureStdout(); }

Example::~Example() {
  EXPECT_EQ(printed_ + testing::internal::GetCapturedStdout(), "") << page_ << " does not show it";
  EXPECT_TRUE(is_well_) << page_ << ": a command fails";
}

void Example::shows(int number, const std::string& text) {
  printed_ += testing::internal::GetCapturedStdout();
  expect_block(page_, number, text);  // what it says goes to the output of the test
  testing::internal::CaptureStdout();
}

void Example::printed(int number) {
  printed_ += testing::internal::GetCapturedStdout();
  testing::internal::CaptureStdout();
  shows(number, std::exchange(printed_, ""));
}

void Example::was_not_refused(int number) {
  ADD_FAILURE() << page_ << ": nothing was refused before block " << number + 1;
}

void Example::run(int (*program)(int, char**), std::vector<std::string> arguments) {
  fmt::print("$ {}\n", fmt::join(arguments, " "));
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  is_well_ = program(static_cast<int>(words.size()), words.data()) == 0 && is_well_;
}

std::string kernel_text(const Schedule& schedule) {
  std::string text;
  for (const KernelFunction& kernel : lower(schedule).kernels) text += to_string(kernel) + "\n";
  return text;
}

std::string cuda_text(const Schedule& schedule) {
  std::string text;
  for (const KernelFunction& kernel : lower(schedule).kernels) {
    const std::string source = emit_cuda(kernel);
    text += (text.empty() ? "" : "\n") + source.substr(source.find("extern \"C\""));
  }
  return text;
}

}  // namespace hone::docs
