#include "tests/support/random/check.h"

#include <cmath>
#include <string_view>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "ir/interpret/promised_sizes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "ir/verify/verifier.h"
#include "runtime/cuda/cuda_driver.h"
#include "tests/support/codegen/counted_kernel.h"
#include "tests/support/codegen/races.h"
#include "tests/support/ir/kernels.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/random/reference.h"
#include "tests/support/runtime/judged.h"

namespace hone {
namespace {

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, size);
  return text;
}

/// The sizes that the function has params for.
Sizes sizes_for(llvm::ArrayRef<ParamPtr> params, const Sizes& all) {
  Sizes sizes;
  for (const ParamPtr& param : params) sizes[param->name] = all.find(param->name)->second;
  return sizes;
}

/// As "[1, 0, 2]"; where rows have gaps, the place in memory.
std::string indices_of(int64_t position, const Buffer& buffer) {
  int64_t elements = 1;
  for (const int64_t extent : buffer.shape) elements *= extent;
  if (elements != buffer.size()) return fmt::format(" at {} of its memory", position);
  std::string text;
  for (size_t dim = buffer.shape.size(); dim-- > 0; position /= buffer.shape[dim])
    text = fmt::format("{}{}{}", position % buffer.shape[dim], text.empty() ? "" : ", ", text);
  return "[" + text + "]";
}

bool same_value(double lhs, double rhs) {
  return lhs == rhs || (std::isnan(lhs) && std::isnan(rhs));
}

std::vector<AnyArray> to_arrays(const Function& function, const Buffers& buffers,
                                const Sizes& sizes, const Device& device) {
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    const Buffer& buffer = buffers.find(tensor->name)->second;
    arrays.push_back(array_for(*tensor, sizes, device));
    if (!buffer.bytes.empty()) arrays.back().copy_from_host(buffer.bytes.data());
  }
  return arrays;
}

Buffers to_buffers(const Function& function, llvm::ArrayRef<AnyArray> arrays) {
  Buffers buffers;
  for (size_t n = 0; n < arrays.size(); ++n)
    buffers.emplace(function.arguments[n]->name, to_buffer(arrays[n]));
  return buffers;
}

void check_text(const Function& function) {
  const std::string text = to_string(function);
  try {
    const Function back = parse_function(text);
    if (!equal(back, function))
      throw CheckFailure("round trip", "what it prints reads back as another function:\n" +
                                           to_string(back) + "\n" + text);
    if (!have_same_nests(back, function))
      throw CheckFailure("round trip", "what it prints reads back as other kernels:\n" + text);
    if (to_string(back) != text)
      throw CheckFailure("round trip", "what it prints reads back and prints as\n" +
                                           to_string(back) + "\n" + text);
  } catch (const ParseError& error) {
    throw CheckFailure("round trip", fmt::format("{}\n{}", error.what(), text));
  }
}

void check_kernel_text(const KernelFunction& kernel) {
  const std::string text = to_string(kernel);
  try {
    const std::string back = to_string(parse_kernel(text));
    if (back != text)
      throw CheckFailure("kernel round trip", fmt::format("{}\nreads back as\n{}", text, back));
  } catch (const ParseError& error) {
    throw CheckFailure("kernel round trip", fmt::format("{}\n{}", error.what(), text));
  }
}

/// The reason for which a program may be accepted step by step and still not run on a GPU: it is
/// one of the host, or its last steps are lacking.
std::string reason_of(llvm::StringRef message) {
  if (message.contains("is bound to parallel")) return "parallel";
  if (message.contains("mma_m") && message.contains(" takes ")) return "operands of an instruction";
  if (message.contains(" has no guard, and its nest ")) return "guard of an instruction";
  throw CheckFailure("compile", "an unexpected refusal: " + message.str());
}

/// The limit of the device that a launch ran into; empty where it is none.
std::string limit_of(llvm::StringRef message) {
  if (message.contains("a block takes at most")) return "block size";
  if (message.contains("a grid takes at most")) return "grid size";
  if (message.contains("bytes of shared memory")) return "shared memory";
  if (message.contains("runs clusters of whole warps")) return "warps of a cluster";
  if (message.contains("the simulated device runs at most")) return "threads of a cluster";
  const bool is_of_elements = message.contains("may leave") && message.contains("index(");
  if (message.contains("may reach") || message.contains("may leave the 64 bits") || is_of_elements)
    return "index width";
  return "";
}

std::string text_of(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels) text += to_string(kernel) + "\n";
  return text;
}

CompileOptions on(const Device& device, int index_bits = 0) { return {device, index_bits, 1}; }

}  // namespace

ProgramChecker::ProgramChecker(const RandomProgram& program, uint64_t seed)
    : program_(program), seed_(seed) {
  const Function& function = program.function();
  check_text(function);
  for (const Sizes& sizes : program.sizes) {
    Run run{sizes, random_buffers(function, sizes, seed, program.places), {}};
    run.after = run.before;
    try {
      interpret(function, sizes_for(function.params, sizes), run.after);
    } catch (const InterpretError& error) {
      throw CheckFailure("program", fmt::format("{} ({})", error.what(), text_of(sizes)));
    }
    check_reference(run);
    runs_.push_back(std::move(run));
  }
}

