#include "tools/page/places.h"

#include "ir/text/operators.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringSet.h"
#include "tools/cli/provenance.h"

namespace hone {
namespace {

int step_number(const Provenance& provenance, const Stmt& body, const StmtNode* statement) {
  const auto step = provenance.step_of(body, statement);
  return step ? static_cast<int>(*step) + 1 : 0;
}

std::string unrolled_text(int64_t count) {
  return count == 0 ? "a loop, written out" : fmt::format("a loop, {} copies a trip", count);
}

/// "block.y", without the way to combine.
std::string index_text(const Binding& binding) {
  if (binding.is_cluster()) return "cluster.x";
  return fmt::format("{}.{}", binding.kind == Binding::Kind::block ? "block" : "thread",
                     "xyz"[binding.dim]);
}

std::string binding_text(const Binding& binding) {
  switch (binding.kind) {
    case Binding::Kind::serial:
      return "a loop";
    case Binding::Kind::parallel:
      return "cores of the host";
    case Binding::Kind::block:
      return "blocks of the grid";
    case Binding::Kind::thread:
      return binding.is_cluster() ? "blocks of a cluster" : "threads of a block";
    case Binding::Kind::unroll:
      return unrolled_text(binding.count);
    case Binding::Kind::vectorize:
      return "elements of a vector";
    case Binding::Kind::roles:
      return "a loop of producers and consumers";
    case Binding::Kind::instr:
      return "one instruction of a warp: " + to_string(binding);
  }
  llvm_unreachable("unknown binding");
}

std::string place_of(const For& loop) {
  std::string text = binding_text(loop.binding);
  if (loop.is_reduction()) text += ", of a reduction";
  if (loop.binding.combine)
    text += fmt::format(", results combined: {}", to_string(loop.binding.combine));
  return text;
}

bool mentions_threads(const Expr& expr) {
  return any_of(expr, [&](const Expr& part) { return llvm::isa<ThreadIndex>(part); });
}

/// The values over thread indices that kernels give to axes.
struct ThreadValue {
  std::string axis, value;
  int step;
};

std::vector<ThreadValue> thread_values(const Provenance& provenance, const Module& module) {
  std::vector<ThreadValue> values;
  for (const KernelFunction& kernel : module.kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      const auto* let = llvm::dyn_cast<Let>(stmt);
      if (let && mentions_threads(let->value))
        values.push_back({let->axis->name, to_string(let->value),
                          step_number(provenance, kernel.body, stmt.get())});
    });
  return values;
}

int64_t constant_elements(const TensorNode& tensor) {
  int64_t elements = 1;
  for (const Expr& extent : tensor.shape) elements *= as_int(extent).value_or(0);
  return elements;
}

std::string place_of(const TensorNode& tensor) {
  const int64_t elements = constant_elements(tensor), bytes = elements * size_of(tensor.type);
  if (tensor.scope == Scope::shared)
    return fmt::format("shared memory of each block, {} bytes", bytes);
  if (tensor.scope == Scope::registers)
    return fmt::format("registers of each thread, {}", (bytes + 3) / 4);
  return "global memory";
}

}  // namespace

std::vector<AxisPlace> axis_places(const Schedule& schedule, const Module& module) {
  const Provenance provenance(schedule);
  const auto values = thread_values(provenance, module);
  const Stmt& body = schedule.function().body;
  std::vector<AxisPlace> places;
  llvm::StringSet<> known;
  walk(body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop || !known.insert(loop->axis->name).second) return;
    const Binding::Kind kind = loop->binding.kind;
    const bool is_index = kind == Binding::Kind::block || kind == Binding::Kind::thread;
    places.push_back({loop->axis->name, to_string(loop->extent), place_of(*loop),
                      is_index ? index_text(loop->binding) : "",
                      step_number(provenance, body, stmt.get())});
    for (const ThreadValue& one : values)
      if (one.axis == loop->axis->name) places.back().value = one.value;
  });
  for (const ThreadValue& one : values)
    if (known.insert(one.axis).second)
      places.push_back({one.axis, "", "computed from a thread's place", one.value, one.step});
  return places;
}

std::vector<TilePlace> tile_places(const Schedule& schedule, const Module& module) {
  const Provenance provenance(schedule);
  std::vector<TilePlace> places;
  llvm::StringSet<> known;
  for (const KernelFunction& kernel : module.kernels)
    walk(kernel.body, [&](const Stmt& stmt) {
      const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
      if (!alloc || !known.insert(alloc->tensor->name).second) return;
      const std::string declared = declaration(*alloc->tensor);
      places.push_back({alloc->tensor->name, llvm::StringRef(declared).split(": ").second.str(),
                        place_of(*alloc->tensor),
                        step_number(provenance, kernel.body, stmt.get())});
    });
  return places;
}

Listing rows_of(llvm::ArrayRef<AxisPlace> places) {
  Listing rows;
  for (const AxisPlace& place : places) {
    ListingLine& row = rows.emplace_back();
    row.text = fmt::format("{}\t{}\t{}\t{}", place.axis, place.extent, place.place, place.value);
    row.step = place.step;
    row.axis = place.axis;
  }
  return rows;
}

Listing rows_of(llvm::ArrayRef<TilePlace> places) {
  Listing rows;
  for (const TilePlace& place : places) {
    ListingLine& row = rows.emplace_back();
    row.text = fmt::format("{}\t{}\t{}", place.tensor, place.shape, place.place);
    row.step = place.step;
  }
  return rows;
}

}  // namespace hone
