#include "tools/cli/judge/expected.h"

#include <cmath>

#include "codegen/lower.h"
#include "ir/core/error.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/ring_form.h"
#include "ir/interpret/trips.h"
#include "ir/scalar/scalar.h"
#include "runtime/compile.h"
#include "runtime/timing.h"
#include "tools/cli/judge/error_formulas.h"
#include "tools/cli/judge/reference.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace {

using Arrays = std::map<std::string, AnyArray, std::less<>>;

const std::byte* address(const AnyArray& array, int64_t position) {
  return static_cast<const std::byte*>(array.data()) + position * size_of(array.dtype());
}

double number_at(const AnyArray& array, int64_t position) {
  return read_element(f64, address(array, position)).real;
}

/// The element with its floats in f64.
Scalar widened(DType type, const Scalar& value) {
  if (!is_tuple(type)) return convert(type, value);
  Scalar result = Scalar::zero(type);
  for (unsigned n = 0; n < component_count(type); ++n)
    result.set_component(n, convert(component_type(type, n), value.component(n)));
  return result;
}

/// A new array of the type, of `make` of each element of a dense one.
template <class Make>
AnyArray made_of(const AnyArray& from, DType type, Make make) {
  AnyArray result(type, from.shape(), Device::host(), Fill::uninitialized);
  auto* bytes = static_cast<std::byte*>(result.data());
  for (int64_t n = 0; n < from.size(); ++n)
    write_element(bytes + n * size_of(type), make(read_element(from.dtype(), address(from, n))));
  return result;
}

double granule_of(const AnyArray& array) {
  double granule = hone::granule_of(0);
  for (int64_t n = 0; n < array.size(); ++n)
    granule =
        std::min(granule, hone::granule_of(read_element(array.dtype(), address(array, n)).real));
  return granule;
}

InputFacts facts_of(const Problem& problem) {
  InputFacts facts;
  facts.are_random = problem.is_random;
  for (const Argument& argument : problem.arguments) {
    if (!argument.is_input) continue;
    const bool is_number = is_float(argument.tensor->type);
    facts.granules[argument.tensor->name] =
        is_number ? granule_of(argument.array.with_layout({})) : 0;
  }
  return facts;
}

/// The arrays of an argument's forms.
void add_arrays(const Argument& argument, const BoundedTensor& form, Arrays& arrays) {
  const AnyArray dense = argument.array.with_layout({});
  const DType type = form.values->type;
  arrays.emplace(form.values->name,
                 made_of(dense, type, [&](const Scalar& value) { return widened(type, value); }));
  const auto add_zeros = [&](const TensorPtr& tensor) {
    if (tensor) arrays.emplace(tensor->name, AnyArray(f64, dense.shape()));
  };
  for (const TensorPtr& error : form.errors) add_zeros(error);
  if (!form.is_sum()) return;
  for (const TensorPtr& tensor : {form.magnitude, form.largest})
    if (!argument.is_input)
      add_zeros(tensor);
    else
      arrays.emplace(tensor->name, made_of(dense, f64, [&](const Scalar& value) {
                       return Scalar::of_float(f64, std::abs(value.real));
                     }));
}

/// Trips of a loop that the interpreter makes in a second.
constexpr int64_t enough_for_interpreter = 1'000'000;

Results results_over_ring(const Function& program, const Problem& problem) {
  if (count_trips(program.body, problem.sizes) > enough_for_interpreter) try {
      return run_over_ring(lower(spread_over_lanes(program)), problem);
    } catch (const ScheduleError&) {  // the interpreter runs it, then
    }
  return interpreted(ring_form(program), problem);
}

ExpectedResults ring_results(const Function& program, const Problem& problem) {
  ExpectedResults all;
  const Results results = results_over_ring(program, problem);
  for (const Argument& argument : problem.arguments)
    if (const auto found = results.find(argument.tensor->name); found != results.end())
      all.emplace(found->first, ExpectedTensor{argument.tensor, found->second});
  return all;
}

struct BoundedRun {
  BoundedProgram program;
  Arrays arrays;

