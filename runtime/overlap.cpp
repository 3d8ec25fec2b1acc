// Checks of arrays of one run that share memory.
#include "ir/analysis/in_place.h"
#include "runtime/compile.h"

namespace hone {
namespace {

bool overlap(const AnyArray& lhs, const AnyArray& rhs) {
  const auto* left = static_cast<const char*>(lhs.data());
  const auto* right = static_cast<const char*>(rhs.data());
  return lhs.bytes() != 0 && rhs.bytes() != 0 && left < right + rhs.bytes() &&
         right < left + lhs.bytes();
}

/// True where an index names the same element of both.
bool is_one_array(const AnyArray& lhs, const AnyArray& rhs) {
  return lhs.data() == rhs.data() && lhs.dtype() == rhs.dtype() && lhs.shape() == rhs.shape() &&
         lhs.strides() == rhs.strides();
}

struct Shared {
  const TensorPtr& tensor;
  const AnyArray& array;
};

void check_shared(const Function& function, const Shared& lhs, const Shared& rhs) {
  const auto refuse = [&](const std::string& what) {
    throw RuntimeError("{}: {} and {} {}", function.name, lhs.tensor->name, rhs.tensor->name, what);
  };
  if (!is_one_array(lhs.array, rhs.array))
    refuse(
        "share memory without being one array, and one of them is written; copy one of them "
        "with clone()");
  if (const auto problem = in_place_problem(function, lhs.tensor, rhs.tensor))
    refuse(fmt::format("are one array, and {}; copy one of them with clone()", *problem));
  if (!function.may_alias)
    refuse(
        "share memory, and the kernel was compiled for arrays that do not; schedule it with "
        "may_alias()");
}

}  // namespace

void check_overlap(const LaunchContract& contract, const Function& function,
                   llvm::ArrayRef<AnyArray> arrays) {
  for (const OverlapCheck& check : contract.overlaps) {
    const Shared before{contract.arguments[check.first].tensor, arrays[check.first]};
    const Shared after{contract.arguments[check.second].tensor, arrays[check.second]};
    if (overlap(before.array, after.array)) check_shared(function, before, after);
  }
}

}  // namespace hone