void ProgramChecker::check_reference(const Run& run) const {
  Buffers buffers = run.before;
  for (const Definition& definition : program_.definitions)
    if (!buffers.count(definition.tensor->name))
      buffers.emplace(definition.tensor->name, buffer_for(*definition.tensor, run.sizes));
  try {
    compute(program_.definitions, run.sizes, buffers);
  } catch (const ReferenceError& error) {
    throw CheckFailure("reference", fmt::format("{} ({})", error.what(), text_of(run.sizes)));
  }
  expect_equal(program_.function(), run, buffers, "reference");
}

void ProgramChecker::expect_equal(const Function& function, const Run& run, const Buffers& buffers,
                                  const char* check) const {
  for (const auto& [name, expected] : run.after) {
    const Buffer& actual = buffers.find(name)->second;
    const Values got = values_of(actual), wanted = values_of(expected);
    for (size_t n = 0; n < wanted.size(); ++n)
      if (!same_value(got[n], wanted[n]))
        throw CheckFailure(
            check,
            fmt::format("{}{} is {} and ought to be {} ({})\n{}", name,
                        indices_of(static_cast<int64_t>(n / numbers_in(expected.type)), expected),
                        got[n], wanted[n], text_of(sizes_for(function.params, run.sizes)),
                        function));
  }
}

void ProgramChecker::check_interpreter(const Function& function, const Run& run) const {
  Buffers buffers = run.before;
  const Sizes sizes = sizes_for(function.params, run.sizes);
  try {
    interpret(function, sizes, buffers);
  } catch (const InterpretError& error) {
    throw CheckFailure("interpreter",
                       fmt::format("{} ({})\n{}", error.what(), text_of(sizes), function));
  }
  expect_equal(function, run, buffers, "interpreter");
}

std::vector<const ProgramChecker::Run*> ProgramChecker::runs_of(const Function& function) const {
  std::vector<const Run*> result;
  for (const Run& run : runs_)
    if (keeps_promises(function, run.sizes)) result.push_back(&run);
  return result;
}

void ProgramChecker::check_step(const Function& function, size_t number) const {
  if (const auto problem = verify(function))
    throw CheckFailure("verify", fmt::format("{}\n{}", *problem, function));
  check_text(function);
  const auto runs = runs_of(function);
  if (!runs.empty()) check_interpreter(function, *runs[number % runs.size()]);
}

void ProgramChecker::check_end(const Schedule& schedule) const {
  for (const Run* run : runs_of(schedule.function())) check_interpreter(schedule.function(), *run);
  check_replay(schedule, [&](Schedule& again) { again.replay(schedule.trace()); });
  check_replay(schedule, [&](Schedule& again) { again.replay(schedule.trace_text(), "steps"); });
}

void ProgramChecker::check_replay(const Schedule& schedule,
                                  llvm::function_ref<void(Schedule&)> replay) const {
  Schedule again(*program_.program);
  try {
    replay(again);
  } catch (const std::exception& error) {
    throw CheckFailure("replay", fmt::format("{}\nof\n{}", error.what(), schedule.trace_text()));
  }
  if (!equal(again.function(), schedule.function()))
    throw CheckFailure("replay", fmt::format("the replayed function is\n{}\nand not\n{}",
                                             again.function(), schedule.function()));
  if (again.trace_text() != schedule.trace_text())
    throw CheckFailure("replay", fmt::format("the replayed trace is\n{}\nand not\n{}",
                                             again.trace_text(), schedule.trace_text()));
}

void ProgramChecker::check_in_check_mode(const Module& module, const Function& function,
                                         const Run& run) const {
  const Sizes sizes = sizes_for(function.params, run.sizes);
  const Function& program = program_.function();
  Buffers buffers = run.before;
  const auto findings = check_kernels(
      module, sizes,
      written_in_full(program, sizes_for(program.params, run.sizes), run.before, run.after),
      buffers);
  if (!findings.empty())
    throw CheckFailure("check mode", fmt::format("{}({})\n{}", texts_of(findings), text_of(sizes),
                                                 text_of(module)));
  expect_equal(function, run, buffers, "result in check mode");
}

void ProgramChecker::check_c_form(const Module& module, const Function& function,
                                  const Run& run) const {
  const Module counted = with_counted_kernels(module);
  for (const KernelFunction& kernel : counted.kernels)
    if (const auto problem = verify(kernel))
      throw CheckFailure("form of C", fmt::format("{}\n{}", *problem, to_string(kernel)));
  Buffers buffers = run.before;
  const auto findings = check_kernels(counted, sizes_for(function.params, run.sizes), {}, buffers);
  if (!findings.empty()) throw CheckFailure("form of C", texts_of(findings) + text_of(counted));
  expect_equal(function, run, buffers, "form of C");
}

