#include "ir/interpret/interpreter.h"

#include "fmt/format.h"
#include "ir/interpret/interpreter_closures.h"
#include "ir/interpret/trips.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

template <class Map>
auto& buffer_of(const TensorNode& argument, Map& buffers) {
  const auto entry = buffers.find(argument.name);
  if (entry == buffers.end())
    throw std::invalid_argument(fmt::format("no buffer is given for {}", argument.name));
  return entry->second;
}

void check_buffer(const TensorNode& argument, const Buffer& buffer, const Sizes& sizes) {
  const StorageShape storage = storage_shape(argument, sizes);
  if (buffer.type != argument.type || buffer.shape != storage.shape)
    throw std::invalid_argument(fmt::format("the buffer of {} is {}, expected {}", argument.name,
                                            to_string(buffer.type, buffer.shape),
                                            to_string(argument.type, storage.shape)));
  const int64_t expected = byte_count(argument.type, {storage.elements});
  const int64_t got = buffer.bytes.size();
  if (got != expected)
    throw std::invalid_argument(fmt::format("the buffer of {} has {} bytes, {} takes {}",
                                            argument.name, got,
                                            to_string(argument.type, storage.shape), expected));
}

/// The place where a size was found, for the message about the second one.
struct Origin {
  std::string argument;
  size_t dim;
};

void unify(const ParamNode& param, int64_t size, const Origin& origin, Sizes& sizes,
           std::map<std::string, Origin>& origins) {
  const auto [known, is_new] = sizes.try_emplace(param.name, size);
  const Origin& first = origins.try_emplace(param.name, origin).first->second;
  if (known->second != size)
    throw std::invalid_argument(
        fmt::format("{} is {} in dimension {} of {} and {} in dimension {} of {}", param.name,
                    known->second, first.dim, first.argument, size, origin.dim, origin.argument));
}

}  // namespace

/// A minute and more.
constexpr int64_t most_trips = int64_t{1} << 32;

void interpret(const Function& function, const Sizes& sizes, Buffers& buffers) {
  for (const ParamPtr& param : function.params) detail::size_of_param(*param, sizes);
  if (const int64_t trips = count_trips(function.body, sizes); trips > most_trips)
    throw std::invalid_argument(
        fmt::format("{} makes {} trips through loops, and the interpreter at most {}; take smaller "
                    "sizes, or compile the program for the host",
                    function.name, trips, most_trips));
  for (const Expr& assumption : function.assumptions)
    if (evaluate(assumption, sizes) == 0)
      throw std::invalid_argument(
          fmt::format("{} takes sizes for which {}", function.name, to_string(assumption)));
  detail::Closures closures(sizes);
  for (const TensorPtr& argument : function.arguments) {
    Buffer& buffer = buffer_of(*argument, buffers);
    check_buffer(*argument, buffer, sizes);
    closures.bind(*argument, buffer);
  }
  closures.compile(function.body)();
}

Sizes infer_sizes(const Function& function, const Buffers& buffers) {
  Sizes sizes;
  std::map<std::string, Origin> origins;
  for (const TensorPtr& argument : function.arguments) {
    const Buffer& buffer = buffer_of(*argument, buffers);
    if (buffer.shape.size() != argument->rank())
      throw std::invalid_argument(fmt::format("the buffer of {} is {}, expected {} dimensions",
                                              argument->name, to_string(buffer.type, buffer.shape),
                                              argument->rank()));
    for (size_t dim = 0; dim < argument->rank(); ++dim)
      if (const auto* extent = llvm::dyn_cast<ParamRef>(argument->shape[dim]))
        unify(*extent->param, buffer.shape[dim], {argument->name, dim}, sizes, origins);
  }
  return sizes;
}

int64_t evaluate(const Expr& expr, const Sizes& sizes) {
  assert(!is_float(expr.type()) && "not an index or a bool");
  detail::Closures closures(sizes);
  return closures.compile(expr)().integer;
}

}  // namespace hone
