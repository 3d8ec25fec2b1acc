#include "runtime/export.h"

#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace {

int index_bits(const Arguments& arguments) {
  const std::string text = arguments.value("--index-bits").value_or("");
  if (text.empty()) return 0;
  if (text != "32" && text != "64") throw UsageError("--index-bits is 32 or 64, got '{}'", text);
  return text == "32" ? 32 : 64;
}

}  // namespace

int export_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  const auto folder = arguments.value("--to");
  if (!folder) throw UsageError("export writes to a folder; name it with --to");
  if (rung.rung->target == RungTarget::host)
    throw UsageError("{} runs on the host; what is exported runs on a GPU", rung.name());
  const BuildSizes sizes = build_sizes(arguments, *rung.ladder);
  const Schedule schedule = build(rung, sizes);
  ExportOptions options;
  options.name = arguments.value("--name").value_or("");
  options.arch = arguments.value("--arch").value_or("");
  options.index_bits = index_bits(arguments);
  const Exported exported =
      arguments.has("--minimal")
          ? export_library(schedule.function(), *folder,
                           names_of(inputs_of(program_for(rung, sizes.expected))), options)
          : export_program(schedule.function(), *folder, options);
  if (arguments.has("--json")) {
    print_json(llvm::json::Object{{"rung", rung.name()},
                                  {"files", to_json(exported.files)},
                                  {"without_cubin", exported.without_cubin}},
               session.out);
    return exit_success;
  }
  for (const std::string& file : exported.files) session.out.print(file + "\n");
  if (!exported.without_cubin.empty())
    session.out.complain(fmt::format("no cubin: {}\n", exported.without_cubin));
  return exit_success;
}

}  // namespace hone
