// Pages of small ladders, of a user's own as much as of ours.
#include "tools/page/page.h"

#include <set>

#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/page_structure.h"
#include "tests/tools/command.h"
#include "tools/page/story/runs.h"

namespace hone {
namespace page_test {

using testing::HasSubstr;
using testing::Not;

LadderPage page_of(const Ladder& ladder, const std::string& figures = "") {
  PageOptions options;
  options.sizes = ladder.sizes;
  options.target = {"sm_90", &find_gpu("H100 SXM")};
  options.runs = ordered_runs(ladder, read_figures(figures, ladder), nullptr);
  if (!options.runs.empty()) {
    options.sizes = options.runs.front().sizes;
    options.drawn_sizes = ladder.sizes;
    options.count.most_blocks = 1;
  }
  return make_page(ladder, options);
}

/// The rung of a page by its name.
const RungPage& rung_of(const LadderPage& page, std::string_view name) {
  return *llvm::find_if(page.rungs, [&](const RungPage& rung) { return rung.name == name; });
}

/// The lines of a listing with their changes in front.
std::string marked(const Listing& listing) {
  std::string text;
  for (const ListingLine& line : listing) text += line.change + line.text + "\n";
  return text;
}

TEST(Page, ShowsWhatARungAddsToTheOneItBuildsOn) {
  const LadderPage page = page_of(small_matmul());
  const RungPage& rung = rung_of(page, "register");
  EXPECT_EQ(rung.builds_on, "threads");
  EXPECT_EQ(marked(rung.schedule), R"( // C(i, j) = sum(k, A(i, k) * B(k, j))
 auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {4, 4});
 s.bind(i_0, block.y);
 s.bind(j_0, block.x);
 s.bind(i_1, thread.y);
 s.bind(j_1, thread.x);
+s.cache_registers(C, j_1);
)");
  EXPECT_THAT(marked(rung.code),
              HasSubstr("\n-    C[i * N + j] = 0.0f;\n+    float C_reg = 0.0f;\n"));
  EXPECT_FALSE(has_changes(rung_of(page, "threads").code));
}

TEST(Page, NumbersTheLinesOfTheCudaTextAsCountersDo) {
  const LadderPage page = page_of(small_matmul());
  const RungPage& rung = rung_of(page, "register");
  ASSERT_EQ(rung.launches.size(), 1u);
  for (const std::string& access : rung.launches[0].accesses) {
    unsigned number = 0;
    ASSERT_FALSE(llvm::StringRef(access).split(": ").first.drop_front(5).getAsInteger(10, number))
        << access;
    const auto line = llvm::find_if(rung.code, [&](const ListingLine& one) {
      return one.number == number && one.change != '-';
    });
    ASSERT_NE(line, rung.code.end()) << access;
    EXPECT_THAT(line->text, HasSubstr("[")) << access;
  }
}

TEST(Page, LinksLinesOfOneStepAndOneAxis) {
  const LadderPage page = page_of(small_matmul());
  const RungPage& rung = rung_of(page, "register");
  const auto line = [](const Listing& listing, const std::string& text) {
    return *llvm::find_if(listing, [&](const ListingLine& one) {
      return one.change != '-' && llvm::StringRef(one.text).contains(text);
    });
  };
  EXPECT_EQ(line(rung.schedule, "s.bind(i_0").axis, "i.0");
  EXPECT_EQ(line(rung.loops, "for i.0 in").axis, "i.0");
  EXPECT_EQ(line(rung.code, "const int i = ").step, 1);
  const int step = line(rung.schedule, "cache_registers").step;
  EXPECT_EQ(step, 6);
  EXPECT_EQ(line(rung.loops, "alloc C.reg").step, step);
  EXPECT_EQ(line(rung.code, "C_reg = 0.0f").step, step);
  EXPECT_EQ(line(rung.loops, "for j.0 in").step, line(rung.schedule, "s.bind(j_0").step);
  EXPECT_EQ(line(rung.loops, "reduce k in").step, 0);  // of the definition
}

TEST(Page, SaysWhichAxisBecameWhat) {
  const LadderPage page = page_of(small_matmul());
  std::string text;
  for (const ListingLine& one : rung_of(page, "register").axes) text += one.text + "\n";
  EXPECT_EQ(text,
            "i.0\t(M + 3) / 4\tblocks of the grid\tblock.y\n"
            "j.0\t(N + 3) / 4\tblocks of the grid\tblock.x\n"
            "i.1\t4\tthreads of a block\tthread.y\n"
            "j.1\t4\tthreads of a block\tthread.x\n"
            "k\tK\ta loop, of a reduction\t\n"
            "i\t\tcomputed from a thread's place\tblock.y*4 + thread.y\n"
            "j\t\tcomputed from a thread's place\tblock.x*4 + thread.x\n");
  const auto& tiles = rung_of(page, "register").tiles;
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles[0].text, "C.reg\tf32[]\tregisters of each thread, 1");
}

