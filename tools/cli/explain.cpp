#include <map>

#include "tools/cli/commands.h"
#include "tools/cli/explanation.h"
#include "tools/cli/json_text.h"
#include "tools/cli/waiting.h"
#include "tools/cli/warnings.h"

namespace hone {
namespace {

/// The rung that this one builds on, where that runs on a GPU too.
std::optional<RungRef> base_of(const RungRef& rung) {
  const Rung* base = built_on(*rung.ladder, *rung.rung);
  if (!base || base->target != RungTarget::gpu) return std::nullopt;
  return RungRef{rung.ladder, base};
}

/// Two rungs to explain, the one against the other.
struct Pair {
  RungRef after;
  std::optional<RungRef> before;
};

/// The request of a command line, with profiles of rungs made once.
class Explainer {
 public:
  Explainer(const Arguments& arguments, const Session& session)
      : arguments_(arguments), session_(session), target_(chosen_target(arguments)) {
    if (!target_.gpu) throw UsageError("no GPU of {} is known; name one with --gpu", target_.arch);
  }

  void explain_pair(const Pair& pair);
  void explain_ladder(const Ladder& ladder);
  /// The same as JSON.
  llvm::json::Value pair_as_json(const Pair& pair);
  llvm::json::Value ladder_as_json(const Ladder& ladder);

 private:
  void choose_ladders(const Pair& pair);
  Sizes sizes_for(const Ladder& ladder) const;
  const Profile& profile_of(const RungRef& rung);
  std::string headline(const Pair& pair);
  std::string bound_line(const RungRef& rung, const Profile& profile) const;

