#include "tools/cli/command/command_line.h"

#include <algorithm>
#include <new>
#include <set>
#include <stdexcept>

#include "fmt/ranges.h"
#include "ir/core/error.h"
#include "llvm/Support/Path.h"
#include "runtime/error.h"
#include "tools/cli/command/command_table.h"
#include "tools/cli/command/completion.h"
#include "tools/cli/command/kernel_files.h"
#include "tools/cli/command/steps.h"

namespace hone {
namespace {

/// The commands of every tool, and those that this one adds.
using Commands = llvm::SmallVector<Command, 24>;

std::string overview(const Commands& commands, const std::string& tool) {
  std::string text = fmt::format("usage: {} COMMAND ...\n\n", tool);
  for (const Command& command : commands)
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  return text + fmt::format(
                    "\n`{0} help COMMAND` says more about a command, `{0} --version` which Hone "
                    "this is.\n"
                    "`eval \"$({0} completion bash)\"` completes words in this shell; or zsh.\n",
                    tool);
}

std::string usage(const Command& command, const std::string& tool) {
  return fmt::format("usage: {} {}{}{} [OPTION]...", tool, command.name,
                     command.operands.empty() ? "" : " ", command.operands);
}

std::string help_text(const Command& command, const std::string& tool) {
  std::string text =
      fmt::format("{}\n\n{}\n\n{}\n\n", usage(command, tool), command.summary, command.more);
  size_t width = 0;
  for (const Option& option : command.options) width = std::max(width, spelling(option).size());
  for (const Option& option : command.options)
    text += fmt::format("  {:<{}}  {}{}\n", spelling(option), width, option.help,
                        option.repeated ? "; can be repeated" : "");
  return text;
}

const Command& find_command(const Commands& commands, const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : commands) {
    if (command.name == name) return command;
    known.emplace_back(command.name);
  }
  throw unknown("command", name, known);
}

/// The text of what is no command on ladders: help, the version, completion; nothing for others.
std::optional<std::string> text_about(llvm::ArrayRef<std::string> words, const Commands& commands,
                                      const Session& session) {
  const std::string& first = words[0];
  if (first == "help" && words.size() == 2)
    return help_text(find_command(commands, words[1]), session.tool);
  if (first == "--help" || first == "-h" || first == "help")
    return overview(commands, session.tool);
  if (first == "--version") return fmt::format("hone {}\n", version_text());
  if (first == "completion" && words.size() == 2) return completion_script(words[1], session.tool);
  if (first == "complete" && words.size() > 1 && words[1] == "--") {
    const auto found = completions(words.drop_front(2), commands, session.ladders);
    return found.empty() ? "" : fmt::format("{}\n", fmt::join(found, "\n"));
  }
  return std::nullopt;
}

/// At the place of the rung, if one is known.
void check_ladders(llvm::ArrayRef<Ladder> ladders) {
  std::set<std::string> names;
  for (const Ladder& ladder : ladders) {
    if (!names.insert(ladder.name).second)
      throw RuntimeError("two ladders are named {}", ladder.name);
    std::set<std::string> rungs;
    for (const Rung& rung : ladder.rungs)
      located<RuntimeError>(rung.location, [&] {
        if (!rungs.insert(rung.name).second)
          throw RuntimeError("two rungs of {} are named {}", ladder.name, rung.name);
        built_on(ladder, rung);
      });
  }
}

int dispatch(llvm::ArrayRef<std::string> words, const Commands& commands, const Session& session) {
  if (words.empty()) throw UsageError("no command is given; `{} --help` lists them", session.tool);
  if (const auto text = text_about(words, commands, session)) {
    session.out.print(*text);
    return exit_success;
  }
  const Command& command = variant_for(find_command(commands, words[0]), words.drop_front());
  const Arguments arguments(words.drop_front(), command.options);
  if (arguments.has("--help")) {
    session.out.print(help_text(command, session.tool));
    return exit_success;
  }
  const size_t operands = arguments.positional().size();
  if (operands < command.least || operands > command.most)
    throw UsageError("{} is given {} names; {}", command.name, operands,
                     usage(command, session.tool));
  if (arguments.has(watch_option.name) && !arguments.has(steps_option.name))
    throw UsageError("--watch waits for the file of --steps to change; give both");
  if (runs_steps(command, arguments)) return run_with_steps(command, arguments, session);
  return command.run(arguments, session);
}

}  // namespace

int run_command(llvm::ArrayRef<std::string> arguments, const std::vector<Ladder>& ladders,
                Output& out, const std::string& tool, llvm::ArrayRef<Command> more,
                const std::string& program) {
  Commands commands(command_table().begin(), command_table().end());
  commands.append(more.begin(), more.end());
  try {
    check_ladders(ladders);
    return dispatch(arguments, commands, {ladders, out, tool, program});
  } catch (const UsageError& error) {
    out.complain(fmt::format("error: {}\n", error.what()));
    return exit_usage;
  } catch (const std::bad_alloc&) {
    out.complain("error: out of memory\n");
  } catch (const std::out_of_range&) {  // of Sizes::at, which names nothing
    out.complain(
        "error: a ladder asks for a size that is not given; a problem gets no sizes where its "
        "program alone is asked for\n");
  } catch (const std::exception& error) {
    out.complain(report_of(error) + "\n");
  }
  return exit_failure;
}

int run_command(int argc, const char* const* argv, const std::vector<Ladder>& ladders,
                llvm::ArrayRef<Command> more) {
  StandardOutput out;
  const std::string tool = argc > 0 ? llvm::sys::path::filename(argv[0]).str() : "hone";
  return run_command(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), ladders, out,
                     tool, more, "/proc/self/exe");
}

}  // namespace hone
