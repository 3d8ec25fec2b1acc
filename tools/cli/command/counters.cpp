#include "tools/cli/command/commands.h"
#include "tools/cli/command/host_counters.h"
#include "tools/cli/command/warnings.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/waiting.h"
#include "tools/cli/profile/counted_launch.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

int count_host_rung(const RungRef& rung, const Arguments& arguments, const Session& session) {
  const Sizes sizes = overlaid(rung.ladder->sizes, given_sizes(arguments, *rung.ladder));
  const HostCounts counts = count_host(rung, sizes);
  if (arguments.has("--json")) {
    llvm::json::Value value = to_json(counts, sizes);
    (*value.getAsObject())["rung"] = rung.name();
    print_json(value, session.out);
    return exit_success;
  }
  session.out.print(fmt::format("{}: {}, on the host\n\n{}", rung.name(), to_text(sizes),
                                to_string(counts, sizes)));
  return exit_success;
}

/// Puts the counters of these launches beside those of the kernels.
void add_measured(llvm::ArrayRef<MeasuredLaunch> launches, Profile& profile) {
  for (KernelProfile& kernel : profile.kernels)
    kernel.measured =
        measured_counters(counts_as_compiled(kernel), launch_of(kernel.counts, launches));
}

}  // namespace

CountOptions chosen_count(const Arguments& arguments) {
  CountOptions options;
  const std::string blocks = arguments.value("--blocks").value_or("0");
  if (llvm::StringRef(blocks).getAsInteger(10, options.most_blocks) || options.most_blocks < 0)
    throw UsageError("--blocks takes a number from 0 on, got '{}'", blocks);
  return options;
}

int count_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  if (arguments.has("--kernel") || arguments.has(ncu_option.name)) check_runs_on_gpu(rung);
  if (rung.rung->target == RungTarget::host) return count_host_rung(rung, arguments, session);
  const std::optional<UserText> edited = edited_kernels(arguments);
  const UserText* text = edited ? &*edited : nullptr;
  const Sizes given = given_sizes(arguments, *rung.ladder);
  const ProfileTarget target = chosen_target(arguments);
  const auto profile_it = [&] {
    const Waiting waiting(session.out, "counting " + name_with(rung, text), Expectation(0));
    const auto given_for = [&](const Ladder&) { return given; };
    const CountedLaunch launch = counted_launches(rung, given_for, chosen_count(arguments)).front();
    return profile_rung(rung, launch.sizes, chosen_seed(arguments), launch.options, target, text);
  };
  const std::vector<MeasuredLaunch> launches = given_launches(arguments);
  Profile profile = profile_it();
  if (!launches.empty()) add_measured(launches, profile);
  if (arguments.has("--json")) {
    llvm::json::Value value = to_json(profile, target);
    (*value.getAsObject())["rung"] = name_with(rung, text);
    (*value.getAsObject())["warnings"] = to_json(warnings_of(profile));
    print_json(value, session.out);
    return exit_success;
  }
  session.out.print(fmt::format("{}: {}\n\n{}", name_with(rung, text), to_text(profile.sizes),
                                to_string(profile, target, arguments.has("--all"))));
  for (const std::string& warning : warnings_of(profile))
    session.out.complain(fmt::format("warning: {}\n", warning));
  return exit_success;
}

}  // namespace hone
