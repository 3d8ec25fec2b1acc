// Functions and calls that are cut out of a text of C++.
#include "tools/cli/source/source_text.h"

#include "gmock/gmock.h"
#include "tools/cli/source/code_mask.h"

namespace hone {
namespace source_text_test {

using testing::ElementsAre;

const char* const text = R"text(#include "shapes.h"
#define OPEN {

namespace own {
namespace {

// A ruler, which belongs to nothing.

/// Rows to blocks.
/// Two lines.
template <class T>
void rows(T& s, char mark = '}') {
  const char* brace = "} {";  // }
  s.bind(brace);
}

auto later(int rows) {
  return [=](int& s) { s += rows; };
}

constexpr int sizes[] = {1'000, 2};
void one_line() {}

}  // namespace

std::vector<Rung> rungs(const Maker& rung) {
  return {
      rung("first", "of all", later(1)),
      rung("second", "after the first",
           [](int& s) {
             s = 2;
           }),
  };
}
}  // namespace own
)text";

std::vector<std::string> names(const SourceText& source) {
  std::vector<std::string> result;
  for (const SourceDeclaration& one : source.declarations()) result.push_back(one.name);
  return result;
}

LineRange range(unsigned first, unsigned last) { return {first, last}; }

TEST(SourceText, FindsWhatNamespacesDeclare) {
  EXPECT_THAT(names(SourceText(text)), ElementsAre("rows", "later", "sizes", "one_line", "rungs"));
}

TEST(SourceText, TakesTheCommentAndTheTemplateAboveAFunction) {
  const SourceText source(text);
  const SourceDeclaration* rows = source.declaration_at(14);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->lines, range(9, 15));
  EXPECT_EQ(rows->comment, 2);
  EXPECT_EQ(source.declaration_at(7), nullptr);
  EXPECT_EQ(source.stretch_around(14, 80), range(9, 15));
}

TEST(SourceText, ShowsPartsOfLongDeclarations) {
  const SourceText source(text);
  EXPECT_EQ(source.stretch_around(31, 5), range(29, 32));  // the call, and not all rungs
  EXPECT_EQ(source.stretch_around(31, 1), range(31, 31));
  EXPECT_EQ(source.stretch_around(99, 5), std::nullopt);
  EXPECT_EQ(source.stretch_around(0, 5), std::nullopt);
}

TEST(SourceText, FindsTheCallThatHasAString) {
  const SourceText source(text);
  EXPECT_EQ(source.call_with("first", 28), range(28, 28));
  EXPECT_EQ(source.call_with("second", 28), range(29, 32));
  EXPECT_EQ(source.call_with("third", 28), std::nullopt);
  EXPECT_EQ(source.call_with("first", 14), std::nullopt);  // of another function
  EXPECT_EQ(source.text({29, 32}),
            "rung(\"second\", \"after the first\",\n"
            "     [](int& s) {\n"
            "       s = 2;\n"
            "     }),\n");
}

TEST(SourceText, ListsWordsAndIncludes) {
  const SourceText source(text);
  EXPECT_THAT(source.words({13, 14}), ElementsAre("const", "char", "brace", "s", "bind", "brace"));
  EXPECT_THAT(source.includes(), ElementsAre("shapes.h"));
}

TEST(SourceText, RefusesNoText) {
  for (const char* broken : {"", "}", "{", "\"", "R\"", "R\"x(", "/*", "#", "#\\", "'",
                             "void f() {", "template <", "\\", "}}}\nvoid f() {}\n"})
    EXPECT_LE(SourceText(broken).declarations().size(), 1) << broken;
}

TEST(CodeMask, KeepsPlaces) {
  const std::string code = code_of(text);
  EXPECT_EQ(code.size(), std::string(text).size());
  EXPECT_EQ(std::count(code.begin(), code.end(), '{'), std::count(code.begin(), code.end(), '}'));
  EXPECT_EQ(code_of("a = R\"x(}\")x\" + '\\'' /* } */ + \"\\\"}\"; // }\nb"),
            "a =           + '  '         + \"   \";     \nb");
}

}  // namespace source_text_test
}  // namespace hone
