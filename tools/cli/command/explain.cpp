#include <map>

#include "tools/cli/command/commands.h"
#include "tools/cli/command/host_explanation.h"
#include "tools/cli/command/warnings.h"
#include "tools/cli/explain/explanation.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/waiting.h"
#include "tools/cli/profile/counted_launch.h"

namespace hone {
namespace {

constexpr const char* host_basis =
    "accesses as written; compilers keep elements in registers, and merge accesses";

bool is_of_host(const RungRef& rung) { return rung.rung->target == RungTarget::host; }

/// The rung that this one builds on, where that runs on the same machine.
std::optional<RungRef> base_of(const RungRef& rung) {
  const Rung* base = built_on(*rung.ladder, *rung.rung);
  if (!base || base->target != rung.rung->target) return std::nullopt;
  return RungRef{rung.ladder, base};
}

/// Two rungs to explain, the one against the other.
struct Pair {
  RungRef after;
  std::optional<RungRef> before;

  /// True where one runs on the host and the other on a GPU: no amount of theirs is comparable.
  bool is_mixed() const { return before && is_of_host(*before) != is_of_host(after); }
  llvm::SmallVector<RungRef, 2> rungs() const {
    llvm::SmallVector<RungRef, 2> all;
    if (before) all.push_back(*before);
    all.push_back(after);
    return all;
  }
};

/// The request of a command line, with profiles of rungs made once.
class Explainer {
 public:
  Explainer(const Arguments& arguments, const Session& session)
      : arguments_(arguments), session_(session), target_(chosen_target(arguments)) {
    if (!target_.gpu) throw UsageError("no GPU of {} is known; name one with --gpu", target_.arch);
  }

  void explain_pair(const Pair& pair);
  /// Goes on behind rungs that cannot be explained. Returns the exit status.
  int explain_ladder(const Ladder& ladder);
  /// The same as JSON.
  llvm::json::Value pair_as_json(const Pair& pair);
  llvm::json::Value ladder_as_json(const Ladder& ladder);

 private:
  std::string line_of(const Pair& pair, const std::string& usual);
  std::vector<std::string> findings_of(const Pair& pair, size_t most = 3);
  std::string work_line(const RungRef& rung);
  std::string basis_of(const RungRef& rung);
  std::string samples_of(const RungRef& rung, const char* indent = "");
  std::vector<std::string> warnings_for(const RungRef& rung);
  llvm::json::Object rung_json(const RungRef& rung);
  llvm::json::Array kernels_json(const RungRef& rung);
  llvm::json::Value roofline_json(const RungRef& rung);
  llvm::json::Value time_json(const RungRef& rung);
  void choose_launches(const Pair& pair);
  const Profile& profile_of(const RungRef& rung);
  const HostProfile& host_profile_of(const RungRef& rung);
  const Sizes& sizes_of(const RungRef& rung);
  std::string headline(const Pair& pair);
  std::string details(const Pair& pair);

