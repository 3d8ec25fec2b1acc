#include "runtime/sim/device.h"

#include "runtime/sim/worker.h"

namespace hone {

SimKernel::SimKernel(const KernelFunction& kernel)
    : program_(std::make_shared<const SimProgram>(compile_for_sim(kernel))) {}

void SimKernel::run(const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments,
                    const SimOptions& options) const {
  SimLaunch(*program_, sizes, arguments, options).run();
}

}  // namespace hone
