// The forms that a rung takes on its way from a schedule to machine code, as text.
#pragma once

#include "codegen/kernel.h"
#include "tools/cli/judge/selection.h"

namespace hone {

enum class EmitForm {
  source,
  schedule,
  dependences,
  loops,
  kernel,
  cuda,
  c,
  ptx,
  cubin,
  sass,
  launch
};

/// The words of "--emit".
std::vector<std::string> names_of_forms();
/// The form of one of them. Throws UsageError for an unknown word.
EmitForm parse_form(const std::string& text);
std::string_view name(EmitForm form);

/// cuda, or c for what runs on the host.
EmitForm default_form(const Rung& rung);

struct EmitOptions {
  BuildSizes sizes;
  std::string arch;  ///< of ptx, cubin and sass; empty: the GPU of this machine, else sm_90
};

/// The rung in one of its forms; text ends in a newline. Throws UsageError for a form that the rung
/// has not got.
std::string text_of(const RungRef& rung, EmitForm form, const EmitOptions& options);

/// The number of lines above each kernel in the CUDA text of the module, which has all of them.
std::vector<unsigned> cuda_lines_above(const Module& module);

/// The form of the loops after a step: changes of those before it, or all of them.
enum class StepText { changes, whole };

/// The loops of the program, and those after each step of the schedule.
std::string steps_text(const RungRef& rung, const BuildSizes& sizes, StepText form);

}  // namespace hone
