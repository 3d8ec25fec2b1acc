#include "runtime/files.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/forms.h"

namespace hone {
namespace {

EmitForm form_to_show(const Arguments& arguments, const RungRef& rung) {
  const auto given = arguments.value("--emit");
  if (arguments.has("--whole") && !arguments.has("--steps"))
    throw UsageError("--whole says how --steps shows loops; give both");
  if (!arguments.has("--steps")) return given ? parse_form(*given) : default_form(*rung.rung);
  if (given && parse_form(*given) != EmitForm::loops)
    throw UsageError("--steps shows loops, not {}", *given);
  return EmitForm::loops;
}

/// Throws UsageError for a cubin where text is asked for.
void check_is_text(const Arguments& arguments, EmitForm form, const Output& out) {
  if (form != EmitForm::cubin) return;
  if (arguments.has("--json"))
    throw UsageError("a cubin is no text; name a file with -o and leave --json out");
  if (!arguments.has("-o") && out.is_terminal())
    throw UsageError("a cubin is no text for a terminal; name a file with -o");
}

}  // namespace

int show_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  const EmitForm form = form_to_show(arguments, rung);
  const auto file = arguments.value("-o");
  check_is_text(arguments, form, session.out);
  if (file && arguments.has("--json"))
    throw UsageError("-o writes the text as it is; leave --json or -o out");
  const EmitOptions options = {build_sizes(arguments, *rung.ladder),
                               arguments.value("--arch").value_or("")};
  const StepText step_text = arguments.has("--whole") ? StepText::whole : StepText::changes;
  const std::string text = arguments.has("--steps") ? steps_text(rung, options.sizes, step_text)
                                                    : text_of(rung, form, options);
  if (file) {
    replace_file(*file, {text});
  } else if (arguments.has("--json")) {
    print_json(llvm::json::Object{{"rung", rung.name()},
                                  {"form", llvm::StringRef(name(form).data(), name(form).size())},
                                  {"sizes", to_json(options.sizes.fixed)},
                                  {"text", text}},
               session.out);
  } else {
    session.out.print(text);
  }
  return exit_success;
}

}  // namespace hone