/// The lines of a text that is compared with nothing.
std::vector<std::string> lines_of(const Listing& listing) {
  std::vector<std::string> lines;
  for (const ListingLine& line : listing)
    if (line.change != '-') lines.push_back(line.text);
  return lines;
}

/// Lines that folds leave out are there: the script takes them from the rung before.
void expect_lines_of(const Listing& before, const Listing& after) {
  const std::vector<std::string> lines = lines_of(before);
  for (const ListingLine& line : after) {
    if (line.change == '+') continue;
    ASSERT_GT(line.before, 0u);
    ASSERT_LE(line.before, lines.size());
    EXPECT_EQ(lines[line.before - 1], line.text);
  }
}

TEST(Page, ComparesTextsWithThoseOfTheRungBefore) {
  const LadderPage page = page_of(small_matmul());
  const RungPage &before = rung_of(page, "threads"), &after = rung_of(page, "register");
  for (Listing RungPage::*text :
       {&RungPage::schedule, &RungPage::loops, &RungPage::code, &RungPage::axes, &RungPage::tiles})
    expect_lines_of(before.*text, after.*text);
  EXPECT_EQ(lines_of(after.axes).size(), 7u);
}

SourcePiece piece_of(const char* name, unsigned line, const char* text) {
  return {"ladder.cpp", {line, line + 1}, name, "", text, {0, 2}};
}

TEST(Page, ShowsAFunctionInTheFirstRungThatHasIt) {
  PageSources sources;
  const SourcePiece blocks = piece_of("blocks", 3, "void blocks() {\n  s.split();\n");
  const PageSource first = sources.add(
      {{piece_of("", 9, "rung(\"one\",\n     \"an idea\",\n"), blocks}, ""}, "one", "rung-one");
  EXPECT_EQ(lines_of(first.listing),
            (std::vector<std::string>{"// ladder.cpp", "rung(\"one\",", "", "void blocks() {",
                                      "  s.split();"}));  // the idea stands above
  EXPECT_EQ(first.listing.back().number, 4u);
  EXPECT_EQ(first.listing.back().step, 2);
  const PageSource second = sources.add({{blocks}, "cannot read other.cpp"}, "two", "rung-two");
  EXPECT_TRUE(second.listing.empty());
  ASSERT_EQ(second.shown.size(), 1u);
  EXPECT_EQ(second.shown[0].name + " " + second.shown[0].anchor, "blocks rung-one");
  EXPECT_EQ(second.problem, "cannot read other.cpp");
  const PageSource third = sources.add({{piece_of("", 9, "rung(\n")}, ""}, "three", "rung-three");
  ASSERT_EQ(third.shown.size(), 1u);
  EXPECT_EQ(third.shown[0].name, "line 9 of ladder.cpp");
}

TEST(Page, SaysInMarkdownWhichFunctionsStandElsewhere) {
  LadderPage page = page_of(small_matmul());
  page.rungs[1].source = {{}, {{"blocks", "one", "rung-one"}}, "cannot read other.cpp"};
  EXPECT_THAT(to_markdown(page)[0].content,
              HasSubstr("Above: `blocks` in one.\n\nNot shown: cannot read other.cpp.\n\n"));
}

TEST(Page, ComparesCounters) {
  const LadderPage page = page_of(small_matmul());
  const RungPage& rung = rung_of(page, "register");
  const auto stores = llvm::find_if(rung.counters, [](const CounterChange& one) {
    return one.counter->name == "global store requests";
  });
  ASSERT_NE(stores, rung.counters.end());
  EXPECT_TRUE(stores->before);
  EXPECT_GT(*stores->before, stores->after);
  EXPECT_THAT(change_text(*stores), testing::EndsWith("x less"));
  EXPECT_FALSE(rung.findings.empty());
}

