#include "tools/cli/judge/problem.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "fmt/ranges.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/core/layout.h"
#include "ir/interpret/index_extent.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/ring_form.h"
#include "ir/scalar/scalar.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "runtime/host_memory.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "runtime/parallel.h"

namespace hone {
namespace {

/// By its name, which is its own in a program: kernel IR has nodes of its own for arguments.
bool is_written(const Function& program, const TensorPtr& tensor) {
  bool written = false;
  walk(program.body, [&](const Stmt& stmt) {
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      written |= store->tensor->name == tensor->name;
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      written |= copy->destination.tensor->name == tensor->name;
  });
  return written;
}

/// True if the values count that callers give the tensor: the program's first access to it reads,
/// or combines with the elements.
bool comes_with_values(const Function& program, const TensorPtr& tensor) {
  for (const MemoryAccess& access : collect_accesses(program.body))
    if (access.tensor->name == tensor->name) return !access.writes || access.update != Update::set;
  return true;
}

std::vector<TensorPtr> arguments_that(const Function& program,
                                      bool (*hold)(const Function&, const TensorPtr&)) {
  std::vector<TensorPtr> result;
  for (const TensorPtr& tensor : program.arguments)
    if (hold(program, tensor)) result.push_back(tensor);
  return result;
}

/// Those of the sizes that the shape is made of.
Sizes sizes_in(const TensorNode& tensor, const Sizes& sizes) {
  Sizes used;
  for (const Expr& extent : tensor.shape)
    walk(extent, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<ParamRef>(part);
      if (reference) used.insert(*sizes.find(reference->param->name));
    });
  return used;
}

[[noreturn]] void refuse(const InputFile& file, const TensorNode& tensor, const Sizes& sizes) {
  const std::string values = sizes.empty() ? "" : " with " + to_text(sizes);
  throw RuntimeError("{} holds {}, and {} is {}{}", file.path,
                     to_string(file.array.dtype(), file.array.shape()), tensor.name,
                     type_text(tensor), values);
}

/// In [-1, 1).
double random_number(int64_t bits, int count) {
  return static_cast<double>(bits) / static_cast<double>(int64_t{1} << (count - 1)) - 1;
}

/// Integers are uniform over so many bits, from the least one on.
constexpr int integer_bits = 4;
int64_t least_integer(DType type) { return type == DType::u8 ? 0 : -(1 << (integer_bits - 1)); }

/// Values of an argument's elements.
struct RandomValues {
  Elements elements;
  uint64_t seed;
  unsigned number;  ///< of the argument
  /// The extent of the dimension that they are indices in; 0 where they may be any.
  int64_t extent = 0;
};

Scalar random_element(DType type, const RandomValues& values, std::mt19937_64& engine) {
  const auto bits = [&](int count) { return static_cast<int64_t>(engine() >> (64 - count)); };
  if (values.extent > 0) return Scalar::of_int(type, bits(63) % values.extent);
  if (is_tuple(type)) {
    Scalar value = Scalar::zero(type);
    for (unsigned n = 0; n < component_count(type); ++n)
      value.set_component(n, random_element(component_type(type, n), values, engine));
    return value;
  }
  if (is_ring(type)) return Scalar::of_float(type, static_cast<double>(bits(32)));
  const int digits = values.elements == Elements::all_digits ? 53 : 8;
  if (is_float(type)) return Scalar::of_float(type, random_number(bits(digits), digits));
  if (type == DType::boolean) return Scalar::of_int(type, bits(1));
  return Scalar::of_int(type, bits(integer_bits) + least_integer(type));
}

/// As many elements have a generator of their own, so that all cores make some.
constexpr int64_t filled_at_once = 1 << 16;

/// Elements of part `part` of the argument: each has random numbers of its own.
void fill_part(std::byte* element, int64_t count, DType type, const RandomValues& values,
               size_t part) {
  std::vector<uint32_t> words = {static_cast<uint32_t>(values.seed),
                                 static_cast<uint32_t>(values.seed >> 32), values.number};
  if (part > 0) words.push_back(static_cast<uint32_t>(part));
  std::seed_seq sequence(words.begin(), words.end());
  std::mt19937_64 engine(sequence);
  for (int64_t n = 0; n < count; ++n, element += size_of(type))
    write_element(element, random_element(type, values, engine));
}

/// Each part is random, or a copy of the first one.
void fill_parts(AnyArray& dense, const RandomValues& values) {
  const DType type = dense.dtype();
  auto* const first = static_cast<std::byte*>(dense.data());
  fill_part(first, std::min(filled_at_once, dense.size()), type, values, 0);
  if (values.elements == Elements::sampled)
    return repeat_start(first, dense.bytes(), filled_at_once * size_of(type));
  const int64_t parts = (dense.size() + filled_at_once - 1) / filled_at_once;
  parallel_for(std::max<int64_t>(parts - 1, 0), [&](size_t behind) {
    const int64_t begin = static_cast<int64_t>(behind + 1) * filled_at_once;
    const int64_t count = std::min(filled_at_once, dense.size() - begin);
    std::byte* const element = first + begin * size_of(type);
    if (values.elements == Elements::repeated)
      std::memcpy(element, first, count * size_of(type));
    else
      fill_part(element, count, type, values, behind + 1);
  });
}

/// The same elements for all layouts, and for any number of cores.
void fill_randomly(AnyArray& array, const RandomValues& values) {
  if (array.layout().is_row_major()) return fill_parts(array, values);
  AnyArray dense(array.dtype(), array.shape(), Device::host(), Fill::uninitialized);
  fill_parts(dense, values);
  array.copy_elements(dense);
}

/// The extent that random elements lie in, which are indices; 0 where they are none, or any random
/// integers are some.
int64_t extent_of_indices(const Function& program, const TensorNode& tensor, const Sizes& sizes) {
  const int64_t extent = index_extent(program, tensor, sizes), first = least_integer(tensor.type);
  if (first >= 0 && first + (1 << integer_bits) <= extent) return 0;
  return tensor.type == DType::i8 ? std::min<int64_t>(extent, 128) : extent;
}

/// Fills with NaN, or with integers that no small inputs lead to; a bool is neither true nor false.
unsigned char poison_of(DType type) { return is_float(type) ? 0xff : 0x5a; }

void poison(AnyArray& array) { array.fill_bytes(poison_of(array.dtype())); }

void fill_input(AnyArray& array, const TensorNode& tensor, const InputFile& file,
                const Sizes& sizes) {
  if (!stands_for(file.array.dtype(), array.dtype()) || file.array.shape() != array.shape())
    refuse(file, tensor, sizes_in(tensor, sizes));
  array.copy_elements(file.array);
}

/// A row with a gap behind it, so that a mistake about it shows; rows start at multiples of 32
/// elements.
int64_t default_pitch(int64_t row) { return row / 32 * 32 + 32; }

}  // namespace

