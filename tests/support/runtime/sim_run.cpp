#include "tests/support/runtime/sim_run.h"

#include "codegen/parse_kernel.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The tensors that the body reads and writes, for the arguments of their names.
llvm::SmallVector<TensorPtr, 4> flat_arguments(const KernelFunction& kernel) {
  llvm::SmallVector<TensorPtr, 4> arguments;
  for (const TensorPtr& argument : kernel.arguments) {
    Expr size(1);
    for (const Expr& extent : argument->shape) size = size * extent;
    arguments.push_back(make_tensor(argument->name, argument->type, size));
  }
  return arguments;
}

class FlatArguments : public Rewriter {
 public:
  explicit FlatArguments(llvm::ArrayRef<TensorPtr> arguments) : arguments_(arguments) {}

  Expr rewrite(const Expr& expr) override {
    const Expr inner = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(inner);
    return load ? Load::make(flat(load->tensor), load->indices) : inner;
  }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt inner = rewrite_operands(stmt);
    const auto* store = llvm::dyn_cast<Store>(inner);
    if (!store) return inner;
    return store->with(flat(store->tensor), store->indices, store->value);
  }

 private:
  TensorPtr flat(const TensorPtr& tensor) const {
    for (const TensorPtr& argument : arguments_)
      if (argument->name == tensor->name) return argument;
    return tensor;
  }

  llvm::ArrayRef<TensorPtr> arguments_;
};

}  // namespace

void run_on_sim(const KernelFunction& kernel, const Sizes& sizes, Buffers& buffers,
                const SimOptions& options) {
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.find(tensor->name)->second;
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size()});
  }
  SimKernel(kernel).run(sizes, arguments, options);
}

Values sim_values(llvm::StringRef text, const Sizes& sizes, Buffers buffers,
                  const SimOptions& options) {
  run_on_sim(parse_kernel(text), sizes, buffers, options);
  return values_of(buffers.find("C")->second);
}

std::string sim_error(llvm::StringRef text, const Sizes& sizes, Buffers buffers,
                      const SimOptions& options) {
  return message_of<RuntimeError>([&] { sim_values(text, sizes, std::move(buffers), options); });
}

Function as_loops(const KernelFunction& kernel) {
  Function function;
  function.name = kernel.name;
  function.params = kernel.params;
  function.arguments = flat_arguments(kernel);
  Stmt body = FlatArguments(function.arguments).rewrite(kernel.body);
  const char* names[2][3] = {{"block_x", "block_y", "block_z"},
                             {"thread_x", "thread_y", "thread_z"}};
  for (const IndexSpace space : {IndexSpace::thread, IndexSpace::block}) {
    for (unsigned dim = 0; dim < 3; ++dim) {
      const bool is_block = space == IndexSpace::block;
      const AxisPtr axis = make_axis(names[is_block ? 0 : 1][dim], AxisKind::spatial);
      body = transform_exprs(body, [&](const Expr& expr) {
        const auto* index = llvm::dyn_cast<ThreadIndex>(expr);
        return index && index->space == space && index->dim == dim ? AxisRef::make(axis) : Expr();
      });
      body = For::make(axis, (is_block ? kernel.grid : kernel.block)[dim], {}, body);
    }
  }
  function.body = body;
  return function;
}

}  // namespace hone
