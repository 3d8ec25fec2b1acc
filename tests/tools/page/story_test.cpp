// The story of a page: the order of runs, the main line, and the sentences about speed.
#include "runtime/nvrtc/nvrtc.h"
#include "tests/tools/command.h"
#include "tools/page/guide.h"
#include "tools/page/html.h"
#include "tools/page/page.h"
#include "tools/page/story/bottleneck.h"
#include "tools/page/story/runs.h"

namespace hone {
namespace page_story_test {

using testing::ElementsAre;
using testing::HasSubstr;

/// Rungs that build on each other, without schedules.
Ladder tree() {
  Ladder ladder;
  ladder.name = "axpy";
  ladder.flops = [](const Sizes& sizes) { return 2.0 * static_cast<double>(sizes.at("N")); };
  const std::pair<const char*, const char*> rungs[] = {
      {"one", ""}, {"two", "one"}, {"side", "one"}, {"deep", "side"}, {"three", "two"}};
  for (const auto& [name, base] : rungs) {
    ladder.rungs.emplace_back();
    ladder.rungs.back().name = name;
    ladder.rungs.back().builds_on = base;
  }
  ladder.rungs.emplace_back();
  ladder.rungs.back().name = "serial";
  ladder.rungs.back().target = RungTarget::host;
  return ladder;
}

MeasuredRun run_of(const Ladder& ladder, int64_t n,
                   std::vector<std::pair<const char*, double>> times) {
  std::string rows;
  for (const auto& [rung, milliseconds] : times)
    rows += (rows.empty() ? "" : ",") + figure_row(rung, "cuda:0", milliseconds, n);
  return read_figures("[" + rows + "]", ladder).at(0);
}

TEST(PageStory, TheFirstRunIsThatOfThePageAtItsSizesAlone) {
  const Ladder ladder = tree();
  const std::vector<MeasuredRun> runs = {run_of(ladder, 1000, {{"one", 8}}),
                                         run_of(ladder, 4000, {{"one", 8}})};
  EXPECT_EQ(first_run_at(runs, runs[0].sizes), &runs[0]);
  EXPECT_EQ(first_run_at(runs, runs[1].sizes), nullptr);
  EXPECT_EQ(first_run_at({}, runs[0].sizes), nullptr);
}

TEST(PageStory, TheMainLineLeadsToTheFastestRung) {
  const Ladder ladder = tree();
  const MeasuredRun run =
      run_of(ladder, 1000, {{"one", 8}, {"two", 4}, {"side", 16}, {"three", 2}});
  const auto standings = standings_of(ladder, &run);
  EXPECT_EQ(standings[4].line, RungLine::main);
  EXPECT_EQ(standings[4].over_base, 2);
  EXPECT_EQ(standings[4].over_first, 4);
  EXPECT_EQ(standings[2].line, RungLine::branch);
  EXPECT_EQ(standings[2].over_base, 0.5);
  EXPECT_EQ(standings[3].depth, 2);
  EXPECT_EQ(standings[3].over_base, 0) << "it was not measured";
  EXPECT_EQ(standings[5].line, RungLine::host);
  EXPECT_THAT(table_order(ladder, standings), ElementsAre(0, 2, 3, 1, 4, 5));
  EXPECT_EQ(
      plan_text(ladder, standings),
      "The main line has 3 rungs, from one to three; each builds on the one before it. 2 rungs "
      "branch off, to compare with. 1 rung runs on the host, and stands apart.");
}

TEST(PageStory, AFastBranchIsTheMainLine) {
  const Ladder ladder = tree();
  const MeasuredRun run = run_of(ladder, 1000, {{"one", 8}, {"deep", 1}, {"three", 2}});
  const auto standings = standings_of(ladder, &run);
  EXPECT_EQ(standings[3].line, RungLine::main);
  EXPECT_EQ(standings[4].line, RungLine::branch);
}

TEST(PageStory, TheLargestOfTheFullRunsIsFirst) {
  const Ladder ladder = tree();
  const std::vector<MeasuredRun> runs = {run_of(ladder, 1000, {{"one", 8}, {"two", 4}}),
                                         run_of(ladder, 4000, {{"one", 8}, {"two", 4}}),
                                         run_of(ladder, 2000, {{"one", 8}, {"two", 4}})};
  EXPECT_EQ(ordered_runs(ladder, runs, nullptr)[0].sizes.at("N"), 4000);
  const Sizes given = {{"N", 2000}};
  EXPECT_EQ(ordered_runs(ladder, runs, &given)[0].sizes.at("N"), 2000);
  const Sizes others = {{"N", 3}};
  EXPECT_EQ(ordered_runs(ladder, runs, &others)[0].sizes.at("N"), 1000);
}

TEST(PageStory, ARunOfFewRungsIsNotFirst) {
  const Ladder ladder = tree();
  const std::vector<MeasuredRun> runs = {
      run_of(ladder, 1000, {{"one", 8}, {"two", 4}, {"three", 2}}),
      run_of(ladder, 9000, {{"one", 8}})};
  EXPECT_EQ(ordered_runs(ladder, runs, nullptr)[0].sizes.at("N"), 1000);
}

LadderPage page_of(const Ladder& ladder, const Sizes& sizes, const std::string& figures) {
  PageOptions options;
  options.sizes = sizes;
  options.drawn_sizes = {{"N", 1000}};
  options.runs = ordered_runs(ladder, read_figures(figures, ladder), &sizes);
  options.target = {"sm_90", &find_gpu("H100 SXM")};
  return make_page(ladder, options);
}

TEST(PageStory, TheFirstChartHasTheSizesOfThePage) {
  const Ladder ladder = small_axpy();
  const LadderPage page =
      page_of(ladder, {{"N", 2000}}, "[" + figure_row("blocks", "cuda:0", 1, 1000) + "]");
  ASSERT_EQ(page.runs.size(), 2u);
  EXPECT_EQ(page.runs[0].label, "N=2000");
  EXPECT_FALSE(page.runs[0].chart.is_measured());
  EXPECT_TRUE(page.runs[1].chart.is_measured());
  EXPECT_FALSE(page.rungs[1].measured) << "that is of another size";
  const std::string html = to_html(page);
  EXPECT_THAT(html, HasSubstr("for=\"run-1\">N=2000</label>"));
  EXPECT_THAT(html, HasSubstr("Other sizes: N=1000: "));
}

TEST(PageStory, TheProblemOpensThePage) {
  const LadderPage page = page_of(small_axpy(), {{"N", 1000}}, "");
  EXPECT_THAT(page.problem.definitions, ElementsAre("Z(i) = X(i) * 2.0 + Y(i)"));
  EXPECT_THAT(page.problem.amounts, HasSubstr("At N=1000 that is "));
  EXPECT_EQ(page.problem.drawings.size(), 1u);
  const std::string html = to_html(page);
  EXPECT_LT(html.find("The problem"), html.find("The plan"));
  EXPECT_LT(html.find("The plan"), html.find("class=\"rung\""));
}

TEST(PageStory, ALadderNamesTheSizesThatAreFirst) {
  Ladder ladder = tree();
  ladder.first_shown = {{"N", 1000}};
  const std::vector<MeasuredRun> runs = {run_of(ladder, 4000, {{"one", 8}, {"two", 4}}),
                                         run_of(ladder, 1000, {{"one", 8}, {"two", 4}})};
  EXPECT_EQ(ordered_runs(ladder, runs, nullptr)[0].sizes.at("N"), 1000);
}

/// The work of a block grows with N: few sizes are quick to count.
Ladder growing_axpy() {
  Ladder ladder = small_axpy();
  ladder.flops = [](const Sizes& sizes) {
    const auto n = static_cast<double>(sizes.at("N"));
    return n * n;
  };
  Rung again = ladder.rungs[1];
  again.name = "again";
  again.builds_on = "blocks";
  ladder.rungs.push_back(std::move(again));
  return ladder;
}

constexpr int64_t many = 4'000'000;

std::string bottleneck_with(const std::string& figures) {
  const Ladder ladder = growing_axpy();
  PageOptions options;
  options.sizes = {{"N", many}};
  options.count.most_blocks = 1;
  options.runs = ordered_runs(ladder, read_figures(figures, ladder), &options.sizes);
  options.target = {"sm_90", &find_gpu("H100 SXM")};
  const RungPage again = make_page(ladder, options).rungs[2];
  return again.bottleneck;
}

TEST(PageStory, RungsAreCountedWhereBothWereMeasured) {
  if (!nvrtc_info()) GTEST_SKIP() << "no NVRTC";
  const std::string large =
      figure_row("blocks", "cuda:0", 2, many) + "," + figure_row("again", "cuda:0", 1, many) + ",";
  const std::string blocks = figure_row("blocks", "cuda:0", 3, 2000);
  EXPECT_THAT(
      bottleneck_with("[" + large + blocks + "," + figure_row("again", "cuda:0", 1, 2000) + "]"),
      testing::StartsWith("Counted at N=2000, where it is 3x as fast as blocks: "));
  EXPECT_THAT(bottleneck_with("[" + large + blocks + "]"),
              testing::StartsWith("Counted at N=1000, and not at the sizes of the table: "));
}

TEST(PageStory, TheFirstUseOfAWordLeadsToItsEntry) {
  EXPECT_EQ(linked("Tiles & tiles of shared memory, no subtile").string(),
            "<a href=\"#w-tile\">Tiles</a> &amp; tiles of <a href=\"#w-shared-memory\">shared "
            "memory</a>, no subtile");
}

TEST(PageStory, StepsThatChangedLeadToTheirPrimitives) {
  Listing schedule = plain_listing("auto [a, b] = s.split(i, 4);\ns.bind(a, block.x);\n");
  EXPECT_EQ(primitive_links(schedule).string(),
            "<p class=\"note\">Steps: <a href=\"#p-split\">split</a>, <a "
            "href=\"#p-bind\">bind</a>.</p>");
  schedule[1].change = '+';
  EXPECT_THAT(primitive_links(schedule).string(),
              HasSubstr("New or changed steps: <a href=\"#p-bind\">bind</a>."));
}

TEST(PageStory, APageExplainsTheWordsThatItUses) {
  Ladder ladder = small_axpy();
  ladder.rungs[1].idea = "A warp asks for few sectors.";
  const std::string html = to_html(page_of(ladder, {{"N", 1000}}, ""));
  EXPECT_THAT(html, HasSubstr("<a href=\"#w-sector\">sectors</a>"));
  EXPECT_THAT(html, HasSubstr("<dt id=\"w-sector\">sector</dt><dd>32 bytes of global memory"));
  EXPECT_THAT(html, HasSubstr("<dt id=\"p-bind\">bind</dt><dd>The iterations of the loop run on"));
  EXPECT_THAT(html, testing::Not(HasSubstr("id=\"w-swizzle\"")));
  EXPECT_THAT(html, testing::Not(HasSubstr("id=\"p-pipeline\"")));
}

TEST(PageStory, MarkdownHasTheSameLinksAndEntries) {
  Ladder ladder = small_axpy();
  ladder.rungs[1].question = "Which tile_size is right?";
  ladder.rungs[1].idea = "A warp asks for few sectors.";
  const std::string text = to_markdown(page_of(ladder, {{"N", 1000}}, ""))[0].content;
  EXPECT_THAT(text, HasSubstr("**Which tile\\_size is right?**\n\nA [warp](#w-warp) asks for few "
                              "[sectors](#w-sector).\n"));
  EXPECT_THAT(text, HasSubstr("\n\nSteps: [split](#p-split), [bind](#p-bind).\n\n"));
  EXPECT_THAT(text, HasSubstr("\n- <a id=\"w-sector\"></a>**sector**: 32 bytes of global memory"));
  EXPECT_THAT(text, HasSubstr("\n- <a id=\"p-bind\"></a>**bind**: The iterations of the loop"));
  EXPECT_THAT(text, testing::Not(HasSubstr("id=\"w-swizzle\"")));
}

/// Sections of the guide's chapter on primitives, and words of its glossary.
TEST(PageStory, EntriesOfTheGuideHaveSentences) {
  EXPECT_GT(guide_primitives().size(), 30u);
  for (const std::vector<GuideEntry>* entries : {&guide_words(), &guide_primitives()})
    for (const GuideEntry& entry : *entries) EXPECT_NE(entry.meaning, "") << entry.word;
}

TEST(PageStory, TablesOfOtherSizesHaveTheRungsThatWereMeasured) {
  const Ladder ladder = growing_axpy();
  const std::string html =
      to_html(page_of(ladder, {{"N", 1000}}, "[" + figure_row("blocks", "cuda:0", 1, 2000) + "]"));
  EXPECT_THAT(html, HasSubstr("Not measured at this size: 2 rungs."));
}

TEST(PageStory, LinesThatAreGoneAreShownWhereOthersStay) {
  Listing much = compared(plain_listing("a\nb\n"), plain_listing("c\nd\n"));
  drop_removed_if_new(much);
  EXPECT_EQ(much.size(), 2u);
  Listing little = compared(plain_listing("a\nb\n"), plain_listing("a\nd\n"));
  drop_removed_if_new(little);
  EXPECT_EQ(little.size(), 3u);
}

TEST(PageStory, FactorsHaveThreeDigits) {
  EXPECT_EQ(factor_text(0), "");
  EXPECT_EQ(factor_text(0.1386), "0.139x");
  EXPECT_EQ(factor_text(1234.5), "1,234x");
}

TEST(PageStory, ARungAfterAnotherNamesBothBottlenecks) {
  Profile before, after;
  EXPECT_EQ(bottleneck_text(&before, after), "") << "without kernels there is no time";
  const auto with = [](LaunchResource resource, double share) {
    Profile profile;
    KernelProfile kernel;
    kernel.time = EstimatedTime();
    kernel.time->time.seconds = 1;
    kernel.time->time.busy[static_cast<size_t>(resource)] = share;
    profile.kernels.push_back(kernel);
    return profile;
  };
  before = with(LaunchResource::l2, 0.95);
  after = with(LaunchResource::dram, 0.9);
  EXPECT_EQ(
      bottleneck_text(&before, after),
      "The bottleneck was L2, busy for 95 % of the time; now it is DRAM, busy for 90 % of the "
      "time.");
  EXPECT_EQ(bottleneck_text(nullptr, after), "The bottleneck is DRAM, busy for 90 % of the time.");
  before = with(LaunchResource::dram, 0.85);
  EXPECT_EQ(bottleneck_text(&before, after),
            "The bottleneck is still DRAM, busy for 90 % of the time; before, for 85 %.");
  EXPECT_EQ(next_text(after), "Fewer bytes: each element once, narrower types.");
}

}  // namespace page_story_test
}  // namespace hone