Elements chosen_elements(const Arguments& arguments, const Device& device) {
  if (!arguments.has("--ring")) return Elements::few_digits;
  if (device != Device::simulated())
    throw UsageError(
        "only the simulated device has elements of a ring, and this would run on {}; "
        "give --device=sim with --ring",
        to_string(device));
  return Elements::ring;
}

std::vector<TensorPtr> outputs_of(const Function& program) {
  return arguments_that(program, is_written);
}
std::vector<TensorPtr> inputs_of(const Function& program) {
  return arguments_that(program, comes_with_values);
}

std::vector<std::string> names_of(llvm::ArrayRef<TensorPtr> tensors) {
  std::vector<std::string> names(tensors.size());
  llvm::transform(tensors, names.begin(), [](const TensorPtr& tensor) { return tensor->name; });
  return names;
}

std::string type_text(const TensorNode& tensor) {
  return fmt::format("{}[{}]{}", name(tensor.type).str(), fmt::join(tensor.shape, ", "),
                     to_string(tensor.layout));
}

namespace {

/// An array alone in a .npy file, or that of the tensor's name in an .npz file.
AnyArray read_array(const std::string& path, const std::string& name) {
  return path.ends_with(".npz") ? read_npz(path, name) : read_npy(path);
}

}  // namespace

InputFiles read_inputs(const Arguments& arguments, const Function& program) {
  const std::vector<TensorPtr> tensors = inputs_of(program);
  const std::vector<std::string> known = names_of(tensors);
  InputFiles files;
  for (const std::string& text : arguments.values("--input")) {
    const auto [name, path] = split_assignment("--input", text);
    const auto tensor = llvm::find(known, name);
    if (tensor == known.end()) throw unknown("input", name, known, program.name);
    const auto [file, is_new] = files.emplace(name, InputFile{path, read_array(path, name)});
    if (!is_new) throw UsageError("the input {} is given twice", name);
    const TensorNode& node = *tensors[tensor - known.begin()];
    const AnyArray& array = file->second.array;
    if (!stands_for(array.dtype(), node.type) || array.shape().size() != node.rank())
      refuse(file->second, node, {});
  }
  return files;
}

