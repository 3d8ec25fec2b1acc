#include "tests/support/ir/run.h"

#include "ir/text/parser.h"

namespace hone {

unsigned numbers_in(DType type) { return component_count(type); }

void fill_with(Buffer& buffer, llvm::function_ref<double()> next) {
  for (int64_t n = 0; n < buffer.size(); ++n)
    for (unsigned component = 0; component < numbers_in(buffer.type); ++component)
      buffer.set(n, next(), component);
}

Buffer buffer_of(DType type, std::vector<int64_t> shape, const Values& values) {
  Buffer buffer(type, std::move(shape));
  fill_with(buffer, [value = values.begin()]() mutable { return *value++; });
  return buffer;
}

Buffer vector_of(const Values& values, DType type) {
  return buffer_of(type, {static_cast<int64_t>(values.size() / numbers_in(type))}, values);
}

Buffer counting(DType type, std::vector<int64_t> shape) {
  Buffer buffer(type, std::move(shape));
  fill_with(buffer, [number = 0.0]() mutable { return ++number; });
  return buffer;
}

Values values_of(const Buffer& buffer) {
  Values values;
  for (int64_t i = 0; i < buffer.size(); ++i)
    for (unsigned component = 0; component < numbers_in(buffer.type); ++component)
      values.push_back(buffer.get(i, component));
  return values;
}

Values run(llvm::StringRef text, Buffers buffers) {
  const Function function = parse_function(text);
  interpret(function, infer_sizes(function, buffers), buffers);
  return values_of(buffers.at("C"));
}

std::string interpret_error(llvm::StringRef text, Buffers buffers) {
  return message_of<InterpretError>([&] { run(text, std::move(buffers)); });
}

}  // namespace hone
