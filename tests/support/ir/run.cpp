#include "tests/support/ir/run.h"

#include "ir/parser.h"

namespace hone {

Buffer buffer_of(DType type, std::vector<int64_t> shape, const Values& values) {
  Buffer buffer(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i) buffer.set(i, values[i]);
  return buffer;
}

Buffer vector_of(const Values& values, DType type) {
  return buffer_of(type, {static_cast<int64_t>(values.size())}, values);
}

Buffer counting(DType type, std::vector<int64_t> shape) {
  Buffer buffer(type, std::move(shape));
  for (int64_t i = 0; i < buffer.size(); ++i) buffer.set(i, static_cast<double>(i + 1));
  return buffer;
}

Values values_of(const Buffer& buffer) {
  Values values;
  for (int64_t i = 0; i < buffer.size(); ++i) values.push_back(buffer.get(i));
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
