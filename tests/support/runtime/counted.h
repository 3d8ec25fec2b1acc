// Counts of count mode for small kernels.
#pragma once

#include <ostream>

#include "codegen/parse_kernel.h"
#include "ir/interpret/interpreter.h"
#include "runtime/sim/count/count.h"

namespace hone {

inline void PrintTo(const BranchCounts& counts, std::ostream* out) {
  *out << counts.divergent << " of " << counts.warps << " branches diverge";
}

inline CountReport count_text(const std::string& text, const Sizes& sizes,
                              const CountOptions& options = {}) {
  const KernelFunction kernel = parse_kernel(text);
  Buffers buffers;
  std::vector<SimArgument> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    std::vector<int64_t> shape;
    for (const Expr& extent : tensor->shape) shape.push_back(evaluate(extent, sizes));
    Buffer& buffer = buffers[tensor->name] = Buffer(tensor->type, shape);
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size()});
  }
  return count(kernel, sizes, arguments, options);
}

struct CountShape {
  std::string block = "32, 1, 1";
  std::string type = "f32";
  std::string grid = "1, 1, 1";
};

/// Counts a kernel with `t` for thread.x, an input A and an output C of 4096 elements.
inline CountReport count_body(const std::string& body, const CountShape& shape = {},
                              const CountOptions& options = {}) {
  return count_text("kernel k[N](A: " + shape.type + "[N], C: " + shape.type + "[N]) grid(" +
                        shape.grid + ") block(" + shape.block + ") @index32 { let t = thread.x " +
                        body + " }",
                    {{"N", 4096}}, options);
}

}  // namespace hone
