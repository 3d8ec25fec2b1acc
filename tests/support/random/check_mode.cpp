#include "tests/support/random/check_mode.h"

#include <cmath>

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/tensors.h"
#include "ir/visit.h"
#include "runtime/compile.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/random_program.h"

namespace hone {
namespace {

bool same_contents(const Buffers& lhs, const Buffers& rhs) {
  return llvm::all_of(lhs, [&](const auto& entry) {
    return entry.second.bytes == rhs.find(entry.first)->second.bytes;
  });
}

bool has_threads(const KernelFunction& kernel, const Sizes& sizes) {
  const LaunchDims dims = launch_dims(kernel, sizes);
  return !llvm::is_contained(dims.grid, 0) && !llvm::is_contained(dims.block, 0);
}

std::vector<SimArgument> arguments_of(const KernelFunction& kernel,
                                      const llvm::StringSet<>& uninitialised, Buffers& buffers) {
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.find(tensor->name)->second;
    arguments.push_back(
        {tensor->name, buffer.bytes.data(), buffer.size(), uninitialised.contains(tensor->name)});
  }
  return arguments;
}

void erase_written(const KernelFunction& kernel, llvm::StringSet<>& names) {
  walk(kernel.body, [&](const Stmt& stmt) {
    for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse how) {
      if (how == TensorUse::writes) names.erase(tensor->name);
    });
  });
}

bool is_written(const Function& function, const TensorNode& tensor) {
  return find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    return store && store->tensor.get() == &tensor;
  });
}

/// True if the program reads or updates the argument before it sets it: NaN and its like need not
/// show in the results, since max takes the other number.
bool comes_with_values(const Function& function, const TensorPtr& tensor) {
  for (const MemoryAccess& access : collect_accesses(function.body))
    if (access.tensor == tensor) return !access.writes || access.update != Update::set;
  return false;
}

/// A load, or one behind a guard that keeps it within bounds: "select(i < N, A[i], 0.0)".
bool is_move(const Store& store) {
  if (store.update != Update::set) return false;
  const auto* guarded = llvm::dyn_cast<Select>(store.value);
  return llvm::isa<Load>(guarded ? guarded->if_true : store.value);
}

}  // namespace

void poison(Buffer& buffer) {
  const bool is_real = is_float(buffer.type) || buffer.type == f32_f32;
  fill_with(buffer, [&, n = 0]() mutable {
    return buffer.type == DType::boolean ? n++ % 2 : is_real ? NAN : 99;
  });
}

llvm::StringSet<> written_in_full(const Function& function, const Sizes& sizes,
                                  const Buffers& before, const Buffers& after) {
  llvm::StringSet<> names;
  for (const TensorPtr& tensor : function.arguments) {
    if (!is_written(function, *tensor) || comes_with_values(function, tensor)) continue;
    Buffers buffers = before;
    poison(buffers.find(tensor->name)->second);
    interpret(function, sizes, buffers);
    if (same_contents(buffers, after)) names.insert(tensor->name);
  }
  return names;
}

std::vector<Finding> check_kernels(const Module& module, const Sizes& sizes,
                                   const llvm::StringSet<>& uninitialised, Buffers& buffers,
                                   uint64_t order) {
  llvm::StringSet<> unwritten = uninitialised;
  Buffers all = std::move(buffers);
  for (const TensorPtr& tensor : module.temporaries) {
    all.emplace(tensor->name, buffer_for(*tensor, sizes));
    unwritten.insert(tensor->name);
  }
  for (const TensorPtr& counter : module.counters)
    all.emplace(counter->name, buffer_for(*counter, sizes));
  for (const auto& entry : unwritten) poison(all.find(entry.getKey())->second);
  std::vector<Finding> findings;
  for (const KernelFunction& kernel : module.kernels) {
    if (!has_threads(kernel, sizes)) continue;
    const auto arguments = arguments_of(kernel, unwritten, all);
    const CheckOptions options = {.threads = 1, .order = order, .every_index = true};
    llvm::append_range(findings, check(kernel, sizes, arguments, options).findings);
    erase_written(kernel, unwritten);
  }
  buffers.clear();
  for (const TensorPtr& tensor : module.arguments) buffers.insert(all.extract(tensor->name));
  return findings;
}

bool moves_unwritten_elements(const Finding& finding) {
  if (finding.kind != FindingKind::uninitialised_read) return false;
  const Stmt& statement = finding.sites[0].statement;
  const auto* store = llvm::dyn_cast<Store>(statement);
  return llvm::isa<Copy>(statement) || (store && is_move(*store));
}

std::string texts_of(llvm::ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

}  // namespace hone
