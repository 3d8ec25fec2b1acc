#include "ir/schedule/legality/regrouping.h"

#include "fmt/format.h"
#include "ir/text/printer.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// The update of the tensor that stands first.
const MemoryAccess* find_update(const TensorPtr& tensor, llvm::ArrayRef<MemoryAccess> accesses) {
  for (const MemoryAccess& access : accesses)
    if (access.tensor == tensor && access.writes && access.update != Update::set) return &access;
  return nullptr;
}

/// "sums", "products"
const char* name_of(Update update) { return update == Update::add ? "sums" : "products"; }

Regrouping of_operator(const Store& store) {
  const DType type = store.tensor->type;
  const std::string name = hone::name(type).str();
  switch (store.update) {
    case Update::add:
    case Update::mul:
      if (is_float(type))
        return {true, false,
                fmt::format("{} of {} may be grouped in any way here, and round differently then",
                            name_of(store.update), name)};
      return {true, true,
              fmt::format("{} of {} wrap around, and come out the same in any order",
                          name_of(store.update), name)};
    case Update::min:
    case Update::max:
      return {true, true,
              fmt::format("the {} of values is one of them, and the same in any order",
                          store.update == Update::min ? "least" : "largest")};
    case Update::logical_and:
    case Update::logical_or:
      return {true, true, "and and or of conditions come out the same in any order"};
    case Update::custom:
      return {true, false,
              fmt::format("{} is declared to be associative and commutative", store.op->name)};
    case Update::set:
      break;
  }
  llvm_unreachable("an update without an operator");
}

}  // namespace

Regrouping regrouping_of(const TensorPtr& tensor, llvm::ArrayRef<MemoryAccess> accesses,
                         llvm::ArrayRef<CarriedDependence> carried) {
  const auto find = [&](auto holds) {
    return llvm::find_if(
        carried, [&](const CarriedDependence& one) { return one.tensor == tensor && holds(one); });
  };
  const auto* read = find([](const auto& one) { return one.kind == DependenceKind::flow; });
  if (read != carried.end())
    return {false, false,
            fmt::format("an iteration needs {} as one before leaves it", read->later)};
  const auto* other = find([](const auto& one) { return one.kind != DependenceKind::reduction; });
  if (other != carried.end())
    return {false, false, fmt::format("iterations do something else with {} too", other->later)};
  const MemoryAccess* update = find_update(tensor, accesses);
  if (!update) return {false, false, "no operator says that it may"};
  return of_operator(*llvm::cast<Store>(update->statement.get()));
}

}  // namespace hone
