#include "tests/support/ir/traced_run.h"

#include <map>
#include <tuple>

#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The places of an element that one iteration of a loop touched.
struct Touches {
  std::set<int64_t> reads, sets;
  std::map<std::string, std::set<int64_t>> updates;  ///< iterations, by their operator

  std::set<int64_t> writes() const {
    std::set<int64_t> all = sets;
    for (const auto& [op, iterations] : updates) all.insert(iterations.begin(), iterations.end());
    return all;
  }
};

using Element = std::pair<std::string, int64_t>;  // of a tensor's storage

/// A loop that runs: what its iterations touch, until it ends.
struct Frame {
  const For* loop;
  int64_t iteration = 0;
  std::set<std::string> own = {};  ///< tensors that live in one iteration
  std::map<Element, Touches> touched = {};
};

class TracedRun {
 public:
  TracedRun(const Sizes& sizes, Buffers memory) : sizes_(sizes), memory_(std::move(memory)) {}

  void run(const Stmt& stmt) {
    visit(
        stmt, [&](const For& loop) { run_loop(loop); },
        [&](const Seq& seq) {
          for (const Stmt& part : seq.stmts) run(part);
        },
        [&](const If& branch) {
          if (value_of(branch.condition).integer != 0) run(branch.body);
        },
        [&](const Let& let) {
          values_[let.axis.get()] = value_of(let.value).integer;
          run(let.body);
        },
        [&](const Store& store) { run_store(store); },
        [&](const Alloc& alloc) { run_alloc(alloc); }, [&](const Copy& copy) { run_copy(copy); },
        [](const Instr&) { refuse(); });
  }

