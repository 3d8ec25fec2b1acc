// Drawings of pipelines: slots are filled and read in the order of the run on the simulated device.
#include <set>

#include "llvm/ADT/StringRef.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/command/drawings.h"
#include "tools/draw/recorded_run.h"
#include "tools/page/page_drawings.h"

namespace hone {
namespace pipelines_test {

const Sizes drawn_sizes = {{"M", 256}, {"N", 512}, {"K", 256}};

class Pipelines : public testing::TestWithParam<const char*> {
 protected:
  static RungRef rung() {
    static const std::vector<Ladder> ladders = all_ladders();
    return find_rung(ladders, std::string("matmul/") + GetParam());
  }
  static Recording recording() { return record_rung(rung(), {drawn_sizes, 17, 0, false}); }
};

INSTANTIATE_TEST_SUITE_P(Matmul, Pipelines,
                         testing::Values("double-buffer", "async-copy", "producer-consumer",
                                         "ordered", "tma", "reload"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The cells of a row from left to right.
std::vector<std::string> row_of(const FigurePanel& panel, int64_t row) {
  std::vector<std::string> cells;
  for (int64_t step = 0; step < panel.columns; ++step) cells.push_back(panel.at(row, step).text);
  return cells;
}

/// The slots whose cells begin with a letter, by turn.
std::vector<int64_t> slots_with(const FigurePanel& panel, char letter) {
  std::map<int64_t, int64_t> slots;
  for (int64_t slot = 0; slot < panel.rows; ++slot)
    for (int64_t step = 0; step < panel.columns; ++step)
      if (const FigureCell& cell = panel.at(slot, step); cell.text[0] == letter)
        slots[cell.value] = slot;
  std::vector<int64_t> by_turn;
  for (const auto& [turn, slot] : slots) by_turn.push_back(slot);
  return by_turn;
}

/// The slots of a ring that the drawn block filled or read, one after the other, as recorded.
std::vector<int64_t> recorded_slots(const RecordedKernel& kernel, const std::string& ring,
                                    AccessClass access_class) {
  std::vector<int64_t> slots;
  for (const RecordedStep& step : kernel.report.steps) {
    if (!kernel.is_drawn(step) || step.kind != RecordedStep::Kind::access) continue;
    const AccessReport& access = kernel.report.accesses[step.access].report;
    if (access.tensor->name != ring || access.access_class != access_class) continue;
    std::set<int64_t> of_step;
    for (const int64_t element : step.threads)
      if (element >= 0) of_step.insert(kernel.tensors[step.access].index_of(element)[0]);
    EXPECT_EQ(of_step.size(), 1u) << ring;
    if (slots.empty() || slots.back() != *of_step.begin()) slots.push_back(*of_step.begin());
  }
  return slots;
}

/// As far as both go: a drawing ends somewhere, and so does a recording.
bool go_alike(const std::vector<int64_t>& drawn, const std::vector<int64_t>& recorded) {
  const size_t length = std::min(drawn.size(), recorded.size());
  return length > 1 && std::equal(drawn.begin(), drawn.begin() + length, recorded.begin());
}

TEST_P(Pipelines, FillAndReadTheSlotsOfTheRun) {
  const Recording run = recording();
  const std::vector<Figure> figures = pipeline_figures(run);
  ASSERT_EQ(figures.size(), 1u);
  ASSERT_EQ(figures[0].panels.size(), 2u) << "both rings go the same way";
  const FigurePanel& slots = figures[0].panels[1];
  const RecordedKernel& kernel = run.run().kernels[0];
  for (const char* const ring : {"A.shared", "B.shared"}) {
    const auto filled = recorded_slots(kernel, ring, AccessClass::shared_store);
    const bool is_by_threads = !filled.empty();  // else the copy engine fills it
    if (is_by_threads) {
      EXPECT_TRUE(go_alike(slots_with(slots, '+'), filled));
    }
    EXPECT_TRUE(
        go_alike(slots_with(slots, 'r'), recorded_slots(kernel, ring, AccessClass::shared_load)));
  }
}

/// Between two reads of a slot its copies start, and are on their way; nothing comes between.
TEST_P(Pipelines, FillNoSlotThatIsRead) {
  for (const Figure& figure : pipeline_figures(recording())) {
    const FigurePanel& slots = figure.panels[1];
    for (int64_t slot = 0; slot < slots.rows; ++slot) {
      std::string states;
      for (const std::string& cell : row_of(slots, slot)) states += cell.empty() ? '.' : cell[0];
      EXPECT_TRUE(llvm::StringRef(states).ltrim('.').startswith("+")) << states;
      for (size_t step = 1; step < states.size(); ++step) {
        const char* const allowed = states[step - 1] == '.'   ? ".+"
                                    : states[step - 1] == 'r' ? ".+"
                                                              : "~r";
        EXPECT_NE(std::string_view(allowed).find(states[step]), std::string_view::npos) << states;
      }
    }
    EXPECT_EQ(figure.facts.at("mistakes"), 0);
  }
}

/// All slots but the one that is read are on their way, and a copy has as many steps.
TEST_P(Pipelines, KeepAllSlotsButOneOnTheirWay) {
  const Figure figure = pipeline_figures(recording()).at(0);
  EXPECT_EQ(figure.facts.at("copies_in_flight"), figure.facts.at("slots") - 1);
  EXPECT_EQ(figure.facts.at("steps_to_arrive"), figure.facts.at("slots") - 1);
}

TEST_P(Pipelines, ComeFirstOnThePageOfTheLadder) {
  const Figure figure = pipeline_figures(recording()).at(0);
  EXPECT_EQ(drawings_of(rung(), {drawn_sizes, 17}).at(0).title, figure.title);
}

/// Slots and parities go round.
TEST_P(Pipelines, WaitAsTheTextDoes) {
  const Recording run = recording();
  const Figure figure = pipeline_figures(run).at(0);
  const std::string text = to_string(*run.run().kernels[0].kernel);
  const FigurePanel& agents = figure.panels[0];
  const auto slots = static_cast<int64_t>(figure.facts.at("slots"));
  for (int64_t row = 0; row < agents.rows; ++row) {
    const llvm::StringRef label = agents.row_labels[row];
    if (label.endswith("wait_group")) {
      EXPECT_NE(text.find("wait_group " + agents.at(row, 1).text + "\n"), std::string::npos);
    }
    if (!label.contains("wait step.")) continue;
    // Turn t waits for slot t % slots, and for the parity of t / slots; of empty slots, the other.
    int64_t turn = 0;
    for (const std::string& cell : row_of(agents, row)) {
      if (cell == "..." || cell.empty()) continue;
      const int64_t parity = (turn / slots + (label.endswith("empty") ? 1 : 0)) % 2;
      EXPECT_EQ(cell, fmt::format("{}/{}", turn % slots, parity));
      ++turn;
    }
    EXPECT_GT(turn, slots);
  }
}

}  // namespace pipelines_test
}  // namespace hone
