// The module `hone` for Python: ladders and what the hone command says of them as strings,
// schedules step by step, and runs on arrays of NumPy or of whatever else knows DLPack.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "examples/ladders/ladders.h"
#include "ir/schedule/arguments.h"
#include "ir/text/parser.h"
#include "runtime/io/dlpack.h"
#include "tools/cli/command/command_line.h"
#include "tools/cli/command/steps.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/judge/trial.h"

namespace py = pybind11;

namespace hone {
namespace {

const std::vector<Ladder>& ladders() {
  static const std::vector<Ladder> all = shipped_ladders();
  return all;
}

/// All primitives by name: true if the last argument of a call is a name, as of rename(i, "row").
std::map<std::string, bool> primitives() {
  const auto is_name = [](const StepArgument& argument) {
    return argument.read == argument::name.read;
  };
  std::map<std::string, bool> takes_name;
  for (const Primitive* primitive : all_primitives())
    takes_name.emplace(primitive->name, llvm::any_of(primitive->arguments, is_name));
  return takes_name;
}

// ---- Commands -----------------------------------------------------------------------------------

class Captured : public Output {
 public:
  void print(std::string_view text) override { printed += text; }
  void complain(std::string_view text) override { complained += text; }
  bool is_terminal() const override { return false; }

  std::string printed, complained;
};

struct CommandResult {
  int status;
  std::string printed, complained;
};

/// Runs the hone command with these words.
CommandResult command(const std::vector<std::string>& words) {
  Captured out;
  const py::gil_scoped_release release;
  const int status = run_command(words, ladders(), out, "hone");
  return {status, out.printed, out.complained};
}

// ---- Arrays -------------------------------------------------------------------------------------

/// Takes the tensor out of the result of `array.__dlpack__()`.
AnyArray array_from(const py::handle& array) {
  if (py::isinstance<AnyArray>(array)) return array.cast<AnyArray>();
  if (!py::hasattr(array, "__dlpack__"))
    throw py::type_error("an array of NumPy, or another one that has __dlpack__, is wanted");
  const py::object capsule = array.attr("__dlpack__")();
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!tensor) throw py::error_already_set();
  AnyArray taken = AnyArray::from_dlpack(tensor);
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return taken;
}

/// A tensor that nobody has taken goes back when its capsule does.
void drop(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (tensor->deleter) tensor->deleter(tensor);
}

py::object capsule_of(const AnyArray& array) {
  return py::reinterpret_steal<py::object>(PyCapsule_New(array.to_dlpack(), "dltensor", drop));
}

py::tuple dlpack_device(const AnyArray& array) {
  const bool on_gpu = array.device().is_cuda();
  return py::make_tuple(static_cast<int>(on_gpu ? kDLCUDA : kDLCPU),
                        on_gpu ? array.device().ordinal() : 0);
}

py::tuple shape_of(const AnyArray& array) { return py::tuple(py::cast(array.shape())); }

// ---- Runs ---------------------------------------------------------------------------------------

struct RungResult {
  std::map<std::string, AnyArray> outputs;
  Sizes sizes;
  double milliseconds;
  std::string device;
};

InputFiles inputs_from(const py::dict& arrays, const Function& program) {
  const std::vector<std::string> known = names_of(inputs_of(program));
  InputFiles inputs;
  for (const auto& [name, array] : arrays) {
    const auto tensor = name.cast<std::string>();
    if (!llvm::is_contained(known, tensor)) throw unknown("input", tensor, known, program.name);
    inputs.emplace(tensor, InputFile{tensor, array_from(array)});
  }
  return inputs;
}

/// Runs a rung: sizes are those of the arrays and of `given`, else those of the ladder; inputs that
/// are not given are random.
RungResult run(const RungRef& rung, const py::dict& arrays, const Sizes& given,
               const std::string& device_name, uint64_t seed) {
  const Device device =
      rung.rung->target == RungTarget::host ? Device::host() : parse_device(device_name);
  const Function program = program_for(rung, overlaid(rung.ladder->sizes, given));
  const InputFiles inputs = inputs_from(arrays, program);
  const Sizes known = overlaid(sizes_of(inputs, program), given);
  const Sizes base = known.empty() ? default_sizes(*rung.ladder, device) : rung.ladder->sizes;
  const py::gil_scoped_release release;
  const Problem problem =
      make_problem(program, with_pitches(program, overlaid(base, known)), inputs, seed);
  const RungRun trial = run_trial(rung, device, problem);
  return {{trial.outputs.begin(), trial.outputs.end()},
          problem.sizes,
          trial.milliseconds,
          to_string(device)};
}

RungResult run_shipped(const std::string& name, const py::dict& arrays, const Sizes& given,
                       const std::string& device_name, uint64_t seed) {
  return run(find_rung(ladders(), name), arrays, given, device_name, seed);
}

// ---- Schedules ----------------------------------------------------------------------------------

/// The file that steps come from, in errors.
constexpr const char* file_of_steps = "steps";

/// A program, of a rung or as text, and the steps that have been applied to it.
class OwnSchedule {
 public:
  explicit OwnSchedule(const std::string& subject)
      : start_(find_start(subject, ladders())), schedule_(start_.program()({})) {}