TEST(Page, HasTheArithmeticOfOccupancy) {
  const LadderPage page = page_of(small_matmul());
  const LaunchFacts& launch = rung_of(page, "threads").launches.at(0);
  ASSERT_EQ(launch.terms.size(), 4u);
  EXPECT_EQ(launch.terms[0].arithmetic, "16 threads are 1 warp; 64 / 1 = 64");
  EXPECT_EQ(launch.terms[1].arithmetic, "a multiprocessor holds at most 32");
  EXPECT_EQ(launch.terms[3].arithmetic, "0 bytes + 1024 of the system = 1024; 233472 / 1024 = 228");
}

TEST(Page, IsWholeXmlAndTheSameEachTime) {
  for (const Ladder& ladder : {small_axpy(), small_matmul()}) {
    const std::string html = to_html(page_of(ladder));
    EXPECT_EQ(page_problems(html), "");
    EXPECT_EQ(html, to_html(page_of(ladder)));
    EXPECT_EQ(to_markdown(page_of(ladder))[0].content, to_markdown(page_of(ladder))[0].content);
  }
}

TEST(Page, OfALadderWithoutRungsOfAGpuOrFigures) {
  Ladder ladder = small_axpy();
  ladder.rungs.pop_back();
  const LadderPage page = page_of(ladder);
  const std::string html = to_html(page);
  EXPECT_EQ(page_problems(html), "");
  EXPECT_THAT(html, HasSubstr("No measured figures of these sizes are stored beside"));
  EXPECT_EQ(page.rungs[0].code_name, "C");
  EXPECT_TRUE(page.rungs[0].launches.empty());
  EXPECT_EQ(page.rungs[0].findings.size(), 1u);
}

TEST(Page, OfALadderWithoutOperationsAndBytes) {
  Ladder ladder = small_axpy();
  ladder.flops = ladder.bytes = nullptr;
  const LadderPage page = page_of(ladder);
  EXPECT_EQ(page.runs[0].chart.bound, 0);
  EXPECT_EQ(page_problems(to_html(page)), "");
}

TEST(Page, OfARungThatIsGivenAsKernels) {
  Ladder ladder = small_axpy();
  ladder.rungs[1].kernel = hone({"show", "axpy/blocks", "--emit=kernel"}).printed;
  ladder.rungs[1].build = nullptr;
  const LadderPage page = page_of(ladder);
  EXPECT_EQ(page.rungs[1].problem + page.rungs[1].count_problem, "");
  EXPECT_TRUE(page.rungs[1].schedule.empty() && page.rungs[1].loops.empty());
  EXPECT_THAT(text_of(page.rungs[1].code), HasSubstr("Z[i] = X[i] * 2.0f + Y[i];"));
  EXPECT_EQ(page_problems(to_html(page)), "");
  EXPECT_EQ(to_markdown(page).size(), to_markdown(page_of(small_axpy())).size());
}

TEST(Page, HasDrawingsWhichMarkdownHasAsFiles) {
  const LadderPage page = page_of(small_matmul());
  const RungPage& rung = rung_of(page, "threads");
  ASSERT_FALSE(rung.drawings.empty());
  const std::string html = to_html(page);
  EXPECT_EQ(page_problems(html), "");
  size_t styles = 0;
  for (size_t at = html.find("<style>"); at != std::string::npos; at = html.find("<style>", at + 1))
    ++styles;
  EXPECT_EQ(styles, 1u);
  const auto files = to_markdown(page);
  for (const PageFile& file : files)
    if (file.name != files[0].name) {
      EXPECT_THAT(files[0].content, HasSubstr("](" + file.name + ")"));
      EXPECT_THAT(file.content, testing::StartsWith("<svg "));
    }
  EXPECT_GT(files.size(), 2u);
}

PageDrawing drawing_of_bytes(size_t bytes, char letter) {
  return {"a drawing", std::string(bytes, letter)};
}

