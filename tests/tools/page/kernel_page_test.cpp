// The page of a kernel: hone check FILE.cu --html.
#include "tools/page/kernel_page.h"

#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/page_structure.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tests/tools/command.h"

namespace hone {
namespace kernel_page_test {

using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* columns_text = R"(#include "twice.h"
// <Columns> & conflicts.
__global__ void columns(const float* x, float* y) {
  __shared__ float tile[32 * 32];
  tile[threadIdx.x * 32] = twice(x[threadIdx.x]);
  if (threadIdx.x < 8) y[threadIdx.x] = tile[(threadIdx.x ^ 1) * 32];
}
)";

class KernelPages : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    write_new_file(file_, columns_text);
    std::string header =
        std::string(200, '\n') + "__device__ __noinline__ float twice(float v) { return v + v; }\n";
    for (int line = 0; line < 200; ++line) header += "//\n";
    write_new_file(folder_.file("twice.h"), header);
  }
  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"check",
                                      file_,
                                      "--grid=N",
                                      "-DN=1",
                                      "--block=32",
                                      "--arg=f32:ones:32",
                                      "--arg=f32:unset:8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string page() const {
    hone(command({"--html=" + html_}));
    return read_small_file(html_, 1 << 20).value_or("");
  }
  /// The cells of a line in the page, with bars between them.
  static std::string row(const std::string& page, const std::string& anchor) {
    const size_t begin = page.find("<tr id=\"" + anchor + "\"");
    if (begin == std::string::npos) return "";
    std::string row = page.substr(begin, page.find("</tr>", begin) - begin), text;
    for (size_t at = 0; at < row.size(); ++at) {
      if (row[at] != '<') text += row[at];
      if (row[at] != '<') continue;
      text += row.compare(at, 5, "</td>") == 0 ? "|" : "";
      at = row.find('>', at);
    }
    return text;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.file("columns.cu"), html_ = folder_.file("page.html");
};

TEST_F(KernelPages, IsAFileOfItsOwn) {
  const CommandResult result = hone(command({"--html=" + html_}));
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              MatchesRegex(".*page.html: [0-9]+ lines with code\nrace: tile(.|\n)*"));
  EXPECT_EQ(page_problems(read_small_file(html_, 1 << 20).value_or("")), "");
  EXPECT_EQ(result.status, 1);
}

TEST_F(KernelPages, HasTheCostsOfEachLine) {
  const std::string html = page();
  EXPECT_THAT(row(html, "L1-5"), MatchesRegex("5\\|[0-9]+\\|[0-9.]+\\|\\|2\\|256\\|4\\|32\\|31\\|  "
                                              "tile.threadIdx.x . 32. = twice.*"));
  EXPECT_THAT(row(html, "L1-6"),
              HasSubstr("|1 of 1|2|64|1|8|7|  if (threadIdx.x &lt; 8) y[threadIdx.x]"));
  EXPECT_EQ(row(html, "L1-2"), "2|||||||||// &lt;Columns&gt; &amp; conflicts.|");
  EXPECT_THAT(html, HasSubstr("<tr id=\"L1-2\" class=\"idle\">"));
  EXPECT_THAT(html, HasSubstr("<tr id=\"L1-5\" class=\"code heat-4\">"));
  EXPECT_EQ(row(html, "L1-8"), "");
}

TEST_F(KernelPages, HasFindingsBelowTheirLines) {
  const std::string html = page();
  const size_t write = html.find("<tr class=\"finding\" id=\"finding-1-"),
               read = html.find("<tr class=\"finding\" id=\"finding-1-", write + 1);
  EXPECT_LT(html.find("<tr id=\"L1-5\""), write);
  EXPECT_LT(write, html.find("<tr id=\"L1-6\""));
  EXPECT_LT(html.find("<tr id=\"L1-6\""), read);
  EXPECT_LT(read, html.find("</table>", read));
  const std::string text = html.substr(write, html.find("</tr>", write) - write);
  EXPECT_THAT(text, HasSubstr(" writes 4 bytes; see <a href=\"#finding-1-"));
  EXPECT_THAT(text, HasSubstr("columns.cu:6</a>"));
}

TEST_F(KernelPages, HasHeadersAroundTheirCode) {
  const std::string html = page();
  EXPECT_THAT(row(html, "L2-201"), HasSubstr("{ return v + v; }"));
  EXPECT_THAT(html, HasSubstr(">lines 1 to 197: no code of the kernel</td>"));
  EXPECT_THAT(row(html, "L2-204"), HasSubstr("204|"));
  EXPECT_EQ(row(html, "L2-205"), "");
}

TEST_F(KernelPages, HasTheCommandThatMakesIt) {
  EXPECT_THAT(page(), HasSubstr("<code>hone check " + file_ + R"( \
  --grid=N \
  --block=32 \
  -DN=1 \
  --arg=f32:ones:32 \
  --arg=f32:unset:8 \
  --arch=sm_90a \
  --html=)" + html_ + "</code>"));
}

TEST_F(KernelPages, NeedsLinesOfAText) {
  const std::string file = folder_.file("bare.ptx");
  write_new_file(file,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry bare() { ret; }\n");
  expect_failure({"check", file, "--grid=1", "--block=1", "--html=" + html_},
                 file + " names no lines of a text that a page could show");
}

}  // namespace kernel_page_test
}  // namespace hone
