#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/forms.h"
#include "tools/cli/line_diff.h"

namespace hone {
namespace {

/// The rung that this one builds on.
RungRef base_or_refusal(const RungRef& rung) {
  const Rung* base = built_on(*rung.ladder, *rung.rung);
  if (!base)
    throw UsageError("{} builds on no other rung; name the one to compare it with", rung.name());
  return {rung.ladder, base};
}

EmitForm form_to_compare(const Arguments& arguments, const RungRef& before, const RungRef& after) {
  const auto given = arguments.value("--emit");
  if (!given)
    return before.rung->target == after.rung->target ? default_form(*after.rung) : EmitForm::loops;
  const EmitForm form = parse_form(*given);
  if (form == EmitForm::cubin) throw UsageError("a cubin has no lines to compare; use --emit=ptx");
  return form;
}

}  // namespace

int diff_rungs(const Arguments& arguments, const Session& session) {
  const auto& paths = arguments.positional();
  const RungRef after = find_rung(session.ladders, paths.back());
  const RungRef before =
      paths.size() == 2 ? find_rung(session.ladders, paths.front()) : base_or_refusal(after);
  const EmitForm form = form_to_compare(arguments, before, after);
  const auto text = [&](const RungRef& rung) {
    return text_of(rung, form,
                   {build_sizes(arguments, *rung.ladder), arguments.value("--arch").value_or("")});
  };
  const std::string diff = unified_diff(before.name(), after.name(), text(before), text(after));
  if (arguments.has("--json"))
    print_json(llvm::json::Object{{"rung", after.name()},
                                  {"against", before.name()},
                                  {"form", std::string(name(form))},
                                  {"text", diff}},
               session.out);
  else
    session.out.print(diff);
  return exit_success;
}

}  // namespace hone
