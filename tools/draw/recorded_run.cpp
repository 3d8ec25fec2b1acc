#include "tools/draw/recorded_run.h"

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/scalar/scalar.h"
#include "runtime/compile.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

using Arrays = std::map<std::string, AnyArray, std::less<>>;

/// Small whole numbers: integers from 0 on, since they may be indices.
Scalar value_of(DType type, int64_t position) {
  const int64_t value = position * 7 % 13;
  if (is_tuple(type)) return Scalar::zero(type);
  return is_float(type) ? Scalar::of_float(type, static_cast<double>(value - 6))
                        : Scalar::of_int(type, value);
}

AnyArray filled_array(const TensorNode& tensor, const Sizes& sizes) {
  AnyArray array = array_for(tensor, sizes);
  auto* const bytes = static_cast<std::byte*>(array.data());
  for (int64_t position = 0; position < array.storage_size(); ++position)
    write_element(bytes + position * size_of(tensor.type), value_of(tensor.type, position));
  return array;
}

bool is_output_of(const KernelFunction& kernel, const TensorNode& tensor) {
  return llvm::any_of(kernel.arguments, [&](const TensorPtr& argument) {
    return argument->name == tensor.name && is_written(kernel, argument);
  });
}

/// A copy where a kernel writes.
AnyArray given_array(const Module& module, const TensorNode& tensor, const AnyArray& given) {
  const bool is_output = llvm::any_of(
      module.kernels, [&](const KernelFunction& kernel) { return is_output_of(kernel, tensor); });
  return is_output ? given.clone() : given;
}

Arrays arrays_of(const Module& module, const Sizes& sizes, const DrawOptions& options) {
  Arrays arrays;
  for (const TensorPtr& tensor : module.arguments) {
    const auto given = options.arrays.find(tensor->name);
    arrays.emplace(tensor->name, given == options.arrays.end()
                                     ? filled_array(*tensor, sizes)
                                     : given_array(module, *tensor, given->second));
  }
  for (const auto* tensors : {&module.temporaries, &module.counters})
    for (const TensorPtr& tensor : *tensors)
      arrays.emplace(tensor->name, array_for(*tensor, sizes));
  return arrays;
}

/// One block in from the corner, where there is one: it has neighbours before it and behind it.
std::array<int64_t, 3> drawn_block(const std::array<int64_t, 3>& grid) {
  return {std::min<int64_t>(1, grid[0] - 1), std::min<int64_t>(1, grid[1] - 1), 0};
}

/// Those around a block in x and y.
std::vector<int64_t> neighbours(const std::array<int64_t, 3>& block,
                                const std::array<int64_t, 3>& grid) {
  std::vector<int64_t> numbers;
  for (int64_t y = std::max<int64_t>(block[1] - 1, 0); y <= std::min(block[1] + 1, grid[1] - 1);
       ++y)
    for (int64_t x = std::max<int64_t>(block[0] - 1, 0); x <= std::min(block[0] + 1, grid[0] - 1);
         ++x)
      if (x != block[0] || y != block[1]) numbers.push_back(x + y * grid[0]);
  return numbers;
}

TensorIndex tensor_of(const KernelFunction& kernel, const TensorNode& tensor, const Sizes& sizes) {
  for (const TensorPtr& argument : kernel.arguments)
    if (argument->name == tensor.name) return {*argument, sizes};
  return {tensor, sizes};
}

RecordedKernel record_kernel(const KernelFunction& kernel, const Sizes& sizes, const Arrays& arrays,
                             const DrawOptions& draw_options) {
  RecordedKernel recorded;
  recorded.kernel = &kernel;
  const LaunchDims dims = launch_dims(kernel, sizes);
  const std::array<int64_t, 3> grid = {dims.grid[0], dims.grid[1], dims.grid[2]};
  if (grid[0] * grid[1] * grid[2] == 0) return recorded;
  recorded.block = drawn_block(grid);
  recorded.block_number = recorded.block[0] + recorded.block[1] * grid[0];
  llvm::SmallVector<SimArgument, 8> arguments;
  for (const TensorPtr& tensor : kernel.arguments) {
    const AnyArray& array = arrays.find(tensor->name)->second;
    arguments.push_back({tensor->name, array.data(), array.storage_size()});
  }
  RecordOptions options;
  options.most_blocks = draw_options.most_blocks;
  options.kept_blocks = {recorded.block_number};
  options.read_blocks = neighbours(recorded.block, grid);
  recorded.report = record(kernel, sizes, arguments, options);
  for (const RecordedAccess& access : recorded.report.accesses)
    recorded.tensors.push_back(tensor_of(kernel, *access.report.tensor, sizes));
  return recorded;
}

}  // namespace

Recording::Recording(const Schedule& schedule, const Sizes& sizes, const DrawOptions& options)
    : Recording(lower(schedule), schedule.function(), sizes, options) {}

Recording::Recording(Module module, const Function& program, const Sizes& sizes,
                     const DrawOptions& options) {
  const auto run = std::make_shared<RecordedRun>();
  run->function = program;
  run->module = std::move(module);
  run->sizes = sizes;
  run->options = options;
  run->options.arrays.clear();  // figures are made of the record alone
  const Arrays arrays = arrays_of(run->module, sizes, options);
  for (const KernelFunction& kernel : run->module.kernels)
    run->kernels.push_back(record_kernel(kernel, sizes, arrays, options));
  run_ = run;
}

std::array<int64_t, 3> RecordedKernel::thread(int64_t number) const {
  const auto [x, y, z] = report.block;
  return {number % x, number / x % y, number / (x * y)};
}

std::string RecordedKernel::thread_text(int64_t number) const {
  const auto [x, y, z] = thread(number);
  if (report.block[2] > 1) return fmt::format("{},{},{}", z, y, x);
  return report.block[1] > 1 ? fmt::format("{},{}", y, x) : std::to_string(x);
}

}  // namespace hone
