#include "tools/serve/catalog.h"

#include "examples/exercises/exercise.h"
#include "ir/schedule/step.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/command/steps.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace {

llvm::json::Object to_json(const RungRef& rung) {
  const bool is_schedule = !is_given_as_text(*rung.rung);
  const std::string steps = is_schedule ? build(rung, {{}, rung.ladder->sizes}).trace_text() : "";
  return llvm::json::Object{{"name", rung.rung->name},
                            {"title", rung.rung->title},
                            {"question", rung.rung->question},
                            {"idea", rung.rung->idea},
                            {"steps", steps},
                            {"is_schedule", is_schedule}};
}

llvm::json::Object to_json(const Ladder& ladder) {
  llvm::json::Array rungs;
  for (const Rung& rung : ladder.rungs) rungs.push_back(to_json(RungRef{&ladder, &rung}));
  const std::string program = ladder.program ? program_text(program_of(ladder, {}).function()) : "";
  return llvm::json::Object{{"name", ladder.name},
                            {"title", ladder.title},
                            {"program", program},
                            {"rungs", std::move(rungs)}};
}

llvm::json::Array exercises() {
  llvm::json::Array known;
  for (const Exercise& exercise : all_exercises())
    if (const std::string steps = start_as_steps(exercise); !steps.empty())
      known.push_back(
          llvm::json::Object{{"number", exercise.number},
                             {"title", exercise.title},
                             {"task", text_of(exercise).task},
                             {"steps", steps},
                             {"program", readable_program_text(exercise.program().function())}});
  return known;
}

}  // namespace

std::string catalog_of(llvm::ArrayRef<Ladder> ladders) {
  llvm::json::Array known, primitives;
  for (const Ladder& ladder : ladders)
    if (!ladder.is_broken) known.push_back(to_json(ladder));
  for (const Primitive* primitive : all_primitives())
    primitives.push_back(std::string(primitive->name));
  return llvm::formatv("{0}",
                       llvm::json::Value(llvm::json::Object{{"ladders", std::move(known)},
                                                            {"primitives", std::move(primitives)},
                                                            {"exercises", exercises()}}))
      .str();
}

}  // namespace hone
