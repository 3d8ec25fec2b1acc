// Copies from and to CUDA arrays.
#pragma once

#include "runtime/cudart/copies.h"

namespace hone::cudart {

/// A place in an array: x in bytes.
struct ArrayPlace {
  const Array* array = nullptr;
  size_t x = 0, y = 0, z = 0;
};

/// The memory that the copy is to read or write. Throws CallError where it leaves the array, which
/// is a finding.
Place place_in(State& state, const char* call, const ArrayPlace& place, const Extent& extent);

/// A copy of bytes one behind the other, which go through rows of an array from a place on. Calls
/// `use` with stretches that are boxes: the place of each, its extent, and the bytes before it.
void for_each_stretch(const ArrayPlace& from, size_t bytes,
                      llvm::function_ref<void(const ArrayPlace&, const Extent&, size_t)> use);

}  // namespace hone::cudart