  BoundedRun(const Function& function, const Problem& problem)
      : program(with_error_bounds(function, problem.sizes, facts_of(problem))) {
    for (const Argument& argument : problem.arguments)
      add_arrays(argument, program.tensors.find(argument.tensor->name)->second, arrays);
  }

  void run_on_host(const Sizes& sizes) {
    std::vector<AnyArray> in_order;
    for (const TensorPtr& tensor : program.function.arguments)
      in_order.push_back(arrays.find(tensor->name)->second);
    compile(program.function, {.device = Device::host()}).run(in_order, sizes);
  }

  void interpret(const Sizes& sizes) {
    Buffers buffers;
    for (const auto& [name, array] : arrays) buffers.emplace(name, to_buffer(array));
    hone::interpret(program.function, sizes, buffers);
    for (auto& [name, array] : arrays)
      array.copy_from_host(buffers.find(name)->second.bytes.data());
  }

  ExpectedResults results(const Problem& problem) const {
    ExpectedResults all;
    for (const Argument& argument : problem.arguments)
      if (argument.is_output) all.emplace(argument.tensor->name, result(argument, problem));
    return all;
  }

 private:
  ExpectedTensor result(const Argument& argument, const Problem& problem) const {
    const BoundedTensor& form = program.tensors.find(argument.tensor->name)->second;
    const auto array_of = [&](const TensorPtr& tensor) {
      return tensor ? std::optional(arrays.find(tensor->name)->second) : std::nullopt;
    };
    ExpectedTensor expected{argument.tensor, *array_of(form.values)};
    for (const TensorPtr& error : form.errors) expected.errors.push_back(array_of(error));
    expected.magnitude = array_of(form.magnitude);
    expected.largest = array_of(form.largest);
    expected.form = form;
    expected.is_random = problem.is_random;
    expected.longest_sum = program.longest_sum;
    return expected;
  }
};

}  // namespace

double ExpectedTensor::allowed(DType type, int64_t position, unsigned component) const {
  if (is_ring(type)) return 0;
  const double error = number_at(*errors[component], position);
  if (!magnitude) return error;
  return error + bound_of_sum(type, form, number_at(*magnitude, position),
                              number_at(*largest, position), is_random);
}

Results interpreted(const Function& function, const Problem& problem) {
  Buffers buffers;
  for (const Argument& argument : problem.arguments)
    buffers.emplace(argument.tensor->name, to_buffer(argument.array));
  interpret(function, problem.sizes, buffers);
  Results results;
  for (const Argument& argument : problem.arguments) {
    if (!argument.is_output) continue;
    AnyArray values = argument.array.clone();
    values.copy_from_host(buffers.find(argument.tensor->name)->second.bytes.data());
    results.emplace(argument.tensor->name, values.with_layout({}));
  }
  return results;
}

ExpectedResults expected_results(const Function& program, const Problem& problem) {
  if (problem.elements == Elements::ring) return ring_results(program, problem);
  BoundedRun run(program, problem);
  run.interpret(problem.sizes);
  return run.results(problem);
}

ExpectedResults expected_results(const Ladder& ladder, const Problem& problem, Output& out) {
  const Function program = program_of(ladder, {}).function();
  if (problem.elements == Elements::ring) return ring_results(program, problem);
  const bool is_large = takes_a_while(ladder, problem.sizes, Device::host());
  const Function function = is_large ? spread_over_host(program, problem.sizes) : program;
  const auto seconds = [&](const Sizes& small) {
    const Problem tried = make_problem(program, small, {}, /*seed=*/1);
    Stopwatch stopwatch(Device::host());
    stopwatch.start();
    BoundedRun(function, tried).run_on_host(tried.sizes);
    stopwatch.stop();
    return stopwatch.milliseconds() / 1e3;
  };
  const Waiting waiting(out, ladder.name + ", what the program computes on the host",
                        expected_seconds(ladder, problem.sizes, Device::host(), seconds));
  BoundedRun run(function, problem);
  run.run_on_host(problem.sizes);
  return run.results(problem);
}

}  // namespace hone
