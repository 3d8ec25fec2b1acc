// Ladders of one's own.

#include "examples/exercises/catalog.h"
#include "examples/exercises/judge.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

/// A judge of ladders.
using JudgeLadder = std::function<Judgement(const Ladder&)>;

Exercise ladder_exercise(const char* number, const char* title, JudgeLadder judge) {
  return {number, title, [judge](const Answer& answer) {
            const auto* solve = std::get_if<std::function<Ladder()>>(&answer);
            if (!solve) throw UsageError("this exercise asks for `Ladder solve()`");
            return judge((*solve)());
          }};
}

/// All sizes of the ladder, or so many where they are more.
Sizes at_most(const Ladder& ladder, int64_t most) {
  Sizes sizes = ladder.sizes;
  for (auto& [name, size] : sizes) size = std::min(size, most);
  return sizes;
}

std::string loops_of(const Ladder& ladder, const Rung& rung) {
  return to_string(rung.build({}, at_most(ladder, 64)));
}

Complaint complaint_about_rung(const Ladder& ladder, const Rung& rung) {
  const Program program = ladder.program({});
  for (const int64_t most : {33, 64}) {
    const Sizes sizes = at_most(ladder, most);
    const Task task = {program, {}, sizes, {}};
    if (Complaint complaint = complaint_about(task, rung.build({}, sizes)))
      return fmt::format("{}/{}: {}", ladder.name, rung.name, *complaint);
  }
  return std::nullopt;
}

/// Three rungs, of which all but the first build on one of them, and all of which are right.
Complaint complaint_about_ladder(const Ladder& ladder) {
  if (ladder.name.empty() || !ladder.program) return "the ladder has no name, or no program";
  if (ladder.rungs.size() < 3)
    return fmt::format("the ladder has {} rungs; wanted: three", ladder.rungs.size());
  for (const Rung& rung : ladder.rungs) {
    if (rung.title.empty() || rung.idea.empty())
      return fmt::format("the rung {} has no title, or no idea", rung.name);
    if (&rung != &ladder.rungs.front() && !built_on(ladder, rung))
      return fmt::format(
          "the rung {} does not say what it builds on\nThe last argument of a "
          "RungMaker has it: {{.builds_on = \"{}\"}}",
          rung.name, ladder.rungs.front().name);
    const Rung* base = built_on(ladder, rung);
    if (base && loops_of(ladder, rung) == loops_of(ladder, *base))
      return fmt::format("the rung {} has the loops of {}, which it builds on", rung.name,
                         base->name);
    if (Complaint complaint = complaint_about_rung(ladder, rung)) return complaint;
  }
  return std::nullopt;
}

Judgement a_ladder(const Ladder& ladder) {
  if (const Complaint complaint = complaint_about_ladder(ladder)) return failed(*complaint);
  return passed({fmt::format("{} rungs with right results", ladder.rungs.size())});
}

int64_t sectors_of(const Ladder& ladder, const Rung& rung) {
  const Sizes sizes = at_most(ladder, 64);
  const Measured measured = measure(ladder.program({}), rung.build({}, sizes), sizes);
  return measured.sum([](const CountReport& kernel) { return kernel.global().sectors; });
}

Judgement a_climb(const Ladder& ladder) {
  if (const Complaint complaint = complaint_about_ladder(ladder)) return failed(*complaint);
  std::vector<std::string> steps;
  for (const Rung& rung : ladder.rungs) {
    const Rung* base = built_on(ladder, rung);
    if (!base) continue;
    const int64_t before = sectors_of(ladder, *base), after = sectors_of(ladder, rung);
    const std::string step =
        fmt::format("{} asks for {} sectors, and {}, which it builds on, for {}", rung.name, after,
                    base->name, before);
    if (after >= before) return failed(step + "; wanted: fewer than that");
    steps.push_back(step);
  }
  return passed(steps);
}

}  // namespace

std::vector<Exercise> exercises_of_lesson_13() {
  return {ladder_exercise("13.1", "a ladder of three rungs", a_ladder),
          ladder_exercise("13.2", "a ladder that climbs", a_climb)};
}

}  // namespace hone
