#include "tests/support/random/check_mode.h"

#include <cmath>

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringMap.h"
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

using UnsetByName = llvm::StringMap<UnsetElements>;

std::vector<SimArgument> arguments_of(const KernelFunction& kernel, UnsetByName& unset,
                                      Buffers& buffers) {
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.find(tensor->name)->second;
    const auto known = unset.find(tensor->name);
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size(), false,
                         known == unset.end() ? nullptr : &known->second});
  }
  return arguments;
}

/// Nothing is in the buffer, which is filled accordingly.
UnsetElements unset_all(Buffer& buffer, bool is_temporary) {
  poison(buffer);
  return {std::vector<uint8_t>(static_cast<size_t>(buffer.size()), 1), is_temporary};
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
  UnsetByName unset;
  Buffers all = std::move(buffers);
  for (const TensorPtr& tensor : module.temporaries) {
    Buffer& buffer = all.emplace(tensor->name, buffer_for(*tensor, sizes)).first->second;
    unset[tensor->name] = unset_all(buffer, true);
  }
  for (const TensorPtr& counter : module.counters)
    all.emplace(counter->name, buffer_for(*counter, sizes));
  for (const auto& entry : uninitialised)
    unset[entry.getKey()] = unset_all(all.find(entry.getKey().str())->second, false);
  std::vector<Finding> findings;
  for (const KernelFunction& kernel : module.kernels) {
    if (!has_threads(kernel, sizes)) continue;
    const auto arguments = arguments_of(kernel, unset, all);
    const CheckOptions options = {.threads = 1, .order = order, .every_index = true};
    llvm::append_range(findings, check(kernel, sizes, arguments, options).findings);
  }
  buffers.clear();
  for (const TensorPtr& tensor : module.arguments) buffers.insert(all.extract(tensor->name));
  return findings;
}

std::string texts_of(llvm::ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

}  // namespace hone
