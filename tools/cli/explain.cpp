#include "tools/cli/commands.h"
#include "tools/cli/explanation.h"

namespace hone {
namespace {

/// The nearest rung before this one that runs on a GPU too; nothing where there is none.
std::optional<RungRef> gpu_rung_before(const RungRef& rung) {
  for (const Rung* one = rung.rung; one-- != &rung.ladder->rungs.front();)
    if (one->target == RungTarget::gpu) return RungRef{rung.ladder, one};
  return std::nullopt;
}

std::string bound_line(const std::string& name, const Profile& profile, const Gpu& gpu) {
  return fmt::format("  {}: {}\n", name, to_string(bound_of(profile, gpu)));
}

}  // namespace

int explain_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  check_runs_on_gpu(rung);
  const Sizes sizes = simulated_sizes(*rung.ladder, given_sizes(arguments, *rung.ladder));
  const ProfileTarget target = chosen_target(arguments);
  if (!target.gpu) throw UsageError("no GPU of {} is known; name one with --gpu", target.arch);
  const auto profile = [&](const RungRef& one) {
    return profile_rung(one, sizes, chosen_seed(arguments), chosen_count(arguments), target);
  };
  const Profile after = profile(rung);
  const auto rung_before = gpu_rung_before(rung);
  std::optional<Profile> before;
  if (rung_before) before = profile(*rung_before);

  std::string text = rung.name();
  if (rung_before) text += " against " + rung_before->name();
  text += fmt::format(", {}\n\n", to_text(after.sizes));
  int number = 0;
  for (const std::string& line : explain(before ? &*before : nullptr, after, *target.gpu))
    text += fmt::format("{}. {}\n", ++number, line);
  if (number == 0) text += "nothing that counts is different\n";
  text += fmt::format("\nroofline of {}:\n", target.gpu->name.str());
  if (before) text += bound_line(rung_before->name(), *before, *target.gpu);
  session.out.print(text + bound_line(rung.name(), after, *target.gpu));
  return exit_success;
}

}  // namespace hone
