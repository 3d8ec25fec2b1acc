#include "tools/cli/command/steps.h"

#include <filesystem>
#include <iostream>

#include "dsl/tune_table.h"
#include "fmt/ranges.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/lexer.h"
#include "ir/text/operators.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "runtime/model/gpus.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/profile/profile.h"
#include "tools/cli/watched_files.h"

namespace hone {
namespace {

bool is_table(const std::string& path) {
  return std::filesystem::path(path).extension() == ".jsonl";
}

/// Of a table the path alone: each run reads it.
UserText read_steps(const std::string& path) {
  if (is_table(path)) return {path, ""};
  if (path != "-") return read_user_file(path);
  return {"stdin", {std::istreambuf_iterator<char>(std::cin), {}}};
}

/// The device that the steps bind loops to: `parallel`, `block` and `thread` are words for nothing
/// else. `usual`: where they bind none.
RungTarget target_of(const UserText& steps, RungTarget usual) {
  try {
    for (TokenStream tokens(steps.text); !tokens.at_end(); tokens.next()) {
      const llvm::StringRef word = tokens.peek().text;
      if (word == "parallel") return RungTarget::host;
      if (parse_index_name(word)) return RungTarget::gpu;
    }
  } catch (const ParseError&) {  // which the schedule's reader throws again, with the file's name
  }
  return usual;
}

/// The iterations of all loops, each once.
double iterations(const Stmt& stmt, const Sizes& sizes) {
  double inside = 0;
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { inside += iterations(nested, sizes); });
  const auto* loop = llvm::dyn_cast<For>(stmt);
  return loop ? evaluate(loop->extent, sizes) * inside : inside + 1;
}

constexpr int64_t usual_size = 256;

/// A ladder without rungs.
Ladder ladder_of(const std::string& program) {
  const Function function = parse_program(program).function();
  Ladder ladder;
  ladder.name = function.name;
  ladder.title = "a program of your own";
  for (const ParamPtr& param : function.params) ladder.sizes[param->name] = usual_size;
  ladder.program = [program](const Sizes& fixed) { return parse_program(program, fixed); };
  ladder.flops = [function](const Sizes& sizes) { return 2 * iterations(function.body, sizes); };
  return ladder;
}

using Build = std::function<Schedule(const Program& program, const Sizes& expected)>;

/// The ladder of the start, with one rung more, which has the name of a file.
Ladder with_rung(const StartingPoint& start, const std::string& path, RungTarget target,
                 const Build& build) {
  Rung rung;
  rung.name = std::filesystem::path(path).filename().string();
  rung.target = target;
  rung.builds_on = start.rung ? start.rung->name : "";
  rung.program = start.program();
  if (start.rung) rung.constants = start.rung->constants;
  rung.build = [build, program = rung.program, constants = rung.constants](const Sizes& fixed,
                                                                           const Sizes& expected) {
    return build(program(with_constants(fixed, expected, constants)), expected);
  };
  Ladder ladder = start.ladder;
  ladder.rungs.push_back(std::move(rung));
  return ladder;
}

RungTarget usual_target(const StartingPoint& start) {
  return start.rung ? start.rung->target : RungTarget::gpu;
}

/// The GPU whose schedules a table is asked for: that of --gpu, else that of the machine, and where
/// it has none, that of the first line.
std::string gpu_of_table(const tune::Table& table, const Arguments& arguments) {
  if (const auto name = arguments.value("--gpu")) return named_gpu(*name).name;
  const Gpu* const own = gpu_of_device(Device::best().properties().name);
  if (own) return own->name;
  return table.lines().empty() ? "" : table.lines().front().gpu;
}

/// With the schedules that a table of `hone tune` has, by the sizes of a run.
Ladder with_table(const StartingPoint& start, const std::string& path, const Arguments& arguments) {
  const auto table = std::make_shared<const tune::Table>(tune::Table::read(path));
  return with_rung(start, path, usual_target(start),
                   [table, gpu = gpu_of_table(*table, arguments)](const Program& program,
                                                                  const Sizes& expected) {
                     return table->schedule(program, sizes_of_params(program.function(), expected),
                                            gpu);
                   });
}

int run_once(const Command& command, const Arguments& arguments, const UserText& steps,
             const Session& session) {
  const StartingPoint start = find_start(arguments.positional()[0], session.ladders);
  std::vector<Ladder> ladders = {// in front of one of its name
                                 is_table(steps.path) ? with_table(start, steps.path, arguments)
                                                      : with_steps(start, steps)};
  const std::string name = ladders[0].name + "/" + ladders[0].rungs.back().name;
  llvm::append_range(ladders, session.ladders);
  return command.run(arguments.replaced(name, steps_option.name),
                     {ladders, session.out, session.tool, session.program});
}

}  // namespace

std::function<Program(const Sizes& fixed)> StartingPoint::program() const {
  return rung && rung->program ? rung->program : ladder.program;
}

StartingPoint find_start(const std::string& operand, llvm::ArrayRef<Ladder> ladders) {
  if (operand.find("->") != std::string::npos) return {ladder_of(operand)};
  if (std::filesystem::is_regular_file(operand)) return {ladder_of(read_user_text(operand).text)};
  if (std::filesystem::path(operand).has_extension())
    throw RuntimeError("cannot read {}: there is no such file, and no ladder of that name",
                       operand);
  const size_t slash = operand.find('/');
  const Ladder& ladder = find_ladder(ladders, operand.substr(0, slash));
  if (slash == std::string::npos) return {ladder};
  return {ladder, find_rung(ladders, operand).rung};
}

std::string program_text(const Function& program) {
  std::string arguments;
  for (const TensorPtr& argument : program.arguments)
    arguments += fmt::format("{}{}: {}[{}]", arguments.empty() ? "" : ", ", argument->name,
                             name(argument->type).str(), fmt::join(argument->shape, ", "));
  return fmt::format("{}({}) ->\n{}", program.name, arguments, fmt::join(program.history, "\n"));
}

std::string readable_program_text(const Function& program) {
  const std::string text = program_text(program);
  try {
    parse_program(text);
  } catch (const ParseError&) {
    return "";
  }
  return text;
}

Ladder with_steps(const StartingPoint& start, const UserText& steps) {
  const auto file = std::make_shared<const UserText>(steps);
  return with_rung(start, steps.path, target_of(steps, usual_target(start)),
                   [file](const Program& program, const Sizes&) {
                     Schedule s(program);
                     s.replay(file->text, file->path.c_str());
                     return s;
                   });
}

bool runs_steps(const Command& command, const Arguments& arguments) {
  const bool may_have_none = command.name == std::string_view("try");
  return (arguments.has(steps_option.name) || may_have_none) &&
         llvm::any_of(command.options, [](const Option& option) {
           return option.name == steps_option.name && !option.value.empty();
         });
}

int run_with_steps(const Command& command, const Arguments& arguments, const Session& session) {
  if (!arguments.has(steps_option.name))
    return run_once(command, arguments, {"no-steps", ""}, session);
  const std::string path = *arguments.value(steps_option.name);
  if (!arguments.has(watch_option.name))
    return run_once(command, arguments, read_steps(path), session);
  if (path == "-") throw UsageError("--watch waits for a file to change; name it with --steps");
  int status = exit_success;
  WatchedFiles watched({path});
  do {
    session.out.print(fmt::format("---- {}\n", path));
    try {
      status = run_once(command, arguments, watched.files().front(), session);
    } catch (const std::exception& error) {
      session.out.complain(report_of(error) + "\n");
      status = exit_failure;
    }
  } while (!watched.wait().empty());
  return status;
}

}  // namespace hone
