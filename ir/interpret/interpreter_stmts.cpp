// Statements as closures.
#include "fmt/format.h"
#include "ir/interpret/interpreter_closures.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone::detail {
namespace {

/// One side of a copy, per dimension of the tensor.
struct RegionClosure {
  Storage* storage;
  llvm::SmallVector<Evaluate, 4> offsets;
  llvm::SmallVector<Evaluate, 4> extents;  ///< empty functions for points
  llvm::SmallVector<int64_t, 4> steps;     ///< from index to index
};

/// One dimension of a region: the coordinates first..last of 0..extent lie within the tensor.
struct Span {
  int64_t extent, offset, step, stride;
  int64_t first, last;

  Span(int64_t extent, int64_t offset, int64_t step, int64_t limit, int64_t stride)
      : extent(extent), offset(offset), step(step), stride(stride) {
    first = offset >= 0 ? 0 : (step - 1 - offset) / step;
    last = offset >= limit ? 0 : (limit - 1 - offset) / step + 1;
    first = std::min(first, extent);
    last = std::max(first, std::min(last, extent));
  }
  bool contains(int64_t coordinate) const { return first <= coordinate && coordinate < last; }
  int64_t position(int64_t coordinate) const { return (offset + coordinate * step) * stride; }
};

/// A region with its numbers: the element that its points select, and its dimensions.
struct Placement {
  int64_t base = 0;
  bool is_inside = true;  ///< of every point; else `base` means nothing
  llvm::SmallVector<Span, 4> spans;
};

/// Copies element by element, over the part of the region that lies within the destination.
class CopyClosure {
 public:
  CopyClosure(const Stmt& stmt, RegionClosure to, RegionClosure from, Scalar fill,
              const AxisCell* around)
      : stmt_(stmt), to_(std::move(to)), from_(std::move(from)), fill_(fill), around_(around) {}

  void operator()() const {
    const Placement to = place(to_), from = place(from_);
    for (size_t dim = 0; dim < to.spans.size(); ++dim)
      if (to.spans[dim].extent != from.spans[dim].extent)
        fail_here(fmt::format("extent {} is {} on the left and {} on the right", dim,
                              to.spans[dim].extent, from.spans[dim].extent));
    if (to.is_inside) copy(to.spans, from.spans, to.base, from.base, from.is_inside);
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(to_string(stmt_), what, around_);
  }

  Placement place(const RegionClosure& region) const {
    Placement result;
    for (size_t dim = 0; dim < region.offsets.size(); ++dim) {
      const bool is_point = !region.extents[dim];
      const int64_t extent = is_point ? 1 : region.extents[dim]().integer;
      if (extent < 0) fail_here(fmt::format("extent {} is {}", result.spans.size(), extent));
      const Span span(extent, region.offsets[dim]().integer, region.steps[dim],
                      region.storage->shape()[dim], region.storage->strides()[dim]);
      if (!is_point)
        result.spans.push_back(span);
      else if (span.contains(0))
        result.base += span.position(0);
      else
        result.is_inside = false;
    }
    return result;
  }

  /// `from` means nothing outside the source.
  void copy(llvm::ArrayRef<Span> to_spans, llvm::ArrayRef<Span> from_spans, int64_t to,
            int64_t from, bool is_inside) const {
    if (to_spans.empty()) return copy_element(to, from, is_inside);
    const Span &target = to_spans.front(), &source = from_spans.front();
    for (int64_t coordinate = target.first; coordinate < target.last; ++coordinate) {
      const bool stays_inside = is_inside && source.contains(coordinate);
      copy(to_spans.drop_front(), from_spans.drop_front(), to + target.position(coordinate),
           stays_inside ? from + source.position(coordinate) : 0, stays_inside);
    }
  }

  void copy_element(int64_t to, int64_t from, bool is_inside) const {
    if (!is_inside) return to_.storage->write(to, fill_);
    if (!to_.storage->take(to, *from_.storage, from))
      fail_here(fmt::format("reads {}, which nothing has written", from_.storage->describe(from)));
  }

  const Stmt stmt_;
  const RegionClosure to_, from_;
  const Scalar fill_;
  const AxisCell* const around_;
};

}  // namespace

void Closures::bind(const TensorNode& argument, Buffer& buffer) {
  tensors_[argument.name] =
      &storages_.emplace_back(argument, storage_shape(argument, sizes_), buffer);
}

Storage* Closures::storage_of(const TensorNode& tensor) const {
  Storage* storage = tensors_.lookup(tensor.name);
  if (!storage) throw std::invalid_argument(fmt::format("{} is not in scope", tensor.name));
  return storage;
}

AxisCell* Closures::enter(const AxisPtr& axis) {
  AxisCell* cell = &cells_.emplace_back(AxisCell{axis.get(), innermost_});
  innermost_ = cell;
  return cell;
}

