#include "tools/cli/judge/rung_kernels.h"

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "fmt/ranges.h"
#include "ir/analysis/site.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/traverse/tensors.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace {

using Kernels = llvm::SmallVector<KernelFunction, 1>;

Kernels read_kernels(const UserText& text) {
  check_kind(text, TextKind::kernel, "--kernel");
  try {
    Kernels kernels = parse_kernels(text.text);
    for (const KernelFunction& kernel : kernels)
      if (const auto problem = verify(kernel)) throw RuntimeError("{}: {}", text.path, *problem);
    return kernels;
  } catch (const ParseError& error) {
    throw RuntimeError("{}:{}", text.path, error.what());
  }
}

bool counts_blocks(llvm::ArrayRef<KernelFunction> kernels, llvm::StringRef tensor) {
  return llvm::any_of(kernels, [&](const KernelFunction& kernel) {
    return find_stmt(kernel.body, [&](const Stmt& stmt) {
      const Instr* arrive = as(stmt, op::arrive);
      return arrive && arrive->places[1].tensor->name == tensor;
    });
  });
}

using Tensors = llvm::SmallVector<TensorPtr, 8>;

/// All tensors in global memory that a module has.
Tensors tensors_of(const Module& module) {
  Tensors tensors(module.arguments.begin(), module.arguments.end());
  tensors.append(module.temporaries.begin(), module.temporaries.end());
  tensors.append(module.counters.begin(), module.counters.end());
  return tensors;
}

TensorPtr find_tensor(llvm::ArrayRef<TensorPtr> tensors, llvm::StringRef name) {
  const auto* found =
      llvm::find_if(tensors, [&](const TensorPtr& tensor) { return tensor->name == name; });
  return found == tensors.end() ? nullptr : *found;
}

/// The tensors of all kernels that are not among `known`, each once.
Tensors other_tensors(llvm::ArrayRef<KernelFunction> kernels, Tensors known) {
  Tensors others;
  for (const KernelFunction& kernel : kernels)
    for (const TensorPtr& tensor : kernel.arguments) {
      if (find_tensor(known, tensor->name)) continue;
      known.push_back(tensor);
      others.push_back(tensor);
    }
  return others;
}

/// Gives kernels of a text the module's tensors of the same names: its launches know them.
void adopt_tensors(Module& module) {
  const Tensors tensors = tensors_of(module);
  for (KernelFunction& kernel : module.kernels) {
    for (TensorPtr& tensor : kernel.arguments) tensor = find_tensor(tensors, tensor->name);
    Tensors flat;
    for (const TensorPtr& tensor : kernel.arguments) flat.push_back(flattened(*tensor));
    kernel.body = replace_tensors(kernel.body, [&](const TensorPtr& tensor) -> TensorPtr {
      return tensor->scope == Scope::global ? find_tensor(flat, tensor->name) : nullptr;
    });
  }
}

/// Refuses kernels that take a tensor as two different things.
void check_agreement(const UserText& text, const Module& module) {
  const Tensors tensors = tensors_of(module);
  for (const KernelFunction& kernel : module.kernels)
    for (const TensorPtr& tensor : kernel.arguments) {
      const std::string first = type_text(*find_tensor(tensors, tensor->name));
      if (type_text(*tensor) != first)
        throw RuntimeError("{}: {} takes {} as {}, and a kernel before takes it as {}", text.path,
                           kernel.name, tensor->name, type_text(*tensor), first);
    }
}

/// A text that takes the place of a rung's kernels.
struct Replacement {
  const UserText& text;
  const std::string rung;
  const Module& base;  ///< the kernels that it takes the place of
  const Sizes& sizes;
  const Function program;  ///< of the rung, over sizes

  void check(const KernelFunction& kernel) const;
  void check(const KernelFunction& kernel, const TensorNode& tensor) const;
  std::string sizes_of(const TensorNode& tensor) const;
};

/// "; give -D N=8192" where the text has that constant in the place of the size N; else empty.
std::string Replacement::sizes_of(const TensorNode& tensor) const {
  std::string text;
  const TensorPtr own = find_tensor(program.arguments, tensor.name);
  if (!own || own->rank() != tensor.rank()) return "";
  for (const auto& [size, extent] : llvm::zip(own->shape, tensor.shape))
    if (const auto* param = llvm::dyn_cast<ParamRef>(size); param && as_int(extent))
      text += fmt::format(" -D {}={}", param->param->name, *as_int(extent));
  return text.empty() ? "" : "; give" + text;
}