  const Arguments& arguments_;
  const Session& session_;
  ProfileTarget target_;
  std::vector<const Ladder*> ladders_;             ///< that sizes may be of
  std::map<std::string, CountedLaunch> launches_;  ///< of the pair's rungs
  std::map<std::string, Profile> profiles_;        ///< by rung and sizes
  std::map<std::string, HostProfile> host_profiles_;
};

const Profile& Explainer::profile_of(const RungRef& rung) {
  const CountedLaunch& launch = launches_.at(rung.name());
  const std::string key = rung.name() + " " + to_text(launch.sizes);
  const auto known = profiles_.find(key);
  if (known != profiles_.end()) return known->second;
  const Waiting waiting(session_.out, "counting " + rung.name(), Expectation(0));
  return profiles_
      .emplace(key,
               profile_rung(rung, launch.sizes, chosen_seed(arguments_), launch.options, target_))
      .first->second;
}

/// Counted at the ladder's own sizes where none are given, without a run.
const HostProfile& Explainer::host_profile_of(const RungRef& rung) {
  const auto known = host_profiles_.find(rung.name());
  if (known != host_profiles_.end()) return known->second;
  const Sizes sizes = overlaid(rung.ladder->sizes, given_sizes(arguments_, ladders_, *rung.ladder));
  return host_profiles_.emplace(rung.name(), HostProfile{sizes, count_host(rung, sizes)})
      .first->second;
}

const Sizes& Explainer::sizes_of(const RungRef& rung) {
  return is_of_host(rung) ? host_profile_of(rung).sizes : profile_of(rung).sizes;
}

/// "matmul/host, on the host: 2*K operations, 3*K loads and K + 1 stores per result, as written"
std::string Explainer::work_line(const RungRef& rung) {
  return is_of_host(rung)
             ? fmt::format("{}, on the host: {}", rung.name(), work_text(host_profile_of(rung)))
             : fmt::format("{}, on a GPU: {}", rung.name(),
                           work_text(profile_of(rung), *target_.gpu));
}

std::vector<std::string> Explainer::findings_of(const Pair& pair, size_t most) {
  if (pair.is_mixed()) return {work_line(*pair.before), work_line(pair.after)};
  if (!is_of_host(pair.after)) {
    const Profile* before = pair.before ? &profile_of(*pair.before) : nullptr;
    return explain(before, profile_of(pair.after), *target_.gpu, most);
  }
  if (!pair.before) return {work_text(host_profile_of(pair.after))};
  return explain_host(host_profile_of(*pair.before), host_profile_of(pair.after), most);
}

std::string Explainer::basis_of(const RungRef& rung) {
  return is_of_host(rung) ? host_basis : basis_text(profile_of(rung), target_);
}

/// A line for each kernel of which some blocks were counted, and not all.
std::string Explainer::samples_of(const RungRef& rung, const char* indent) {
  if (is_of_host(rung)) return "";
  std::string lines;
  const std::vector<KernelProfile>& kernels = profile_of(rung).kernels;
  for (const KernelProfile& kernel : kernels) {
    const std::string name = kernels.size() == 1 ? "" : ", " + kernel.counts.kernel;
    if (kernel.counts.is_sampled())
      lines += fmt::format("{}{}{}: counts are {}\n", indent, rung.name(), name,
                           kernel.counts.sample_text());
  }
  return lines;
}

std::vector<std::string> Explainer::warnings_for(const RungRef& rung) {
  return is_of_host(rung) ? std::vector<std::string>() : warnings_of(profile_of(rung));
}

llvm::json::Value Explainer::time_json(const RungRef& rung) {
  const auto time = is_of_host(rung) ? std::nullopt : time_of(profile_of(rung));
  return time ? to_json(*target_.gpu, *time) : llvm::json::Value(nullptr);
}

llvm::json::Value Explainer::roofline_json(const RungRef& rung) {
  if (is_of_host(rung)) return nullptr;
  return to_json(*target_.gpu, bound_of(profile_of(rung), *target_.gpu));
}

/// "matmul/restrict against matmul/global-accumulate, K=256 M=256 N=256"
std::string Explainer::headline(const Pair& pair) {
  const std::string after = to_text(sizes_of(pair.after));
  if (!pair.before) return fmt::format("{}, {}", pair.after.name(), after);
  const std::string before = to_text(sizes_of(*pair.before));
  if (before == after)
    return fmt::format("{} against {}, {}", pair.after.name(), pair.before->name(), after);
  return fmt::format("{}, {}, against {}, {}", pair.after.name(), after, pair.before->name(),
                     before);
}

/// Roofs of rungs of a GPU, the steps of rungs of the host.
std::string Explainer::details(const Pair& pair) {
  std::string roofs, times, steps;
  for (const RungRef& rung : pair.rungs()) {
    if (is_of_host(rung)) {
      steps += fmt::format("  {}:\n{}", rung.name(), steps_text(host_profile_of(rung)));
      continue;
    }
    const Profile& profile = profile_of(rung);
    if (const auto time = time_of(profile))
      times += fmt::format("  {}: {}\n", rung.name(), to_string(*time, "    "));
    roofs += fmt::format("  {}: {}\n", rung.name(),
                         to_string(bound_of(profile, *target_.gpu), *target_.gpu));
  }
  std::string text;
  if (!times.empty())
    text += fmt::format("\ntime on {}, with these sizes:\n{}", target_.gpu->name, times);
  if (!roofs.empty())
    text += fmt::format("\nroofline of {}, a bound that ranks nothing by itself:\n{}",
                        target_.gpu->name, roofs);
  if (!steps.empty()) text += "\nwhat the innermost loops come to, as written:\n" + steps;
  return text;
}

void Explainer::choose_launches(const Pair& pair) {
  ladders_.clear();
  if (pair.before) ladders_.push_back(pair.before->ladder);
  if (!pair.before || pair.before->ladder != pair.after.ladder)
    ladders_.push_back(pair.after.ladder);
  const llvm::SmallVector<RungRef, 2> rungs = pair.rungs();
  const auto given = [&](const Ladder& one) { return given_sizes(arguments_, ladders_, one); };
  const auto launches = counted_launches(rungs, given, chosen_count(arguments_));
  for (const auto& [rung, launch] : llvm::zip(rungs, launches)) launches_[rung.name()] = launch;
}

void Explainer::explain_pair(const Pair& pair) {
  choose_launches(pair);
  std::string text = headline(pair) + "\n\n";
  int number = 0;
  for (const std::string& line : findings_of(pair))
    text += pair.is_mixed() ? line + "\n" : fmt::format("{}. {}\n", ++number, line);
  if (number == 0 && !pair.is_mixed()) text += "nothing that counts is different\n";
  text += fmt::format("\n{}\n", basis_of(pair.after));
  for (const RungRef& rung : pair.rungs()) text += samples_of(rung);
  session_.out.print(text + details(pair));
  for (const std::string& warning : warnings_for(pair.after))
    session_.out.complain(fmt::format("warning: {}\n", warning));
}

llvm::json::Array Explainer::kernels_json(const RungRef& rung) {
  llvm::json::Array kernels;
  if (is_of_host(rung)) return kernels;
  for (const KernelProfile& kernel : profile_of(rung).kernels)
    kernels.push_back(llvm::json::Object{{"kernel", kernel.counts.kernel},
                                         {"counted_blocks", kernel.counts.counted_blocks},
                                         {"is_sampled", kernel.counts.is_sampled()}});
  return kernels;
}

/// The fields of both rungs of a pair.
llvm::json::Object Explainer::rung_json(const RungRef& rung) {
  return llvm::json::Object{{"rung", rung.name()},
                            {"sizes", to_json(sizes_of(rung))},
                            {"kernels", kernels_json(rung)},
                            {"roofline", roofline_json(rung)},
                            {"time", time_json(rung)}};
}

llvm::json::Value Explainer::pair_as_json(const Pair& pair) {
  choose_launches(pair);
  llvm::json::Object object = rung_json(pair.after);
  object["findings"] = to_json(findings_of(pair));
  object["basis"] = basis_of(pair.after);
  object["warnings"] = to_json(warnings_for(pair.after));
  object["against"] = pair.before ? llvm::json::Value(rung_json(*pair.before)) : nullptr;
  return object;
}

llvm::json::Value Explainer::ladder_as_json(const Ladder& ladder) {
  llvm::json::Array rungs;
  for (const Rung& rung : ladder.rungs)
    rungs.push_back(pair_as_json({{&ladder, &rung}, base_of({&ladder, &rung})}));
  return rungs;
}

/// A rung, with the largest difference from the one that it builds on, and its sampled kernels.
std::string Explainer::line_of(const Pair& pair, const std::string& usual) {
  choose_launches(pair);
  const auto lines = findings_of(pair, /*most=*/1);
  const std::string sizes = to_text(sizes_of(pair.after));
  const std::string where = is_of_host(pair.after) ? ", on the host, " + sizes
                            : sizes == usual       ? ""
                                                   : ", " + sizes;
  return fmt::format("\n{}{}{}\n  {}\n{}", pair.after.rung->name,
                     pair.before ? " against " + pair.before->rung->name : "", where,
                     lines.empty() ? "nothing that counts is different" : lines[0],
                     samples_of(pair.after, "  "));
}

int Explainer::explain_ladder(const Ladder& ladder) {
  ladders_ = {&ladder};
  const std::string usual =
      to_text(simulated_sizes(ladder, given_sizes(arguments_, ladders_, ladder)));
  session_.out.print(fmt::format("{}: {}, {}\n", ladder.name, ladder.title, usual));
  int status = exit_success;
  for (const Rung& rung : ladder.rungs) {
    const RungRef reference = {&ladder, &rung};
    try {
      session_.out.print(line_of({reference, base_of(reference)}, usual));
    } catch (const RuntimeError& error) {
      session_.out.complain(fmt::format("error: {}: {}\n", reference.name(), error.what()));
      status = exit_failure;
    }
  }
  return status;
}

}  // namespace

int explain_rung(const Arguments& arguments, const Session& session) {
  const auto& names = arguments.positional();
  const bool is_json = arguments.has("--json");
  Explainer explainer(arguments, session);
  if (names.size() == 1 && names[0].find('/') == std::string::npos) {
    const Ladder& ladder = find_ladder(session.ladders, names[0]);
    if (!is_json) return explainer.explain_ladder(ladder);
    print_json(explainer.ladder_as_json(ladder), session.out);
    return exit_success;
  }
  const RungRef last = find_rung(session.ladders, names.back());
  const Pair pair = {last,
                     names.size() == 1 ? base_of(last) : find_rung(session.ladders, names[0])};
  if (is_json)
    print_json(explainer.pair_as_json(pair), session.out);
  else
    explainer.explain_pair(pair);
  return exit_success;
}

}  // namespace hone