TEST(PageDrawings, FitIntoTheRoomThatThereIs) {
  std::vector<std::vector<PageDrawing>> rungs = {
      {drawing_of_bytes(40, 'a'), drawing_of_bytes(40, 'b')},
      {},
      {drawing_of_bytes(40, 'a'), drawing_of_bytes(40, 'c')},
      {drawing_of_bytes(30, 'd')}};
  EXPECT_EQ(fit_drawings(rungs, 110), (std::vector<size_t>{0, 0, 1, 0}));
  std::string kept;  // the second a is the first again, and c has no room
  for (const auto& drawings : rungs) {
    for (const PageDrawing& drawing : drawings) kept += drawing.svg[0];
    kept += '|';
  }
  EXPECT_EQ(kept, "ab|||d|");
}

TEST(PageDrawings, ShareTheirStyle) {
  const std::string svg = "<svg><style>\n.b{fill:red}\n</style>\n<path/></svg>";
  EXPECT_EQ(style_in(svg), "\n.b{fill:red}\n");
  EXPECT_EQ(without_style(svg), "<svg><path/></svg>");
  EXPECT_EQ(style_in("<svg/>"), "");
  EXPECT_EQ(without_style("<svg/>"), "<svg/>");
}

TEST(PageDrawings, WriteEqualElementsOnce) {
  const std::string path =
      "<path class=\"b g0\" d=\"M26 20h200v20h-200zM51 20v20M76 20v20M101 20\"/>";
  const std::string picture =
      "<svg>\n<style>.b{}</style>\n" + path + "\n<path d=\"M0 0\"/>\n</svg>\n";
  SharedPictures pictures;
  EXPECT_EQ(pictures.add(picture),
            "<svg>\n<path id=\"p0\"" + path.substr(5) + "\n<path d=\"M0 0\"/>\n</svg>\n");
  EXPECT_EQ(pictures.add(picture), "<svg>\n<use href=\"#p0\"/>\n<path d=\"M0 0\"/>\n</svg>\n");
  EXPECT_EQ(shared_style("\n.hone-figure{color:red}\n.hone-figure .b{fill:red}\n"),
            ".hone-figure{color:red}\n.b{fill:red}\n");
}

// ---- Escaping -----------------------------------------------------------------------------------

/// A rung that takes twice the time of the same schedule.
LadderPage page_with_a_fall(int64_t N) {
  Ladder ladder = small_axpy();
  Rung slow = ladder.rungs[1];
  slow.name = "slow";
  slow.builds_on = "blocks";
  ladder.rungs.push_back(slow);
  return page_of(ladder, "[" + figure_row("blocks", "cuda:0", 0.2, N) + "," +
                             figure_row("slow", "cuda:0", 0.4, N) + "]");
}

TEST(Page, SaysWhereCountsAreOfOtherSizes) {
  const LadderPage same = page_with_a_fall(1000), other = page_with_a_fall(1 << 29);
  EXPECT_THAT(rung_of(same, "slow").bottleneck, testing::StartsWith("The bottleneck "));
  EXPECT_EQ(rung_of(same, "slow").slower, "0.5x as fast as blocks; none of the counters tells why");
  EXPECT_THAT(rung_of(other, "slow").bottleneck,
              testing::StartsWith("Counted at N=1000, and not at the sizes of the table: The "));
  EXPECT_EQ(rung_of(other, "slow").slower, "0.5x as fast as blocks");
}

/// A ladder whose texts are full of what markup is made of.
Ladder nasty_ladder() {
  Ladder ladder = small_axpy();
  ladder.name = "a<b>&\"c'";
  ladder.title = "</title><script>alert(1)</script> `x` | *y* \xFF\x01";
  ladder.rungs[0].name = "<i>one</i> & 'two'";
  ladder.rungs[1].name = "<i>one</i> & \"two\"";
  ladder.rungs[1].title = "]]> --> <!-- &amp; ```";
  ladder.rungs[1].idea = "Is a < b && c > d? \"Yes\", it's <b>bold</b>.";
  ladder.rungs[1].rebuilds = "step <2> of \"R&D\"";
  ladder.rungs[1].builds_on = ladder.rungs[0].name;
  return ladder;
}

