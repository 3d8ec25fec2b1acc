// Reductions to bind, and how they are bound.
#pragma once

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {

inline Rewriting binds(llvm::StringRef name, Binding binding, const CombineLevels& combine = {}) {
  binding.combine = combine;
  return [=](const Function& f) { return bound(f, name, binding); };
}

/// A sum over k, bound so.
inline std::string sum_over_k(const std::string& binding = "") {
  return fmt::format(R"(func f(A: f32[24], S: f32[]) {{
  S[] = 0.0
  reduce k in 0..24{} {{
    S[] += A[k]
  }}
}})",
                     binding);
}

}  // namespace hone