  const Arguments& arguments_;
  const Session& session_;
  ProfileTarget target_;
  std::vector<const Ladder*> ladders_;  ///< that sizes may be of
  std::map<std::string, Profile> profiles_;
};

/// A size that both ladders have is that of the first.
Sizes Explainer::sizes_for(const Ladder& ladder) const {
  const auto sizes_of = [&](const Ladder& one) {
    return simulated_sizes(one, given_sizes(arguments_, ladders_, one));
  };
  Sizes sizes = sizes_of(ladder);
  for (const auto& [name, size] : sizes_of(*ladders_[0]))
    if (sizes.count(name)) sizes[name] = size;
  return sizes;
}

const Profile& Explainer::profile_of(const RungRef& rung) {
  const auto known = profiles_.find(rung.name());
  if (known != profiles_.end()) return known->second;
  const Waiting waiting(session_.out, "counting " + rung.name(), Expectation(0));
  return profiles_
      .emplace(rung.name(), profile_rung(rung, sizes_for(*rung.ladder), chosen_seed(arguments_),
                                         chosen_count(arguments_), target_))
      .first->second;
}

/// "matmul/restrict against matmul/global-accumulate, K=256 M=256 N=256"
std::string Explainer::headline(const Pair& pair) {
  const std::string after = to_text(profiles_.at(pair.after.name()).sizes);
  if (!pair.before) return fmt::format("{}, {}", pair.after.name(), after);
  const std::string before = to_text(profiles_.at(pair.before->name()).sizes);
  if (before == after)
    return fmt::format("{} against {}, {}", pair.after.name(), pair.before->name(), after);
  return fmt::format("{}, {}, against {}, {}", pair.after.name(), after, pair.before->name(),
                     before);
}

std::string Explainer::bound_line(const RungRef& rung, const Profile& profile) const {
  return fmt::format("  {}: {}\n", rung.name(),
                     to_string(bound_of(profile, *target_.gpu), *target_.gpu));
}

void Explainer::choose_ladders(const Pair& pair) {
  ladders_.clear();
  if (pair.before) ladders_.push_back(pair.before->ladder);
  if (!pair.before || pair.before->ladder != pair.after.ladder)
    ladders_.push_back(pair.after.ladder);
}

void Explainer::explain_pair(const Pair& pair) {
  choose_ladders(pair);
  const Profile* before = pair.before ? &profile_of(*pair.before) : nullptr;
  const Profile& after = profile_of(pair.after);
  std::string text = headline(pair) + "\n\n";
  int number = 0;
  for (const std::string& line : explain(before, after, *target_.gpu))
    text += fmt::format("{}. {}\n", ++number, line);
  if (number == 0) text += "nothing that counts is different\n";
  text += fmt::format("\n{}\n\nroofline of {}, a bound that ranks nothing by itself:\n",
                      basis_text(after, target_), target_.gpu->name);
  if (before) text += bound_line(*pair.before, *before);
  session_.out.print(text + bound_line(pair.after, after));
  for (const std::string& warning : warnings_of(after))
    session_.out.complain(fmt::format("warning: {}\n", warning));
}

llvm::json::Value Explainer::pair_as_json(const Pair& pair) {
  choose_ladders(pair);
  const Profile* before = pair.before ? &profile_of(*pair.before) : nullptr;
  const Profile& after = profile_of(pair.after);
  llvm::json::Object object{{"rung", pair.after.name()},
                            {"sizes", to_json(after.sizes)},
                            {"findings", to_json(explain(before, after, *target_.gpu))},
                            {"basis", basis_text(after, target_)},
                            {"roofline", to_json(*target_.gpu, bound_of(after, *target_.gpu))},
                            {"warnings", to_json(warnings_of(after))},
                            {"against", nullptr}};
  if (before)
    object["against"] =
        llvm::json::Object{{"rung", pair.before->name()},
                           {"sizes", to_json(before->sizes)},
                           {"roofline", to_json(*target_.gpu, bound_of(*before, *target_.gpu))}};
  return object;
}

llvm::json::Value Explainer::ladder_as_json(const Ladder& ladder) {
  llvm::json::Array rungs;
  for (const Rung& rung : ladder.rungs) {
    const RungRef ref = {&ladder, &rung};
    if (rung.target == RungTarget::gpu) rungs.push_back(pair_as_json({ref, base_of(ref)}));
  }
  return rungs;
}

/// A rung a line, with what is most different from the one that it builds on.
void Explainer::explain_ladder(const Ladder& ladder) {
  ladders_ = {&ladder};
  session_.out.print(
      fmt::format("{}: {}, {}\n", ladder.name, ladder.title, to_text(sizes_for(ladder))));
  for (const Rung& rung : ladder.rungs) {
    const RungRef ref = {&ladder, &rung};
    if (rung.target != RungTarget::gpu) continue;
    const auto base = base_of(ref);
    const Profile* before = base ? &profile_of(*base) : nullptr;
    const auto lines = explain(before, profile_of(ref), *target_.gpu, /*most=*/1);
    session_.out.print(fmt::format("\n{}{}\n  {}\n", rung.name,
                                   base ? " against " + base->rung->name : "",
                                   lines.empty() ? "nothing that counts is different" : lines[0]));
  }
}

}  // namespace

int explain_rung(const Arguments& arguments, const Session& session) {
  const auto& names = arguments.positional();
  const bool is_json = arguments.has("--json");
  Explainer explainer(arguments, session);
  if (names.size() == 1 && names[0].find('/') == std::string::npos) {
    const Ladder& ladder = find_ladder(session.ladders, names[0]);
    if (is_json)
      print_json(explainer.ladder_as_json(ladder), session.out);
    else
      explainer.explain_ladder(ladder);
    return exit_success;
  }
  const RungRef last = find_rung(session.ladders, names.back());
  check_runs_on_gpu(last);
  Pair pair = {last, std::nullopt};
  if (names.size() == 1) {
    pair.before = base_of(last);
  } else {
    pair.before = find_rung(session.ladders, names[0]);
    check_runs_on_gpu(*pair.before);
  }
  if (is_json)
    print_json(explainer.pair_as_json(pair), session.out);
  else
    explainer.explain_pair(pair);
  return exit_success;
}

}  // namespace hone
