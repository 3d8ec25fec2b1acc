// Some of the accesses to a tensor, picked out by the axes that choose their element.
#pragma once

#include "ir/schedule/primitives.h"

namespace hone {

using CacheStep = Rewrite(const Function&, const TensorPtr&, const AxisPtr&, const CacheOptions&);

/// A cache step of the accesses alone that run, dimension by dimension, over the axes which those
/// of `options.element` descend from: they are those of a tensor of their own while `cache` looks
/// at them. Refuses a tensor that is written inside the loop of `axis`, a tile, and an element of
/// which there is no access there.
Rewrite cache_picked(const char* primitive, const Function& function, const TensorPtr& tensor,
                     const AxisPtr& axis, CacheOptions options, CacheStep* cache);

}  // namespace hone
