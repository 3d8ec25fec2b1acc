#include "codegen/contract/advice.h"
#include "codegen/contract/contract_checks.h"
#include "codegen/contract/index_width.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class Limits {
 public:
  explicit Limits(const KernelFunction& kernel)
      : kernel_(kernel), known_(facts_of(kernel.assumptions)) {}

  llvm::SmallVector<SizeCheck, 8> take() {
    if (kernel_.index_bits == 32) add_narrow();
    add_launch();
    for (const TensorMap& map : tensor_maps(kernel_))
      for (const MapRule& rule : rules_of(map, kernel_))
        add(rule.holds, rule.otherwise, rule.value);
    return std::move(checks_);
  }

 private:
  /// Adds a check, unless it follows from the limits before it.
  void add(const Expr& holds, std::string message, llvm::ArrayRef<Expr> values) {
    if (proves(holds, known_)) return;
    known_.assume(holds);
    checks_.push_back(
        {holds, std::move(message), llvm::SmallVector<Expr, 4>(values.begin(), values.end())});
  }

  void add_narrow() {
    for (const ParamPtr& param : kernel_.params) add_narrow(param->name, ParamRef::make(param));
    for (const TensorPtr& tensor : kernel_.arguments)
      add_narrow("the number of elements of " + tensor->name, storage_size(*tensor));
    walk(kernel_.body, [&](const Stmt& stmt) {
      const auto* loop = llvm::dyn_cast<For>(stmt);
      if (loop && is_formula(loop->extent))
        add_narrow("the extent of " + loop->axis->name, loop->extent);
    });
    for (int dim = 0; dim < 3; ++dim)
      add_narrow("the number of threads in " + std::string(1, "xyz"[dim]),
                 kernel_.grid[dim] * kernel_.block[dim]);
  }

  void add_narrow(const std::string& what, const Expr& size) {
    const int64_t most = max_size_32(kernel_);
    add(size <= most,
        fmt::format("{}: {} is {{}}, more than the {} that a kernel with 32-bit indices takes; "
                    "{}",
                    kernel_.name, what, most, advice_on_bits),
        size);
  }

  void add_launch() {
    const ArchitectureLimits& limits = widest_architecture();
    const auto& most_blocks = limits.max_grid;
    const auto& most_threads = limits.max_block;
    for (int dim = 0; dim < 3; ++dim)
      add(kernel_.grid[dim] <= most_blocks[dim],
          fmt::format("{}: the grid has {{}} blocks in {} ({}), and a grid takes at most {}",
                      kernel_.name, "xyz"[dim], kernel_.grid[dim], most_blocks[dim]),
          kernel_.grid[dim]);
    const auto& [x, y, z] = kernel_.block;
    for (int dim = 0; dim < 3; ++dim)
      add(kernel_.block[dim] <= most_threads[dim],
          fmt::format("{}: the block has {{}} threads in {} ({}), and a block takes at most {}; "
                      "split the axis that is bound to thread.{}",
                      kernel_.name, "xyz"[dim], kernel_.block[dim], most_threads[dim], "xyz"[dim]),
          kernel_.block[dim]);
    if (llvm::count_if(kernel_.block, [](const Expr& extent) { return is_int(extent, 1); }) >= 2)
      return;
    add(x * y * z <= limits.max_threads,
        fmt::format("{}: the block has {{}} x {{}} x {{}} threads ({}, {}, {}), and a block takes "
                    "at most {} in all; split an axis that is bound to threads",
                    kernel_.name, x, y, z, limits.max_threads),
        {x, y, z});
  }

  /// True of an expression of params and constants alone.
  static bool is_formula(const Expr& expr) {
    return !any_of(expr,
                   [](const Expr& part) { return llvm::isa<AxisRef, ThreadIndex, Load>(part); });
  }

  const KernelFunction& kernel_;
  Facts known_;
  llvm::SmallVector<SizeCheck, 8> checks_;
};

std::string name_of(const Expr& param) { return llvm::cast<ParamRef>(param)->param->name; }

}  // namespace

llvm::SmallVector<Expr, 4> params_of(const Expr& expr) {
  llvm::SmallVector<Expr, 4> params;
  walk(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    const auto is_same = [&](const Expr& known) {
      return llvm::cast<ParamRef>(known)->param->name == reference->param->name;
    };
    if (reference && llvm::none_of(params, is_same)) params.push_back(part);
  });
  return params;
}

std::string values_text(llvm::ArrayRef<Expr> params) {
  std::string text;
  for (const Expr& param : params)
    text += fmt::format("{}{} is {{}}", text.empty() ? "" : " and ", name_of(param));
  return text;
}

llvm::SmallVector<SizeCheck, 8> limits_of(const KernelFunction& kernel) {
  return Limits(kernel).take();
}

}  // namespace hone
