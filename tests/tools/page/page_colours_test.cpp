// Colours of words in the texts of pages.
#include "llvm/ADT/StringExtras.h"
#include "tests/tools/command.h"
#include "tools/page/assets.h"
#include "tools/page/page.h"

namespace hone {
namespace page_colours_test {

using testing::HasSubstr;

/// The kinds of words that the script tells apart, as it lists them.
std::vector<std::string> kinds_of_words() {
  const std::string script = page_script;
  const llvm::StringRef list =
      llvm::StringRef(script).split("for (const kind of [").second.split("]").first;
  std::vector<std::string> kinds;
  for (const llvm::StringRef kind : llvm::split(list, ", ")) kinds.push_back(kind.trim('"').str());
  return kinds;
}

TEST(PageColours, OfAllKindsOfWordsAreThereInLightAndInDark) {
  const std::vector<std::string> kinds = kinds_of_words();
  EXPECT_EQ(kinds.size(), 6u);
  for (const std::string& kind : kinds) {
    EXPECT_THAT(page_style, HasSubstr("::highlight(" + kind + ") {"));
    EXPECT_EQ(llvm::StringRef(page_theme).count("--code-" + kind + ": #"), 3u) << kind;
  }
}

TEST(PageColours, LeaveLinesOfTextsWhole) {
  const Ladder ladder = small_matmul();
  PageOptions options;
  options.sizes = ladder.sizes;
  options.target = {"sm_90", &find_gpu("H100 SXM")};
  const std::string html = to_html(make_page(ladder, options));
  EXPECT_THAT(html, HasSubstr("<ins>    float C_reg = 0.0f;\n</ins>"));
}

}  // namespace page_colours_test
}  // namespace hone
