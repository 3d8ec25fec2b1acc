#include "tests/support/docs/example.h"

#include "tests/support/ir/code_blocks.h"

namespace hone::docs {

Example::Example(std::string page) : page_(std::move(page)) { testing::internal::CaptureStdout(); }

Example::~Example() {
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << page_ << " does not show it";
}

void Example::shows(int number, const std::string& text) { expect_block(page_, number, text); }

void Example::printed(int number) {
  shows(number, testing::internal::GetCapturedStdout());
  testing::internal::CaptureStdout();
}

void Example::was_not_refused(int number) {
  ADD_FAILURE() << page_ << ": nothing was refused before block " << number + 1;
}

int Example::run(int (*program)(int, char**), std::vector<std::string> arguments) {
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  return program(static_cast<int>(words.size()), words.data());
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
