// The first sentence that `hone explain` has of each rung, in a table beside what was measured: a
// rung that is faster than the one that it builds on has less to do, by the facts that sentences
// are made of, and one that is slower has more.

#include "tools/cli/explain/explanation.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/judged.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/profile/counted_launch.h"

namespace hone {
namespace explanation_test {

constexpr const char* table_path = "tests/examples/golden/explanations.txt";

/// A line of the table: "matmul/bind | 5135 | global loads: 2*K per result". The speed is in
/// GFLOPS or GB/s, of an H200, from docs/measurements.md; "-" where there is none.
struct Line {
  std::string speed = "-", sentence;
};
using Table = std::map<std::string, Line>;  // by rung

Table read_table() {
  Table table;
  std::ifstream file(table_path);
  for (std::string text; std::getline(file, text);) {
    const auto [rung, rest] = llvm::StringRef(text).split(" | ");
    const auto [speed, sentence] = rest.split(" | ");
    table[rung.str()] = {speed.str(), sentence.str()};
  }
  return table;
}

bool is_update() {
  const char* update = std::getenv("UPDATE_GOLDEN");
  return update && std::string(update) == "1";
}

/// In the order of the ladders.
void write_table(const Table& table) {
  std::ofstream file(table_path);
  for (const RungCase& one : gpu_rungs()) {
    const auto line = table.find(one.name());
    if (line != table.end())
      file << fmt::format("{} | {} | {}\n", one.name(), line->second.speed, line->second.sentence);
  }
}

class Explanations : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    for (const Ladder& one : all_ladders())
      if (one.name == GetParam()) ladder_ = one;
  }

  const Profile& profile_of(const Rung& rung, const CountedLaunch& launch) {
    const std::pair key = {rung.name, launch.sizes};
    const auto known = profiles_.find(key);
    if (known != profiles_.end()) return known->second;
    return profiles_
        .emplace(key,
                 profile_rung({&ladder_, &rung}, launch.sizes, /*seed=*/1, launch.options, target_))
        .first->second;
  }

  /// Null where that runs on no GPU.
  const Rung* base_of(const Rung& rung) const {
    const Rung* base = built_on(ladder_, rung);
    return base && base->target == RungTarget::gpu ? base : nullptr;
  }

  std::string text() const;
  void expect_sentences();
  /// A rung and the one that it builds on, in launches of the same sizes.
  struct Compared {
    const Profile *before = nullptr, *after = nullptr;
  };
  Compared compare(const Rung& rung, const Rung* base);
  void expect_direction(const Rung& rung, const Rung& base, const Compared& profiles,
                        const Table& table);

  Ladder ladder_;
  const ProfileTarget target_ = {"sm_90", &find_gpu("H200 SXM")};
  std::map<std::pair<std::string, Sizes>, Profile> profiles_;
};

Sizes no_sizes(const Ladder&) { return {}; }

/// Less than this is no difference that a count of accesses knows.
constexpr double clearly = 1.15;

/// In the launches that `hone explain` counts.
Explanations::Compared Explanations::compare(const Rung& rung, const Rung* base) {
  llvm::SmallVector<RungRef, 2> rungs;
  if (base) rungs.push_back({&ladder_, base});
  rungs.push_back({&ladder_, &rung});
  const auto launches = counted_launches(rungs, no_sizes, {});
  return {base ? &profile_of(*base, launches.front()) : nullptr,
          &profile_of(rung, launches.back())};
}

void Explanations::expect_direction(const Rung& rung, const Rung& base, const Compared& profiles,
                                    const Table& table) {
  const auto speed = [&](const Rung& one) {
    const auto line = table.find(ladder_.name + "/" + one.name);
    return line == table.end() ? 0 : std::atof(line->second.speed.c_str());
  };
  const double now = speed(rung), before = speed(base);
  if (now == 0 || before == 0) return;
  const Gpu& gpu = *target_.gpu;
  const double change = total_cost({*profiles.before, gpu}) / total_cost({*profiles.after, gpu});
  if (now > clearly * before) {
    EXPECT_GT(change, 1) << rung.name << " is faster than " << base.name;
  }
  if (before > clearly * now) {
    EXPECT_LT(change, 1) << rung.name << " is slower than " << base.name;
  }
}

