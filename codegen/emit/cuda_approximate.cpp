#include "codegen/emit/cuda_approximate.h"

#include "ir/core/update.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

constexpr const char* tanh_approx = R"(
// tanh, off by 2^-11 of it at most.
static __device__ float tanh_approx(float x) {
#if __CUDA_ARCH__ < 750
  return tanhf(x);
#else
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#endif
}
)";

}  // namespace

std::string cuda_approximate_helpers(const KernelFunction& kernel) {
  bool is_used = false;
  const auto look_at = [&](const Expr& expr) {
    const auto* call = llvm::dyn_cast<Call>(expr);
    if (call && call->intrinsic == Intrinsic::tanh_approx && call->type != DType::f64)
      is_used = true;
  };
  walk_exprs(kernel.body, look_at);
  for (const OperatorPtr& op : operators_of(kernel.body)) walk(op->combined, look_at);
  return is_used ? tanh_approx : "";
}

}  // namespace hone