void Replacement::check(const KernelFunction& kernel, const TensorNode& tensor) const {
  const TensorPtr own = find_tensor(tensors_of(base), tensor.name);
  if (!own) {
    const auto known = names_of(tensors_of(base));
    throw RuntimeError("{}: {} takes {}, which {} does not have; it has {}", text.path, kernel.name,
                       tensor.name, rung, fmt::join(known, ", "));
  }
  const auto elements = [&](const TensorNode& node) {
    llvm::SmallVector<int64_t, 4> shape;
    for (const Expr& extent : node.shape) shape.push_back(evaluate(extent, sizes));
    return shape;
  };
  if (own->type != tensor.type || elements(*own) != elements(tensor))
    throw RuntimeError("{}: {} takes {} as {}, and in {} it is {}{}", text.path, kernel.name,
                       tensor.name, type_text(tensor), rung, type_text(*own), sizes_of(tensor));
}

void Replacement::check(const KernelFunction& kernel) const {
  std::vector<std::string> known;
  for (const ParamPtr& param : base.params) known.push_back(param->name);
  for (const ParamPtr& param : kernel.params)
    if (!llvm::is_contained(known, param->name))
      throw RuntimeError("{}: {} has a size {}, which {} does not have; it has {}", text.path,
                         kernel.name, param->name, rung,
                         known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  for (const TensorPtr& tensor : kernel.arguments) check(kernel, *tensor);
}

Module replaced(const Replacement& replacement) {
  Module module = replacement.base;
  module.kernels = read_kernels(replacement.text);
  for (KernelFunction& kernel : module.kernels) {
    replacement.check(kernel);
    kernel.history.push_back(fmt::format("the kernel of {}", replacement.text.path));
  }
  adopt_tensors(module);
  return module;
}

/// The kernels of a rung that is given as text. Tensors that its program lacks are temporaries.
Module kernels_as_given(const RungRef& rung, const Function& program) {
  Module module;
  module.name = program.name;
  module.params = program.params;
  module.arguments = program.arguments;
  module.kernels = read_kernels({rung.name(), rung.rung->kernel});
  for (const TensorPtr& tensor : other_tensors(module.kernels, tensors_of(module)))
    (counts_blocks(module.kernels, tensor->name) ? module.counters : module.temporaries)
        .push_back(tensor);
  adopt_tensors(module);
  return module;
}

RungKernels own_kernels(const RungRef& rung, const Sizes& fixed, const Sizes& expected) {
  if (is_given_as_text(*rung.rung)) {
    const Function program = program_for(rung, expected);
    return {std::nullopt, program, kernels_as_given(rung, program)};
  }
  const Schedule schedule = build(rung, {fixed, expected});
  const Function& function = schedule.function();
  const bool on_host = rung.rung->target == RungTarget::host;
  return {schedule, function, on_host ? Module() : lower(function)};
}

}  // namespace

Kernel RungKernels::compile_for(const Device& device) const {
  if (schedule) return compile(program, {.device = device});
  if (device.kind() == DeviceKind::host)
    throw UsageError("{} is given as kernels of a GPU, and they do not run on the host",
                     program.name);
  return compile(module, program, {.device = device});
}

RungKernels kernels_of(const RungRef& rung, const Sizes& fixed, const Sizes& expected,
                       const UserText* edited) {
  RungKernels own = own_kernels(rung, fixed, expected);
  if (!edited) return own;
  return {std::nullopt, own.program,
          replaced({*edited, rung.name(), own.module, expected, program_of(rung, {}).function()})};
}

Module module_of(const UserText& text) {
  Module module;
  module.kernels = read_kernels(text);
  module.name = module.kernels.front().name;
  for (const KernelFunction& kernel : module.kernels)
    for (const ParamPtr& param : kernel.params)
      if (llvm::none_of(module.params,
                        [&](const ParamPtr& one) { return one->name == param->name; }))
        module.params.push_back(param);
  for (const TensorPtr& tensor : other_tensors(module.kernels, {}))
    counts_blocks(module.kernels, tensor->name) ? module.counters.push_back(tensor)
                                                : module.arguments.push_back(tensor);
  check_agreement(text, module);
  adopt_tensors(module);
  return module;
}

std::string name_with(const RungRef& rung, const UserText* edited) {
  return edited ? fmt::format("{} with {}", rung.name(), edited->path) : rung.name();
}

std::optional<UserText> edited_kernels(const Arguments& arguments) {
  const auto path = arguments.value("--kernel");
  if (!path) return std::nullopt;
  return read_user_text(*path);
}

}  // namespace hone
