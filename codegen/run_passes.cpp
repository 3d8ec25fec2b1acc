#include "codegen/run_passes.h"

#include <chrono>
#include <cstdlib>

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

bool wants_dump_of(llvm::StringRef what) {
  const char* wanted = std::getenv("HONE_DUMP");
  return wanted && llvm::StringRef(wanted).contains(what);
}

bool wants_verifier() {
  const char* wanted = std::getenv("HONE_VERIFY");
  return wanted && llvm::StringRef(wanted) == "1";
}

void check(const KernelFunction& kernel, const Pass& pass) {
  if (const auto problem = verify(kernel, pass.makes))
    llvm::report_fatal_error("the pass '" + llvm::Twine(pass.name) +
                             "' made malformed kernel IR: " + *problem + "\n" + to_string(kernel));
}

using Microseconds = std::chrono::duration<double, std::micro>;

Microseconds time_of(const Pass& pass, KernelFunction& kernel) {
  const auto start = std::chrono::steady_clock::now();
  pass.run(kernel);
  return std::chrono::steady_clock::now() - start;
}

void print_times(const KernelFunction& kernel, llvm::ArrayRef<Pass> passes,
                 llvm::ArrayRef<Microseconds> times) {
  Microseconds sum{0};
  fmt::print(stderr, "// microseconds of lowering {}\n", kernel.name);
  for (const auto& [pass, time] : llvm::zip(passes, times)) {
    fmt::print(stderr, "// {:10.1f}  {}\n", time.count(), pass.name);
    sum += time;
  }
  fmt::print(stderr, "// {:10.1f}  all passes\n", sum.count());
}

}  // namespace

void run_passes(llvm::ArrayRef<Pass> passes, KernelFunction& kernel) {
  const bool dumps = wants_dump_of("ir"), verifies = wants_verifier();
  std::string before = dumps ? to_string(kernel) : "";
  llvm::SmallVector<Microseconds, 24> times;
  for (const Pass& pass : passes) {
    const Stmt body = kernel.body;
    times.push_back(time_of(pass, kernel));
    if (verifies && !kernel.body.same_as(body)) check(kernel, pass);
    if (!dumps) continue;
    std::string after = to_string(kernel);
    if (after != before) fmt::print(stderr, "// after '{}'\n{}\n", pass.name, after);
    before = std::move(after);
  }
  if (wants_dump_of("time")) print_times(kernel, passes, times);
}

}  // namespace hone