  /// The name of the tensor that the last step made, "" where it made none, and those of axes.
  std::pair<std::string, std::vector<std::string>> replay(const std::string& text) {
    const Rewrite made = schedule_.replay(text, file_of_steps);
    std::vector<std::string> axes;
    for (const AxisPtr& axis : made.axes) axes.push_back(axis->name);
    return {made.tensor ? made.tensor->name : "", axes};
  }

  std::string steps() const { return schedule_.trace_text(); }
  std::string loops() const { return to_string(schedule_.function()); }

  RungResult run(const py::dict& arrays, const Sizes& given, const std::string& device_name,
                 uint64_t seed) const {
    const Ladder ladder = with_steps(start_, {file_of_steps, steps()});
    return hone::run({&ladder, &ladder.rungs.back()}, arrays, given, device_name, seed);
  }

 private:
  StartingPoint start_;
  Schedule schedule_;
};

std::vector<std::string> ladder_names() {
  std::vector<std::string> names;
  for (const Ladder& ladder : ladders()) names.push_back(ladder.name);
  return names;
}

py::dict ladder_facts(const std::string& name) {
  const Ladder& ladder = find_ladder(ladders(), name);
  py::list rungs;
  for (const Rung& rung : ladder.rungs)
    rungs.append(py::make_tuple(rung.name, rung.title, rung.question, rung.idea));
  py::dict facts;
  facts["title"] = ladder.title;
  facts["sizes"] = ladder.sizes;
  facts["rungs"] = rungs;
  return facts;
}

}  // namespace

PYBIND11_MODULE(_hone, module) {
  module.doc() = "Hone's ladders, in C++; the package hone is what to import.";
  py::register_exception<UsageError>(module, "UsageError", PyExc_ValueError);
  py::register_exception<ScheduleError>(module, "ScheduleError", PyExc_ValueError);
  py::register_exception<ParseError>(module, "ParseError", PyExc_ValueError);

  py::class_<AnyArray>(module, "Array", "Elements of a tensor, which DLPack shares with others.")
      .def_property_readonly("shape", shape_of)
      .def_property_readonly("dtype", [](const AnyArray& a) { return name(a.dtype()).str(); })
      .def("__dlpack__", [](const AnyArray& a, const py::kwargs&) { return capsule_of(a); })
      .def("__dlpack_device__", dlpack_device);

  py::class_<CommandResult>(module, "CommandResult")
      .def_readonly("status", &CommandResult::status)
      .def_readonly("printed", &CommandResult::printed)
      .def_readonly("complained", &CommandResult::complained);

  py::class_<RungResult>(module, "RungResult")
      .def_readonly("outputs", &RungResult::outputs)
      .def_readonly("sizes", &RungResult::sizes)
      .def_readonly("milliseconds", &RungResult::milliseconds)
      .def_readonly("device", &RungResult::device);

  py::class_<OwnSchedule>(module, "Schedule")
      .def(py::init<const std::string&>())
      .def(py::init<const OwnSchedule&>())
      .def("replay", &OwnSchedule::replay)
      .def("steps", &OwnSchedule::steps)
      .def("loops", &OwnSchedule::loops)
      .def("run", &OwnSchedule::run, py::arg("arrays"), py::arg("sizes"), py::arg("device"),
           py::arg("seed"));

  module.def("command", command, py::arg("words"));
  module.def("primitives", primitives);
  module.def("run", run_shipped, py::arg("rung"), py::arg("arrays"), py::arg("sizes"),
             py::arg("device"), py::arg("seed"));
  module.def("ladder_names", ladder_names);
  module.def("ladder_facts", ladder_facts, py::arg("ladder"));
}

}  // namespace hone