std::vector<std::string> ladder_names() {
  std::vector<std::string> names;
  for (const Ladder& one : all_ladders()) names.push_back(one.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ladders, Explanations, testing::ValuesIn(ladder_names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// All that profiles are made of.
std::string Explanations::text() const {
  std::string text = *read_small_file(table_path, 1 << 20);
  for (const Rung& rung : ladder_.rungs) {
    text += rung.kernel;
    if (rung.target != RungTarget::gpu || is_given_as_text(rung)) continue;
    const RungRef ref = {&ladder_, &rung};
    const Sizes sizes = counted_launches(ref, no_sizes, {}).front().sizes;
    const Schedule schedule = build(ref, {{}, sizes});
    text += schedule.trace_text();
    for (const KernelFunction& kernel : lower(schedule).kernels)
      text += to_string(kernel) + emit_cuda(kernel);
  }
  return text;
}

TEST_P(Explanations, BeginWithTheSentencesOfTheTable) {
  if (is_update()) return expect_sentences();
  judge_once(text(), [&] { expect_sentences(); });
}

void Explanations::expect_sentences() {
  Table table = read_table();
  for (const Rung& rung : ladder_.rungs) {
    if (rung.target != RungTarget::gpu) continue;
    const std::string name = ladder_.name + "/" + rung.name;
    const Rung* base = base_of(rung);
    const Compared profiles = compare(rung, base);
    const auto lines = explain(profiles.before, *profiles.after, *target_.gpu, /*most=*/1);
    const std::string sentence = lines.empty() ? "nothing that counts is different" : lines.front();
    if (is_update()) {
      table[name].sentence = sentence;
      continue;
    }
    EXPECT_EQ(sentence, table[name].sentence)
        << "of " << name << " in " << table_path << "; UPDATE_GOLDEN=1 rewrites it";
    if (base) expect_direction(rung, *base, profiles, table);
  }
  if (is_update()) write_table(table);
}

std::string launches_text(std::initializer_list<const char*> names, GivenSizes given) {
  std::vector<RungRef> rungs;
  const std::vector<Ladder> ladders = all_ladders();
  for (const char* name : names) rungs.push_back(find_rung(ladders, name));
  std::string text;
  for (const CountedLaunch& launch : counted_launches(rungs, given, {}))
    text += fmt::format("{}, {} blocks; ", to_text(launch.sizes), launch.options.most_blocks);
  return text;
}

/// 0 blocks are all.
TEST(CountedLaunches, OfTensorCoresHaveSeveralTiles) {
  const auto given = [](const Ladder&) { return Sizes{{"M", 64}}; };
  EXPECT_EQ(launches_text({"hgemm/shared-32", "hgemm/global"}, no_sizes),
            "K=256 M=256 N=256, 0 blocks; K=256 M=256 N=256, 0 blocks; ");
  EXPECT_EQ(launches_text({"hgemm/shared-32", "hgemm/mma-sync"}, no_sizes),
            "K=1024 M=1024 N=1024, 64 blocks; K=1024 M=1024 N=1024, 0 blocks; ");
  EXPECT_EQ(launches_text({"hgemm-batched/tuned", "hgemm/tuned"}, no_sizes),
            "K=256 M=256 N=256 batch=64, 0 blocks; K=256 M=256 N=256, 0 blocks; ");
  EXPECT_EQ(launches_text({"hgemm/shared-32", "hgemm/mma-sync"}, given),
            "K=256 M=64 N=256, 0 blocks; K=256 M=64 N=256, 0 blocks; ");
}

}  // namespace explanation_test
}  // namespace hone
