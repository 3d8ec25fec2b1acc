// The CUDA text of reductions over threads and blocks: NVRTC takes it for every way to combine with
// every second operator and type.
#include <gtest/gtest.h>

#include <string_view>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace reductions_nvrtc_test {

/// Kernels in one text, each in a namespace of its own, behind the headers that they include.
class ManyKernels {
 public:
  void add(const VectorReduction& reduction) {
    for (const KernelFunction& kernel : lower(reduction.schedule()).kernels) add(kernel);
  }

  std::string text() const { return includes_ + kernels_; }

 private:
  void add(KernelFunction kernel) {
    kernel.name += fmt::format("_{}", ++count_);
    const std::string text = emit_cuda(kernel);
    std::string body;
    llvm::SmallVector<llvm::StringRef, 64> lines;
    llvm::StringRef(text).split(lines, '\n');
    for (const llvm::StringRef line : lines)
      (std::string_view(line).starts_with("#include") ? includes_ : body) += line.str() + "\n";
    kernels_ += fmt::format("namespace n{} {{\n{}}}\n", count_, body);
  }

  int count_ = 0;
  std::string includes_, kernels_;
};

void expect_compiles(const std::string& name, const ManyKernels& kernels) {
  CompileJob job;
  job.source = kernels.text();
  job.name = name;
  job.arch = "sm_90";
  const auto compiled = compile_cached(job);
  EXPECT_FALSE(compiled->cubin.empty()) << name;
  EXPECT_TRUE(compiled->warnings.empty()) << name << ": " << compiled->warnings.front();
}

class ReductionsInCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }
};

/// Every second operation, from the first or the second on.
void expect_all_compile(int64_t threads, const CombineLevels& within, size_t first) {
  ManyKernels kernels;
  const auto operations = all_operations();
  for (size_t n = first; n < operations.size(); n += 2)
    if (!within.is_atomic() || is_exchanged_at_once(operations[n].type))
      kernels.add({.operation = operations[n], .threads = threads, .within = within});
  expect_compiles(to_string(within), kernels);
}

TEST_F(ReductionsInCuda, ByThreadsCompile) {
  size_t number = 0;
  for (const CombineLevels& within : all_thread_combines(80))
    expect_all_compile(80, within, number++ % 2);
  for (const size_t first : {0, 1}) expect_all_compile(24, {Combine::shuffle}, first);
}

TEST_F(ReductionsInCuda, ByBlocksCompile) {
  for (const auto across : {Combine::atomic, Combine::last_block}) {
    ManyKernels kernels;
    for (const TypedUpdate& operation : all_operations())
      if (across != Combine::atomic || is_exchanged_at_once(operation.type))
        kernels.add({.operation = operation,
                     .within = {Combine::two_level},
                     .blocks = 5,
                     .across = {across}});
    expect_compiles(to_string(Combine{across}), kernels);
  }
}

TEST_F(ReductionsInCuda, OfBytesCompile) {
  ManyKernels kernels;
  for (const DType type : {i8, u8})
    for (const CombineLevels& within : all_thread_combines(32))
      if (!within.is_atomic())
        kernels.add({.operation = {Update::max, type}, .threads = 32, .within = within});
  expect_compiles("bytes", kernels);
}

}  // namespace reductions_nvrtc_test
}  // namespace hone