Execute Closures::compile(const Stmt& stmt) {
  return visit(
      stmt, [&](const For& node) { return compile_for(node); },
      [&](const Seq& node) -> Execute {
        llvm::SmallVector<Execute, 2> stmts;
        for (const Stmt& nested : node.stmts) stmts.push_back(compile(nested));
        return [stmts = std::move(stmts)] {
          for (const Execute& nested : stmts) nested();
        };
      },
      [&](const If& node) -> Execute {
        return [condition = compile(node.condition), body = compile(node.body)] {
          if (condition().integer != 0) body();
        };
      },
      [&](const Let& node) { return compile_let(node); },
      [&](const Store& node) { return compile_store(node); },
      [&](const Alloc& node) { return compile_alloc(node); },
      [&](const Copy& node) { return compile_copy(stmt, node); },
      [&](const Instr& node) -> Execute {
        fail(node.opcode.word(), "has no meaning in loop IR, which is what the interpreter runs",
             innermost_);
      });
}

Execute Closures::compile_for(const For& loop) {
  const llvm::SaveAndRestore<const AxisCell*> scope(innermost_);
  Evaluate extent = compile(loop.extent);
  const std::string text = fmt::format("for {} in 0..{}", loop.axis->name, loop.extent);
  AxisCell* cell = enter(loop.axis);
  return [extent = std::move(extent), text, cell, body = compile(loop.body)] {
    const int64_t count = extent().integer;
    if (count < 0) fail(text, fmt::format("the extent is {}", count), cell->outer);
    for (cell->value = 0; cell->value < count; ++cell->value) body();
  };
}

Execute Closures::compile_let(const Let& let) {
  const llvm::SaveAndRestore<const AxisCell*> scope(innermost_);
  Evaluate value = compile(let.value);
  AxisCell* cell = enter(let.axis);
  return [value = std::move(value), cell, body = compile(let.body)] {
    cell->value = value().integer;
    body();
  };
}

/// An element goes as it is, with a value or without, also where a condition chooses it.
Move Closures::compile_move(const Expr& value) {
  if (const auto* load = llvm::dyn_cast<Load>(value))
    return [source = access(load->tensor, load->indices)](const Access& target) {
      const int64_t from = source.position(), to = target.position();
      if (!target.storage->take(to, *source.storage, from)) source.read(from);  // which fails
    };
  if (const auto* choice = llvm::dyn_cast<Select>(value))
    return [condition = compile(choice->condition), if_true = compile_move(choice->if_true),
            if_false = compile_move(choice->if_false)](const Access& target) {
      return condition().integer != 0 ? if_true(target) : if_false(target);
    };
  return [value = compile(value)](const Access& target) {
    const Scalar result = value();
    target.storage->write(target.position(), result);
  };
}

Execute Closures::compile_store(const Store& store) {
  if (store.update == Update::set)
    return [move = compile_move(store.value), target = access(store.tensor, store.indices)] {
      move(target);
    };
  Access target = access(store.tensor, store.indices);
  if (!store.op)
    return [value = compile(store.value), target = std::move(target),
            combine = combiner(store.update)] {
      const Scalar operand = value();
      const int64_t position = target.position();
      target.storage->write(position, apply(combine, target.read(position), operand));
    };
  const Expr result = combined(store, Load::make(store.tensor, store.indices), store.value);
  return [result = compile(result), target = std::move(target)] {
    const Scalar updated = result();
    target.storage->write(target.position(), updated);
  };
}

Execute Closures::compile_alloc(const Alloc& alloc) {
  const TensorNode& tensor = *alloc.tensor;
  Storage* storage = nullptr;
  try {
    storage = &storages_.emplace_back(tensor, storage_shape(tensor, sizes_));
  } catch (const std::length_error& error) {
    fail(fmt::format("alloc {}", tensor.name), error.what(), innermost_);
  }
  tensors_[tensor.name] = storage;
  Execute body = compile(alloc.body);
  tensors_.erase(tensor.name);
  return [storage, body = std::move(body)] {
    storage->forget();
    body();
  };
}

Execute Closures::compile_copy(const Stmt& stmt, const Copy& copy) {
  assert(copy.destination.tensor->type == copy.source.tensor->type && "a copy converts nothing");
  assert(copy.destination.extents().size() == copy.source.extents().size() &&
         "the regions of a copy have the same rank");
  const auto compile_region = [&](const Region& region) {
    RegionClosure result{storage_of(*region.tensor), {}, {}, {}};
    for (const Range& range : region.ranges) {
      result.offsets.push_back(compile(range.offset));
      result.extents.push_back(range.is_point() ? Evaluate() : compile(range.extent));
      result.steps.push_back(range.stride);
    }
    return result;
  };
  return CopyClosure(stmt, compile_region(copy.destination), compile_region(copy.source),
                     compile(copy.fill)(), innermost_);
}

}  // namespace hone::detail
