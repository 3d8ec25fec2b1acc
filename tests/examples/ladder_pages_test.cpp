// The page of every ladder.
#include <algorithm>

#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/page_structure.h"
#include "tools/page/html.h"
#include "tools/page/page.h"

namespace hone {
namespace ladder_pages_test {

/// Sizes that are counted in no time.
PageOptions small_options(const Ladder& ladder) {
  PageOptions options;
  const int64_t most = ladder.sizes.size() == 1  ? 4096
                       : ladder.sizes.size() < 4 ? 256
                       : ladder.sizes.size() < 5 ? 40
                                                 : 20;
  for (const auto& [name, size] : ladder.sizes) options.sizes[name] = std::min(size, most);
  options.target = {"sm_90", &find_gpu("H100 SXM")};
  return options;
}

class LadderPages : public testing::TestWithParam<Ladder> {};

std::string ladder_name(const testing::TestParamInfo<Ladder>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ladders, LadderPages, testing::ValuesIn(all_ladders()), ladder_name);

/// Expects the texts that `show` prints.
void expect_texts(const Ladder& ladder, const LadderPage& page) {
  for (size_t n = 0; n < page.rungs.size(); ++n) {
    const Schedule schedule = ladder.rungs[n].build({}, ladder.sizes);
    EXPECT_EQ(text_of(page.rungs[n].loops), to_string(schedule.function()) + "\n");
    std::string calls;
    for (const TraceEntry& entry : schedule.trace()) calls += entry.text + "\n";
    EXPECT_THAT(text_of(page.rungs[n].schedule), testing::EndsWith(calls));
  }
}

/// Expects that a rung that builds on another one asks a question, which stands before its idea.
void expect_questions(const LadderPage& page, const std::string& html) {
  for (const RungPage& rung : page.rungs) {
    if (rung.builds_on.empty()) continue;
    EXPECT_THAT(rung.question, testing::HasSubstr("?")) << rung.name;
    const size_t section = html.find("id=\"" + rung.anchor + "\"");
    const size_t idea = html.find("<p class=\"idea\">", section);
    EXPECT_LT(html.find(linked(rung.question).string(), section), idea) << rung.name;
  }
}

/// Texts of more rungs take more room than drawings leave.
constexpr size_t many_rungs = 20;

TEST_P(LadderPages, AreWholeAndSmall) {
  const LadderPage page = make_page(GetParam(), small_options(GetParam()));
  EXPECT_NE(GetParam().problem, "");
  const std::string html = to_html(page);
  EXPECT_EQ(page_problems(html), "");
  EXPECT_LT(html.size(), GetParam().rungs.size() > many_rungs ? 1'050'000u : 700'000u);
  ASSERT_EQ(page.rungs.size(), GetParam().rungs.size());
  for (const RungPage& rung : page.rungs) {
    EXPECT_EQ(rung.problem + rung.count_problem, "") << rung.name;
    EXPECT_FALSE(rung.loops.empty() || rung.code.empty() || rung.axes.empty()) << rung.name;
    EXPECT_EQ(rung.launches.empty(), rung.is_host) << rung.name;
    EXPECT_NE(rung.basis, "") << rung.name;
  }
  expect_texts(GetParam(), page);
  expect_questions(page, html);
}

}  // namespace ladder_pages_test
}  // namespace hone
