// copy C[i*8 .. +8, j] <- C.reg[0 .. +8]
//
//   =>  for C.at in 0..8 @unroll
//         if (i*8 + C.at < M)
//           C[i*8 + C.at, j] = C.reg[C.at]

#include "codegen/pass/passes.h"
#include "ir/rename.h"
#include "ir/rewriter.h"

namespace hone {
namespace {

struct Indexed {
  llvm::SmallVector<Expr, 4> indices;
  Expr inside;  ///< the indices lie within the tensor
};

/// The element of the region at `position`, one index per range that is not a point.
Indexed element(const Region& region, llvm::ArrayRef<AxisPtr> position) {
  Indexed result{{}, true};
  const AxisPtr* next = position.begin();
  for (size_t dim = 0; dim < region.ranges.size(); ++dim) {
    const Range& range = region.ranges[dim];
    Expr index = range.offset;
    if (!range.is_point()) index = index + AxisRef::make(*next++);
    result.indices.push_back(index);
    result.inside = result.inside && (index >= 0 && index < region.tensor->shape[dim]);
  }
  return result;
}

Expr zero(DType type) {
  return is_float(type) ? FloatConst::make(0, type) : IntConst::make(0, type);
}

Stmt expand(const Copy& copy, Names& names) {
  const auto extents = copy.destination.extents();
  llvm::SmallVector<AxisPtr, 4> position;
  for (size_t n = 0; n < extents.size(); ++n)
    position.push_back(
        make_axis(names.fresh(copy.destination.tensor->name + ".at"), AxisKind::spatial));
  const Indexed to = element(copy.destination, position), from = element(copy.source, position);
  const TensorPtr& source = copy.source.tensor;
  const Expr value = select(from.inside, Load::make(source, from.indices), zero(source->type));
  Stmt nest =
      If::make(to.inside, Store::make(copy.destination.tensor, to.indices, Update::set, value));
  // Registers have no addresses: their indices must be known when the code is compiled.
  const bool in_registers =
      copy.destination.tensor->scope == Scope::registers || source->scope == Scope::registers;
  const Binding binding{in_registers ? Binding::Kind::unroll : Binding::Kind::serial, 0, 0};
  for (size_t n = extents.size(); n-- > 0;)
    nest = For::make(position[n], extents[n], binding, nest);
  return nest;
}

}  // namespace

void expand_copies(KernelFunction& kernel) {
  Names names(Function{kernel.name, kernel.params, kernel.arguments, false, kernel.body, {}});
  kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy ? expand(*copy, names) : Stmt();
  });
}

}  // namespace hone
