// A[i, k] of shape [M, K]              =>   A[i*K + k] of shape [M*K]
// s[i, k] of shape [8, 32] @order(1, 0) @pad(1)   =>   s[k, i] of shape [32, 9]
//
// Every read and write goes through the layout of its tensor here; behind it all layouts are plain.
// A swizzle takes bits of an index, and those of some terms are constant: sums that have names are
// spelled out in it, and a name that nothing uses any more goes away.

#include "codegen/pass/lets.h"
#include "codegen/pass/passes.h"
#include "ir/core/layout.h"
#include "ir/traverse/rewriter.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

class Flatten : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override {
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    if (!load) return rebuilt;
    return Load::make(plain(load->tensor), place(*load->tensor, load->indices));
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* let = llvm::dyn_cast<Let>(stmt); let && is_sum(let->value))
      sums_.push_back({let->axis.get(), spelled_out(let->value)});
    const Stmt rebuilt = rewrite_operands(stmt);
    if (const auto* store = llvm::dyn_cast<Store>(rebuilt))
      return store->with(plain(store->tensor), place(*store->tensor, store->indices), store->value);
    if (const auto* instr = llvm::dyn_cast<Instr>(rebuilt)) return placed(*instr);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(rebuilt))
      return Alloc::make(plain(alloc->tensor), alloc->body);
    if (const auto* copy = llvm::dyn_cast<Copy>(rebuilt))
      return copy->with_regions(place(copy->destination, copy->vector),
                                place(copy->source, copy->vector));
    return rebuilt;
  }

 private:
  /// The copy engine knows the layout of a box's tensor.
  Stmt placed(const Instr& instr) {
    llvm::SmallVector<ElementRef, 3> places;
    for (const auto& [at, kind] : llvm::zip(instr.places, instr.opcode.place_kinds()))
      places.push_back({plain(at.tensor), kind == FormatPart::Kind::element
                                              ? place(*at.tensor, at.indices)
                                              : at.indices});
    return instr.with(places, instr.values);
  }

  static bool is_sum(const Expr& value) {
    const auto* binary = llvm::dyn_cast<Binary>(value);
    return binary && binary->op == BinaryOp::add && value.type() == DType::index;
  }

  Expr spelled_out(Expr index) const {
    for (const auto& [axis, value] : sums_) index = substitute(index, axis, value);
    return index;
  }

  llvm::SmallVector<Expr, 4> place(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
    if (tensor.scope == Scope::global) return {storage_offset(tensor, indices)};
    if (tensor.layout.swizzles.empty()) return storage_indices(tensor, indices);
    const auto spelled = llvm::map_range(indices, [&](const Expr& i) { return spelled_out(i); });
    return storage_indices(tensor, llvm::to_vector<4>(spelled));
  }

  /// The elements of one access lie along the fastest dimension.
  Region place(const Region& region, int64_t elements) {
    Region result{plain(region.tensor), {}};
    for (const Expr& index : place(*region.tensor, region.first()))
      result.ranges.push_back({index, {}});
    result.ranges.back().extent = elements;
    return result;
  }

  TensorPtr plain(const TensorPtr& tensor) {
    TensorPtr& result = plain_[tensor.get()];
    if (result) return result;
    if (tensor->scope == Scope::global) return result = flattened(*tensor);
    if (tensor->layout.is_row_major()) return result = tensor;
    return result = make_form(*tensor, storage_shape(*tensor), tensor->scope, {}, tensor->address);
  }

  llvm::DenseMap<const TensorNode*, TensorPtr> plain_;
  llvm::SmallVector<std::pair<const AxisNode*, Expr>, 4> sums_;  ///< lets, by what they stand for
};

}  // namespace

void flatten_accesses(KernelFunction& kernel) {
  kernel.body = with_lets_inlined(Flatten().rewrite(kernel.body));
}

}  // namespace hone