TEST(Page, EscapesNamesAndIdeas) {
  const LadderPage page = page_of(nasty_ladder());
  const std::string html = to_html(page);
  EXPECT_EQ(page_problems(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<b>bold")));
  EXPECT_THAT(html, HasSubstr("Is a &lt; b &amp;&amp; c &gt; d? \"Yes\", it's "
                              "&lt;b&gt;bold&lt;/b&gt;."));
  EXPECT_THAT(html, HasSubstr("]]&gt; --&gt; &lt;!-- &amp;amp; ```"));
}

TEST(Page, GivesRungsOfOneSpellingAnchorsOfTheirOwn) {
  const std::vector<std::string> anchors = anchors_of(nasty_ladder());
  EXPECT_EQ(std::set<std::string>(anchors.begin(), anchors.end()).size(), anchors.size());
}

TEST(Page, EscapesMarkdown) {
  const auto files = to_markdown(page_of(nasty_ladder()));
  EXPECT_EQ(files[0].name, "a_b___c_.md");
  EXPECT_THAT(files[0].content, Not(HasSubstr("<script>")));
  EXPECT_THAT(files[0].content, Not(HasSubstr("<b>bold")));
  EXPECT_THAT(files[0].content, HasSubstr(R"(\`x\` \| \*y\*)"));
}

TEST(Markup, IsWellFormedByConstruction) {
  EXPECT_EQ(element("a", {{"href", "#<\"'&"}, {"id", ""}}, "x < y").string(),
            "<a href=\"#&lt;&quot;'&amp;\">x &lt; y</a>");
  EXPECT_EQ(element("br").string(), "<br/>");
  EXPECT_EQ(element("div").string(), "<div></div>");
  EXPECT_EQ(Markup::text(std::string("a\0b\x7F\xC3", 5)).string(),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(PageStructure, FindsWhatIsWrong) {
  const std::string html = to_html(page_of(small_axpy()));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = html;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(page_problems(with("</section>", "")), HasSubstr("no XML: mismatched tag"));
  EXPECT_THAT(page_problems(with("one thread per element", "a & b")), HasSubstr("no XML"));
  EXPECT_THAT(page_problems(with("id=\"rung-blocks\"", "id=\"rung-block\"")),
              HasSubstr("the link #rung-blocks leads nowhere"));
  EXPECT_THAT(page_problems(with("id=\"rung-blocks\"", "id=\"rung-serial\"")),
              HasSubstr("the id rung-serial occurs twice"));
  EXPECT_THAT(page_problems(with("data-o=\"0 1 2", "data-o=\"0 77 2")),
              HasSubstr("owed to the step 1, which the schedule has not got"));
  EXPECT_THAT(page_problems(with("data-o=\"0 1 2", "data-o=\"0 =1 1 2")),
              HasSubstr("s1 has 4 lines and 5 owners"));
  EXPECT_THAT(page_problems(with("href=\"#top\"", "href=\"https://example.org\"")),
              HasSubstr("https://example.org is fetched"));
}

// ---- Figures ------------------------------------------------------------------------------------

TEST(Figures, AreRowsOfTheTable) {
  const std::string text = "[" + figure_row("blocks", "cuda:0", 0.5, 1000) + "," +
                           figure_row("serial", "host", 4, 1000) + "]\n[" +
                           figure_row("blocks", "cuda:0", 2, 4000) + "]\n";
  const auto runs = read_figures(text, small_axpy());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].sizes, Sizes({{"N", 1000}}));
  EXPECT_EQ(runs[0].of("blocks")->milliseconds, 0.5);
  EXPECT_EQ(runs[0].of("vectors"), nullptr);
  EXPECT_EQ(runs[1].origin(),
            "NVIDIA H200, driver 580.95.05, for CUDA 13.0, NVRTC 13.0; 2026-11-23");
}

TEST(Figures, OfTheTableItselfAreRead) {
  const CommandResult result = hone({"ladder", "axpy", "--device=sim", "--json"});
  const auto runs = read_figures(result.printed + result.printed, small_axpy());
  ASSERT_EQ(runs.size(), 2u);  // times of the simulated device say nothing
  EXPECT_EQ(runs[0].rungs.size(), 1u);
  EXPECT_EQ(runs[0].rungs[0].rung, "serial");
}

TEST(Figures, MayBeMissing) {
  EXPECT_TRUE(read_figures("", small_axpy()).empty());
  EXPECT_TRUE(read_figures(" \n", small_axpy()).empty());
  EXPECT_TRUE(read_figures("[]", small_axpy()).empty());
}

void expect_no_figures(const std::string& text, const std::string& reason) {
  EXPECT_EQ(
      thrown_message<RuntimeError>([&] { read_figures(text, small_axpy()); }),
      "the measured figures of axpy are not what `hone ladder axpy --json` prints: " + reason);
}

TEST(Figures, AreRefusedWhereTheyAreSomethingElse) {
  expect_no_figures("[1]", "a row that is no object");
  expect_no_figures("{}", "no array of rows");
  expect_no_figures("[{}]", "a row of the ladder ''");
  expect_no_figures(R"([{"ladder": "matmul"}])", "a row of the ladder 'matmul'");
  expect_no_figures(R"([{"ladder": "axpy", "milliseconds": 1}])", "a row without sizes");
  expect_no_figures(R"([{"ladder": "axpy", "milliseconds": 1, "sizes": {"N": "x"}}])",
                    "a size that is no number");
}

TEST(Figures, StandInTheChartBesideTheBound) {
  const int64_t n = 1 << 26;
  const LadderPage page = page_of(small_axpy(), "[" + figure_row("blocks", "cuda:0", 0.2, n) + "]");
  ASSERT_EQ(page.runs.size(), 1u);
  const SpeedChart& chart = page.runs[0].chart;
  EXPECT_EQ(chart.unit, "GB/s");
  EXPECT_EQ(chart.bound, find_gpu("H200 SXM").dram_gb_per_s);
  EXPECT_NEAR(chart.bars[1].speed, 12e-6 * n / 0.2, 1e-6);
  const std::string html = to_html(page);
  EXPECT_THAT(html, HasSubstr("NVIDIA H200, driver 580.95.05"));
  EXPECT_THAT(html, HasSubstr("blocks: 4,027 GB/s, 83.9 % of the bound"));
  EXPECT_THAT(html, HasSubstr("<b>0.2000 ms</b>"));
}

TEST(Figures, OfRungsThatWereNotMeasuredAreWords) {
  const std::string measured = figure_row("blocks", "cuda:0", 0.2, 1 << 26);
  const LadderPage page = page_of(
      small_axpy(), fmt::format("[{}, {}]", measured, figure_row("blocks", "cuda:0", 2, 9)));
  EXPECT_THAT(to_html(page), HasSubstr("<td>not measured</td>"));
  EXPECT_THAT(to_html(page), HasSubstr("<p class=\"origin\">not measured</p>"));
  EXPECT_THAT(to_markdown(page)[0].content, HasSubstr(" | not measured |  |  |  |\n"));
}

TEST(Figures, OfTwoGpusAreTwoRuns) {
  std::string other = figure_row("blocks", "cuda:0", 3, 1000);
  other.replace(other.find("H200"), 4, "H100");
  const auto runs =
      read_figures(fmt::format("[{}, {}, {}]", figure_row("blocks", "cuda:0", 2, 1000), other,
                               figure_row("serial", "host", 1, 1000)),
                   small_axpy());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].rungs.size(), 2u);
  EXPECT_EQ(runs[1].device_name(), "NVIDIA H100");
}

TEST(Figures, OfSeveralSizesHaveAChartEach) {
  const LadderPage page =
      page_of(small_axpy(), "[" + figure_row("blocks", "cuda:0", 1, 1000) + "," +
                                figure_row("blocks", "cuda:0", 2, 2000) + "]");
  EXPECT_EQ(page.runs.size(), 2u);
  EXPECT_EQ(page_problems(to_html(page)), "");
  EXPECT_EQ(to_markdown(page)[2].name, "speed-2.svg");
}

TEST(Page, ShowsWhatCannotBeBuiltOrCounted) {
  Ladder ladder = small_axpy();
  ladder.rungs[0].build = [](const Sizes&, const Sizes&) -> Schedule {
    throw RuntimeError("no <such> schedule");
  };
  const LadderPage page = page_of(ladder);
  EXPECT_EQ(page.rungs[0].problem, "no <such> schedule");
  EXPECT_THAT(to_html(page), HasSubstr("This rung cannot be built: no &lt;such&gt; schedule"));
  EXPECT_EQ(page_problems(to_html(page)), "");
}

}  // namespace page_test
}  // namespace hone