Sizes sizes_of(const InputFiles& inputs, const Function& program) {
  Sizes sizes;
  for (const TensorPtr& tensor : inputs_of(program)) {
    const auto file = inputs.find(tensor->name);
    if (file == inputs.end()) continue;
    for (auto [extent, size] : llvm::zip(tensor->shape, file->second.array.shape()))
      if (const auto* reference = llvm::dyn_cast<ParamRef>(extent))
        sizes.emplace(reference->param->name, size);
  }
  return sizes;
}

Sizes with_pitches(const Function& program, Sizes sizes) {
  for (const TensorPtr& tensor : program.arguments) {
    if (!tensor->layout.row_pitch.defined()) continue;
    const auto* reference = llvm::dyn_cast<ParamRef>(tensor->layout.row_pitch);
    if (!reference || sizes.count(reference->param->name)) continue;
    const int64_t row = evaluate(tensor->shape[fastest_dim(*tensor)], sizes);
    sizes.emplace(reference->param->name, default_pitch(row));
  }
  return sizes;
}

Problem make_problem(const Function& program, const Sizes& sizes, const InputFiles& inputs,
                     uint64_t seed, Elements elements) {
  Problem problem = {with_pitches(program, sizes), {}};
  problem.is_random = inputs.empty();
  problem.elements = elements;
  check_memory(Device::host(), program.arguments, problem.sizes);
  for (const TensorPtr& argument : program.arguments) {
    const TensorPtr tensor = elements == Elements::ring ? RingForms().of(argument) : argument;
    const bool is_sampled = elements == Elements::sampled;
    AnyArray array = array_for(*tensor, problem.sizes, Device::host(),
                               is_sampled ? Fill::zeros : Fill::uninitialized);
    const bool is_input = comes_with_values(program, argument);
    const auto file = inputs.find(tensor->name);
    const bool has_gaps = array.storage_size() != array.size();
    if (has_gaps || (!is_input && !is_sampled)) poison(array);
    if (file != inputs.end()) {
      fill_input(array, *tensor, file->second, problem.sizes);
    } else if (is_input) {
      fill_randomly(array, {elements, seed, static_cast<unsigned>(problem.arguments.size()),
                            extent_of_indices(program, *argument, problem.sizes)});
    }
    problem.arguments.push_back({tensor, array, is_input, is_written(program, tensor)});
  }
  return problem;
}

namespace {

/// Poisoned, or zeros in memory that is not touched.
AnyArray unwritten_like(const AnyArray& output, const Device& device, Elements elements) {
  const bool is_zero = elements == Elements::sampled;
  AnyArray array(output.dtype(), output.shape(), device, output.layout(),
                 is_zero ? Fill::zeros : Fill::uninitialized);
  if (!is_zero) poison(array);
  return array;
}

}  // namespace

Problem make_timed_problem(const Function& program, const Sizes& sizes, uint64_t seed) {
  return make_problem(program, sizes, {}, seed, Elements::repeated);
}

Problem make_problem_of_blocks(const Function& program, const Sizes& sizes, uint64_t seed,
                               int64_t most_blocks) {
  return make_problem(program, sizes, {}, seed,
                      most_blocks == 0 ? Elements::few_digits : Elements::sampled);
}

bool is_unwritten(const AnyArray& array, int64_t position) {
  const auto size = static_cast<size_t>(size_of(array.dtype()));
  const llvm::StringRef bytes(static_cast<const char*>(array.data()) + position * size, size);
  return bytes.find_first_not_of(static_cast<char>(poison_of(array.dtype()))) ==
         llvm::StringRef::npos;
}

std::vector<AnyArray> arrays_on(const Device& device, const Function& function,
                                const Problem& problem) {
  if (device.is_cuda()) check_memory(device, function.arguments, problem.sizes);
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    const auto argument = llvm::find_if(
        problem.arguments, [&](const Argument& one) { return one.tensor->name == tensor->name; });
    if (argument == problem.arguments.end())
      throw RuntimeError("{} has an argument {}, which its ladder's program has not", function.name,
                         tensor->name);
    const AnyArray& array = argument->array;
    if (!argument->is_input)
      arrays.push_back(unwritten_like(array, device, problem.elements));
    else
      arrays.push_back(argument->is_output ? array.clone().to(device) : array.to(device));
  }
  return arrays;
}

}  // namespace hone