  std::set<ObservedDependence> found;

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("kernel IR is not traced"); }

  void run_loop(const For& loop) {
    const int64_t extent = evaluate(loop.extent, sizes_);
    frames_.push_back({&loop});
    for (int64_t n = 0; n < extent; ++n) {
      frames_.back().iteration = n;
      frames_.back().own.clear();
      values_[loop.axis.get()] = n;
      run(loop.body);
    }
    conclude(frames_.back());
    frames_.pop_back();
  }

  void run_alloc(const Alloc& alloc) {
    const StorageShape storage = storage_shape(*alloc.tensor, sizes_);
    memory_[alloc.tensor->name] = Buffer(alloc.tensor->type, {storage.elements});
    for (Frame& frame : frames_) frame.own.insert(alloc.tensor->name);
    run(alloc.body);
  }

  void run_store(const Store& store) {
    const int64_t place = place_of(*store.tensor, store.indices);
    Scalar value = value_of(store.value);
    std::byte* element = element_at(*store.tensor, place);
    if (store.update != Update::set)
      value = value_of(combined(store, constant_of(read_element(store.tensor->type, element)),
                                constant_of(value)));
    write_element(element_at(*store.tensor, place), value);
    note(*store.tensor, place, [&](Touches& touches) -> std::set<int64_t>& {
      return store.update == Update::set ? touches.sets : touches.updates[update_text(store)];
    });
  }

  void run_copy(const Copy& copy) {
    const auto extents = copy.destination.extents();
    llvm::SmallVector<int64_t, 4> shape, position(extents.size(), 0);
    for (const Expr& extent : extents) shape.push_back(evaluate(extent, sizes_));
    copy_from(copy, shape, position, 0);
  }

  void copy_from(const Copy& copy, llvm::ArrayRef<int64_t> shape,
                 llvm::SmallVectorImpl<int64_t>& position, size_t dim) {
    if (dim < shape.size()) {
      for (position[dim] = 0; position[dim] < shape[dim]; ++position[dim])
        copy_from(copy, shape, position, dim + 1);
      return;
    }
    const auto to = indices_of(copy.destination, position),
               from = indices_of(copy.source, position);
    if (!is_inside(*copy.destination.tensor, to)) return;
    Scalar value =
        copy.fill.defined() ? value_of(copy.fill) : Scalar::zero(copy.source.tensor->type);
    if (is_inside(*copy.source.tensor, from)) value = load(*copy.source.tensor, from);
    const TensorNode& tensor = *copy.destination.tensor;
    const int64_t place = offset_of(tensor, to);
    write_element(element_at(tensor, place), value);
    note(tensor, place, [](Touches& touches) -> std::set<int64_t>& { return touches.sets; });
  }

  llvm::SmallVector<int64_t, 4> indices_of(const Region& region, llvm::ArrayRef<int64_t> position) {
    llvm::SmallVector<int64_t, 4> indices;
    size_t next = 0;
    for (const Range& range : region.ranges)
      indices.push_back(
          value_of(range.is_point() ? range.offset : range.at(Expr(position[next++]))).integer);
    return indices;
  }

  Scalar value_of(const Expr& expr) {
    return visit(
        expr, [](const IntConst& n) { return Scalar::of_int(n.type, n.value); },
        [](const FloatConst& n) { return Scalar::of_float(n.type, n.value); },
        [&](const AxisRef& n) { return Scalar::of_int(DType::index, values_.at(n.axis.get())); },
        [&](const ParamRef& n) {
          return Scalar::of_int(DType::index, sizes_.find(n.param->name)->second);
        },
        [](const ThreadIndex&) -> Scalar { refuse(); },
        [&](const Load& n) {
          llvm::SmallVector<int64_t, 4> indices;
          for (const Expr& index : n.indices) indices.push_back(value_of(index).integer);
          return load(*n.tensor, indices);
        },
        [&](const Unary& n) { return apply(n.op, value_of(n.operand)); },
        [&](const Binary& n) {
          const Scalar lhs = value_of(n.lhs);
          if (n.op == BinaryOp::logical_and && lhs.integer == 0) return lhs;
          if (n.op == BinaryOp::logical_or && lhs.integer != 0) return lhs;
          return apply(n.op, lhs, value_of(n.rhs));
        },
        [&](const Select& n) {
          return value_of(value_of(n.condition).integer != 0 ? n.if_true : n.if_false);
        },
        [&](const Cast& n) { return convert(n.type, value_of(n.operand)); },
        [&](const Call& n) { return apply(n.intrinsic, values_of(n.arguments)); },
        [&](const MakeTuple& n) { return Scalar::of_tuple(values_of(n.components)); },
        [&](const Component& n) { return value_of(n.tuple).component(n.position); },
        [](const Shuffle&) -> Scalar { refuse(); },
        [&](const Named& n) { return value_of(n.value); });
  }

  llvm::SmallVector<Scalar, 4> values_of(llvm::ArrayRef<Expr> exprs) {
    llvm::SmallVector<Scalar, 4> values;
    for (const Expr& expr : exprs) values.push_back(value_of(expr));
    return values;
  }

  Scalar load(const TensorNode& tensor, llvm::ArrayRef<int64_t> indices) {
    const int64_t place = offset_of(tensor, indices);
    note(tensor, place, [](Touches& touches) -> std::set<int64_t>& { return touches.reads; });
    return read_element(tensor.type, element_at(tensor, place));
  }

  int64_t place_of(const TensorNode& tensor, llvm::ArrayRef<Expr> exprs) {
    llvm::SmallVector<int64_t, 4> indices;
    for (const Expr& index : exprs) indices.push_back(value_of(index).integer);
    return offset_of(tensor, indices);
  }

  bool is_inside(const TensorNode& tensor, llvm::ArrayRef<int64_t> indices) const {
    const StorageShape storage = storage_shape(tensor, sizes_);
    for (size_t dim = 0; dim < indices.size(); ++dim)
      if (indices[dim] < 0 || indices[dim] >= storage.shape[dim]) return false;
    return true;
  }

  int64_t offset_of(const TensorNode& tensor, llvm::ArrayRef<int64_t> indices) const {
    if (!is_inside(tensor, indices)) throw std::out_of_range(tensor.name);
    const StorageShape storage = storage_shape(tensor, sizes_);
    int64_t offset = 0;
    for (size_t dim = 0; dim < indices.size(); ++dim) offset += indices[dim] * storage.strides[dim];
    return offset;
  }

  std::byte* element_at(const TensorNode& tensor, int64_t place) {
    return memory_.find(tensor.name)->second.bytes.data() + place * hone::size_of(tensor.type);
  }

  void note(const TensorNode& tensor, int64_t place,
            llvm::function_ref<std::set<int64_t>&(Touches&)> list) {
    for (Frame& frame : frames_)
      if (!frame.own.count(tensor.name))
        list(frame.touched[{tensor.name, place}]).insert(frame.iteration);
  }

  void conclude(const Frame& frame) {
    for (const auto& [element, touches] : frame.touched) {
      const std::set<int64_t> writes = touches.writes();
      add(frame, element.first, writes, touches.reads, DependenceKind::flow);
      add(frame, element.first, touches.reads, writes, DependenceKind::anti);
      for (const auto& [op, iterations] : touches.updates) {
        add(frame, element.first, iterations, iterations, DependenceKind::reduction);
        add(frame, element.first, touches.sets, iterations, DependenceKind::output);
        add(frame, element.first, iterations, touches.sets, DependenceKind::output);
        for (const auto& [other, others] : touches.updates)
          if (other != op) add(frame, element.first, iterations, others, DependenceKind::output);
      }
      add(frame, element.first, touches.sets, touches.sets, DependenceKind::output);
    }
  }

  void add(const Frame& frame, const std::string& tensor, const std::set<int64_t>& earlier,
           const std::set<int64_t>& later, DependenceKind kind) {
    for (const int64_t first : earlier)
      for (const int64_t second : later)
        if (first < second) found.insert({frame.loop->axis->name, tensor, kind, second - first});
  }

  const Sizes& sizes_;
  Buffers memory_;
  std::map<const AxisNode*, int64_t> values_;
  std::vector<Frame> frames_;
};

