// The options of the steps of a schedule, and the results of those that make tensors.
#pragma once

#include <array>
#include <vector>

#include "dsl/program.h"
#include "ir/schedule/primitives.h"

namespace hone {

struct SplitOptions {
  Tail tail = Tail::guard;
  /// Names for the outer and the inner axis; by default, or where one is null, i.0 and i.1.
  std::array<const char*, 2> names = {nullptr, nullptr};
};

struct TileOptions {
  Tail tail = Tail::guard;
  /// Names for the outer axes, and then for the inner ones; by default, or where
  /// one is null, i.0, j.0, i.1 and j.1.
  std::vector<const char*> names = {};
};

struct FuseOptions {
  /// A name for the axis; by default i_j.
  const char* name = nullptr;
};

/// Names for the axes that a step makes, in the order in which it returns them. Where one is null,
/// or there are fewer names than axes, an axis has its default name.
struct NamesOfAxes {
  std::vector<const char*> names = {};
};

/// The result of a cache step: the tile, which stands for itself where a tensor is asked for.
struct Cache {
  Tensor tensor;

  operator const Tensor&() const { return tensor; }
};

/// The result of cache_global: the copy, and the axes of the nest that makes it, one per dimension.
struct GlobalCache {
  Tensor tensor;
  std::vector<Axis> axes;

  operator const Tensor&() const { return tensor; }
};

/// The result of rfactor: the partial results, the spatial axis that they are computed over, and
/// the axis of their reduction.
struct RFactor {
  Tensor tensor;
  Axis partial, total;
};

}  // namespace hone
