#include "ir/interpret/trips.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "runtime/io/npy.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/edited_run.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

using OutputPaths = std::map<std::string, std::string>;  // by the tensor's name

void check_output_file(const TensorNode& tensor, const std::string& path) {
  if (!has_npy_form(tensor.type))
    throw RuntimeError("cannot write {} to {}: {} has no .npy form", tensor.name, path,
                       name(tensor.type).str());
  const llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    throw RuntimeError("cannot write {}: there is no folder {}", path, folder.str());
}

/// The files of the options "--output TENSOR=FILE.npy". Checks that they can be written, as far as
/// that is possible before anything runs.
OutputPaths output_paths(const Arguments& arguments, const Function& program) {
  const std::vector<TensorPtr> tensors = outputs_of(program);
  const std::vector<std::string> known = names_of(tensors);
  OutputPaths paths;
  for (const std::string& text : arguments.values("--output")) {
    const auto [name, path] = split_assignment("--output", text);
    const auto tensor = llvm::find(known, name);
    if (tensor == known.end()) throw unknown("output", name, known, program.name);
    check_output_file(*tensors[tensor - known.begin()], path);
    if (!paths.emplace(name, path).second) throw UsageError("the output {} is given twice", name);
  }
  return paths;
}

Sizes sizes_for(const RungRef& rung, const Device& device, const Sizes& given,
                const Sizes& of_inputs) {
  const bool is_free = given.empty() && of_inputs.empty();
  const Sizes base = is_free ? default_sizes(*rung.ladder, device) : rung.ladder->sizes;
  return overlaid(overlaid(base, of_inputs), given);
}

/// The simulated device says nothing about time.
bool is_timed(const Device& device) { return device != Device::simulated(); }

llvm::json::Object as_json(const std::string& name, const Device& device, const Sizes& sizes,
                           double milliseconds, const std::optional<Verdict>& verdict) {
  return llvm::json::Object{
      {"rung", name},
      {"device", to_string(device)},
      {"sizes", to_json(sizes)},
      {"milliseconds", is_timed(device) ? llvm::json::Value(milliseconds) : nullptr},
      {"check", verdict ? llvm::json::Value(deviation_text(*verdict)) : nullptr},
      {"used", verdict ? llvm::json::Value(verdict->used) : nullptr}};
}

/// The comparison of a run with the program without a schedule. Kernels that were changed by hand
/// are always compared.
Verdict checked(const RungRun& trial, const std::string& name, const RungRef& rung,
                const Problem& problem, Output& out) {
  const Verdict verdict = compare(trial.outputs, expected_results(*rung.ladder, problem, out));
  if (!verdict.mismatch.empty()) throw RuntimeError("{}: {}", name, verdict.mismatch);
  return verdict;
}

/// Refuses options that go with floats alone.
void check_ring(const Arguments& arguments) {
  for (const char* const option : {"--input", "--output", "--kernel", "--replace-source"})
    if (arguments.has(option))
      throw UsageError("--ring runs the rung's own kernels on elements of a ring; leave {} out",
                       option);
}

}  // namespace

int run_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  const Edit edit = chosen_edit(arguments, rung);
  const std::string name = name_with(rung, edit.text_or_null());
  const Sizes given = given_sizes(arguments, *rung.ladder);
  const uint64_t seed = chosen_seed(arguments);
  const Device device = device_for(arguments, rung);
  const Elements elements = chosen_elements(arguments, device);
  if (elements == Elements::ring) check_ring(arguments);
  const Function program = program_for(rung, overlaid(rung.ladder->sizes, given));
  const OutputPaths paths = output_paths(arguments, program);
  const InputFiles inputs = read_inputs(arguments, program);
  const Sizes sizes =
      with_pitches(program, sizes_for(rung, device, given, sizes_of(inputs, program)));

  const Problem problem = make_problem(program, sizes, inputs, seed, elements);
  const RungRun trial = [&] {
    const Waiting waiting(session.out, name, expected_trial(rung, device, problem.sizes));
    return edit.text ? run_edited(edit, rung, device, problem) : run_trial(rung, device, problem);
  }();
  std::optional<Verdict> verdict;
  if (edit.text || arguments.has("--check") || problem.elements == Elements::ring)
    verdict = checked(trial, name, rung, problem, session.out);
  for (const auto& [name, path] : paths) write_npy(path, trial.outputs.find(name)->second);
  if (arguments.has("--json"))
    print_json(as_json(name, device, problem.sizes, trial.milliseconds, verdict), session.out);
  else
    session.out.print(
        fmt::format("{} on {}: {}{}{}\n", name, device, to_text(problem.sizes),
                    is_timed(device) ? ", " + time_text(trial.milliseconds) : "",
                    verdict ? fmt::format(", correct ({})", measured_text(*verdict)) : ""));
  return exit_success;
}

}  // namespace hone
