#include "tests/support/random/combined_runs.h"

#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace {

/// Small integers, and for the tensor `bin` numbers from 0 to 7, several of each.
Buffers inputs_of(const Program& program, const Sizes& sizes) {
  Buffers buffers = random_buffers(program.function(), sizes, 3);
  if (const auto bin = buffers.find("bin"); bin != buffers.end())
    for (int64_t n = 0; n < bin->second.size(); ++n)
      bin->second.set(n, static_cast<double>(n * n % 8));
  return buffers;
}

}  // namespace

void expect_right(const Program& program, const Steps& steps, llvm::ArrayRef<int64_t> lengths) {
  Schedule s(program);
  steps(s);
  for (const int64_t n : lengths) {
    const Sizes sizes = {{"N", n}};
    expect_as_meant(program, s, sizes, inputs_of(program, sizes));
  }
}

}  // namespace hone