namespace {

/// The kernels as one translation unit: each has types and functions of its own.
std::string in_namespaces(const Module& module) {
  std::string all;
  for (const KernelFunction& kernel : module.kernels) {
    const std::string cuda = emit_cuda(kernel);
    llvm::SmallVector<llvm::StringRef, 64> lines;
    llvm::StringRef(cuda).split(lines, '\n');
    std::string includes, text;
    for (const llvm::StringRef line : lines)
      (std::string_view(line).starts_with("#include") ? includes : text) += line.str() + "\n";
    all += fmt::format("{}namespace of_{} {{\n{}}}\n", includes, kernel.name, text);
  }
  return all;
}

/// Only check mode knows what the blocks of a cluster wait for.
bool has_clusters(const Module& module) {
  return llvm::any_of(module.kernels,
                      [](const KernelFunction& kernel) { return kernel.cluster > 1; });
}

void check_races(const Module& module, const Sizes& sizes) {
  for (const KernelFunction& launch : module.kernels)
    if (const auto race = launch.cluster > 1 ? std::nullopt : find_race(launch, sizes))
      throw CheckFailure("race",
                         fmt::format("{} ({})\n{}", *race, text_of(sizes), to_string(launch)));
}

}  // namespace

GpuResult ProgramChecker::judge(const Function& function, const CompileOptions& options,
                                const char* check,
                                llvm::function_ref<void(const Kernel&, GpuResult&)> run) const {
  GpuResult result;
  try {
    const Kernel kernel = compile(function, options);
    result.source = in_namespaces(kernel.module());
    describe(kernel.module(), result);
    run(kernel, result);
  } catch (const ScheduleError& error) {
    result.refusal = reason_of(error.what());
    result.refusal_message = error.what();
  } catch (const CudaError& error) {
    throw CheckFailure(fmt::format("{}, CUDA error {}", check, error.code()),
                       fmt::format("{}\n{}", error.what(), function));
  } catch (const RuntimeError& error) {
    result.refusal = limit_of(error.what());
    result.refusal_message = error.what();
    if (result.refusal.empty())
      throw CheckFailure(check, fmt::format("{}\n{}", error.what(), function));
  }
  return result;
}

void ProgramChecker::check_run(const Kernel& kernel, const Function& function, const Run& run,
                               const char* check) const {
  const Sizes sizes = sizes_for(function.params, run.sizes);
  const auto arrays = to_arrays(function, run.before, sizes, kernel.device());
  kernel.run(arrays, sizes, Location());
  expect_equal(function, run, to_buffers(function, arrays), check);
}

GpuResult ProgramChecker::check_gpu(const Function& function, const GpuCheck& options) const {
  const CompileOptions compile_options = on(Device::simulated(), options.index_bits);
  return judge(function, compile_options, "simulated device",
               [&](const Kernel& kernel, GpuResult&) {
                 if (compile(function, compile_options).source() != kernel.source())
                   throw CheckFailure("determinism",
                                      "two compilations make different CUDA:\n" + kernel.source());
                 for (const KernelFunction& launch : kernel.module().kernels)
                   check_kernel_text(launch);
                 const std::string text =
                     fmt::format("{}\n{}{}seed {}, check mode {}", program_.function(), function,
                                 text_of(kernel.module()), seed_, options.in_check_mode);
                 judge_once(text, [&] { check_runs(kernel, function, options); });
               });
}

void ProgramChecker::check_runs(const Kernel& kernel, const Function& function,
                                const GpuCheck& options) const {
  for (const Run* run : runs_of(function)) {
    check_run(kernel, function, *run, "simulated device");
    if (program_.is_long) continue;
    check_races(kernel.module(), sizes_for(function.params, run->sizes));
    if (options.in_check_mode || has_clusters(kernel.module()))
      check_in_check_mode(kernel.module(), function, *run);
    if (options.in_check_mode) check_c_form(kernel.module(), function, *run);
  }
}

GpuResult ProgramChecker::check_on_gpu(const Function& function, int index_bits) const {
  GpuResult expected = judge(function, on(Device::simulated(), index_bits), "lowering",
                             [](const Kernel&, GpuResult&) {});
  if (!expected.refusal.empty()) return expected;
  if (!expected.has_engines() && !expected.has_clusters) {
    expected.refusal = "no engine has a part in it";
    return expected;
  }
  return judge(function, on(Device::cuda(), index_bits), "GPU",
               [&](const Kernel& kernel, GpuResult&) {
                 for (const Run* run : runs_of(function)) check_run(kernel, function, *run, "GPU");
               });
}

bool ProgramChecker::check_host(const Function& function) const {
  try {
    const Kernel kernel = compile(function, on(Device::host()));
    for (const Run* run : runs_of(function)) check_run(kernel, function, *run, "host");
  } catch (const DefinitionError&) {
    return false;
  } catch (const RuntimeError& error) {
    if (!limit_of(error.what()).empty()) return false;
    throw CheckFailure("host", fmt::format("{}\n{}", error.what(), function));
  }
  return true;
}

}  // namespace hone
