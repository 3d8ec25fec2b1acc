#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/random_program.h"

namespace hone {
namespace {

/// Integers of a small range; floats have both signs.
double random_element(DType type, uint64_t bits) {
  if (type == DType::boolean) return static_cast<double>(bits % 2);
  if (type == DType::u8) return static_cast<double>(bits % (input_bound + 1));
  return static_cast<double>(bits % (2 * input_bound + 1)) - input_bound;
}

}  // namespace

Buffer buffer_for(const TensorNode& tensor, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(evaluate(extent, sizes));
  if (shape.empty()) return Buffer(tensor.type, shape);
  const auto fastest = static_cast<size_t>(fastest_dim(tensor));
  return Buffer(tensor.type, shape, fastest, evaluate(row_pitch(tensor), sizes));
}

Buffers random_buffers(const Function& function, const Sizes& sizes, uint64_t seed,
                       const std::map<std::string, Expr>& places) {
  Buffers buffers;
  for (const TensorPtr& tensor : function.arguments) {
    Buffer buffer = buffer_for(*tensor, sizes);
    uint64_t bits = seed;
    for (const char c : tensor->name) bits = mix(bits, static_cast<uint64_t>(c));
    uint64_t number = 0;
    const auto place = places.find(tensor->name);
    const int64_t extent = place == places.end() ? 0 : evaluate(place->second, sizes);
    fill_with(buffer, [&] {
      const uint64_t random = mix(bits, number++) >> 8;
      return extent > 0 ? static_cast<double>(random % static_cast<uint64_t>(extent))
                        : random_element(tensor->type, random);
    });
    buffers.emplace(tensor->name, std::move(buffer));
  }
  return buffers;
}

}  // namespace hone