bool covers(const LoopDependences& loop, const CarriedDependence& said,
            const ObservedDependence& seen) {
  return loop.loop->axis->name == seen.axis && said.kind == seen.kind &&
         said.tensor->name == seen.tensor && (!said.distance || *said.distance == seen.distance);
}

bool is_covered(llvm::ArrayRef<NestDependences> nests, const ObservedDependence& seen) {
  for (const NestDependences& nest : nests)
    for (const LoopDependences& loop : nest.loops)
      for (const CarriedDependence& said : loop.carried)
        if (covers(loop, said, seen)) return true;
  return false;
}

/// True if all loops of the nest are long enough to show a dependence of that distance.
bool can_show(const Function& function, const LoopDependences& one, const Sizes& sizes,
              int64_t distance) {
  const Site site = *find_site(function, one.loop->axis.get());
  if (llvm::any_of(site.around, [](const Stmt& stmt) { return llvm::isa<If>(stmt); })) return false;
  auto loops = site.enclosing_loops();
  llvm::append_range(loops, loops_of(one.loop->body));
  return evaluate(one.loop->extent, sizes) > distance &&
         llvm::all_of(loops, [&](const For* loop) { return evaluate(loop->extent, sizes) > 0; });
}

}  // namespace

std::string ObservedDependence::text() const {
  return fmt::format("{} carries a dependence ({} of {}, distance {})", axis, to_string(kind),
                     tensor, distance);
}

std::set<ObservedDependence> observed_dependences(const Function& function, const Sizes& sizes,
                                                  const Buffers& arguments) {
  TracedRun run(sizes, arguments);
  run.run(function.body);
  return run.found;
}

std::string disagreements(const Function& function, const Sizes& sizes, const Buffers& arguments) {
  const auto seen = observed_dependences(function, sizes, arguments);
  const auto nests = dependences_of(function);
  std::string text;
  for (const ObservedDependence& one : seen)
    if (!is_covered(nests, one)) text += "not mentioned: " + one.text() + "\n";
  for (const NestDependences& nest : nests)
    for (const LoopDependences& loop : nest.loops)
      for (const CarriedDependence& said : loop.carried) {
        if (!said.is_certain || !can_show(function, loop, sizes, said.distance.value_or(1)))
          continue;
        if (llvm::none_of(seen, [&](const auto& one) { return covers(loop, said, one); }))
          text += fmt::format("not seen: {} carries {} of {}\n", loop.loop->axis->name,
                              to_string(said.kind), said.tensor->name);
      }
  return text;
}

}  // namespace hone
