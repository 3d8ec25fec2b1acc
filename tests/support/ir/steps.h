// Steps that find axes and tensors by name, for tests that take several.
#pragma once

#include "ir/schedule/legality/dimensions.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {

inline Function in_shared(const Function& f, llvm::StringRef name, llvm::StringRef under,
                          const CacheOptions& options = {}) {
  return cache_shared(f, tensor(f, name), axis(f, under), options).function;
}

inline Function in_registers(const Function& f, llvm::StringRef name, llvm::StringRef under,
                             const CacheOptions& options = {}) {
  return cache_registers(f, tensor(f, name), axis(f, under), options).function;
}

inline Function with_copy_loops(const Function& f, llvm::StringRef tile,
                                Direction direction = Direction::fill) {
  return copy_loops(f, tensor(f, tile), direction).function;
}

inline Function laid_out(const Function& f, llvm::StringRef tile, const Layout& layout) {
  return set_layout(f, tensor(f, tile), layout).function;
}

inline Function computed_at(const Function& f, llvm::StringRef name, llvm::StringRef at,
                            const ComputeAtOptions& options = {}) {
  return compute_at(f, tensor(f, name), axis(f, at), options).function;
}

inline Function parted(const Function& f, llvm::StringRef name, const Expr& factor,
                       Tail tail = Tail::guard) {
  return split(f, axis(f, name), factor, tail).function;
}

inline Function bound(const Function& f, llvm::StringRef name, const Binding& binding) {
  return bind(f, axis(f, name), binding).function;
}

inline Function vectorized(const Function& f, llvm::StringRef name) {
  return vectorize(f, axis(f, name)).function;
}

// The same as what expect_rewrite and expect_refusal take.

inline Rewriting stages(llvm::StringRef name, llvm::StringRef under, CacheOptions options = {}) {
  return [=](const Function& f) { return in_shared(f, name, under, options); };
}

inline Rewriting vectorizes(llvm::StringRef name) {
  return [=](const Function& f) { return vectorized(f, name); };
}

inline Rewriting computes(llvm::StringRef name, llvm::StringRef at, ComputeAtOptions options = {}) {
  return [=](const Function& f) { return computed_at(f, name, at, options); };
}

inline Rewriting inlines(llvm::StringRef name) {
  return [=](const Function& f) { return inline_tensor(f, tensor(f, name)).function; };
}

inline Rewriting fuses_epilogue(llvm::StringRef name) {
  return [=](const Function& f) { return fuse_epilogue(f, tensor(f, name)).function; };
}

inline Rewriting splits(llvm::StringRef name, Expr factor, Tail tail = Tail::guard) {
  return [=](const Function& f) { return parted(f, name, factor, tail); };
}

inline Rewriting reorders(std::initializer_list<llvm::StringRef> names) {
  const std::vector<llvm::StringRef> order(names);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 4> named;
    for (llvm::StringRef name : order) named.push_back(axis(f, name));
    return reorder(f, named).function;
  };
}

inline Rewriting factors(llvm::StringRef name, llvm::StringRef under) {
  return [=](const Function& f) { return rfactor(f, tensor(f, name), axis(f, under)).function; };
}

inline Rewriting reduces(llvm::StringRef name, llvm::StringRef at) {
  return [=](const Function& f) { return reduce_at(f, tensor(f, name), axis(f, at)).function; };
}

inline Rewriting splits_and_reduces(llvm::StringRef name, int factor, llvm::StringRef at) {
  return [=](const Function& f) { return reduces(name, at)(parted(f, "k", factor)); };
}

inline Rewriting splits_and_factors(llvm::StringRef name, int factor, llvm::StringRef under) {
  return [=](const Function& f) { return factors(name, under)(parted(f, "k", factor)); };
}

inline Rewriting pads(llvm::StringRef name, const Expr& factor) {
  return [=](const Function& f) { return parted(f, name, factor, Tail::pad); };
}

}  // namespace hone
