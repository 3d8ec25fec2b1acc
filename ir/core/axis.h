// Axes and params: the variables of expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/core/ref_counted.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

enum class AxisKind : uint8_t { spatial, reduction };

/// A number that no other axis, tensor or operator has; later ones are larger. An order by it is
/// the same in every run, wherever things lie in memory.
uint64_t next_id();

/// An iteration variable. Two handles are the same axis when they share the node; names are unique
/// within a function, so that text identifies an axis too.
struct AxisNode : RefCounted<AxisNode> {
  const uint64_t id = next_id();
  std::string name;  ///< empty: a variable of proofs, which is in no function
  AxisKind kind;
  /// The declared axes that this one descends from by split, tile and fuse.
  llvm::SmallVector<std::string, 1> roots;
  /// Of a fused axis: where it is outer*inner_extent + inner. Null, and 0, for any other, and where
  /// the extent is not constant.
  llvm::IntrusiveRefCntPtr<const AxisNode> outer, inner;
  int64_t inner_extent = 0;
};
using AxisPtr = llvm::IntrusiveRefCntPtr<const AxisNode>;

/// `roots` defaults to the part of the name before the first '.'.
AxisPtr make_axis(llvm::StringRef name, AxisKind kind, llvm::ArrayRef<std::string> roots = {});
/// The axis outer*inner_extent + inner, which descends from the roots of both.
AxisPtr make_fused_axis(llvm::StringRef name, const AxisPtr& outer, const AxisPtr& inner,
                        std::optional<int64_t> inner_extent);

/// A variable of proofs: an axis without a name, which is equal to itself alone.
AxisPtr make_variable();

/// A size that is known when the kernel is launched; not negative. Its name is its identity, by
/// which sizes are given.
struct ParamNode : RefCounted<ParamNode> {
  std::string name;
};
using ParamPtr = llvm::IntrusiveRefCntPtr<const ParamNode>;

ParamPtr make_param(llvm::StringRef name);

}  // namespace hone
