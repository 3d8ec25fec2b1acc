#include "runtime/cuda_text/token.h"

#include "gmock/gmock.h"

namespace hone::ptx {
namespace token_test {

using testing::ElementsAre;

std::vector<std::string> texts_of(llvm::StringRef source) {
  std::vector<std::string> texts;
  for (const CudaToken& token : tokens_of(source)) texts.push_back(token.text.str());
  return texts;
}

TEST(CudaToken, SplitsWordsNumbersAndMarks) {
  EXPECT_THAT(texts_of("a::b->c <<<1'000, 0x1.8p-3f>>>"),
              ElementsAre("a", "::", "b", "->", "c", "<", "<", "<", "1'000", ",", "0x1.8p-3f", ">",
                          ">", ">"));
}

TEST(CudaToken, PassesComments) {
  EXPECT_THAT(texts_of("a // b \\\n still\nc /* d\n */ e /* not closed"),
              ElementsAre("a", "c", "e"));
}

TEST(CudaToken, KeepsTextsWhole) {
  EXPECT_THAT(texts_of(R"x(f("a\"}", '}', L"{", R"n(")}")n") g)x"),
              ElementsAre("f", "(", R"x("a\"}")x", ",", "'}'", ",", "L\"{\"", ",",
                          R"x(R"n(")}")n")x", ")", "g"));
}

TEST(CudaToken, EndsATextThatIsNotClosedWithItsLine) {
  EXPECT_THAT(texts_of("a 'don\nb"), ElementsAre("a", "'don", "b"));
}

TEST(CudaToken, TakesADirectiveWithTheLinesThatItGoesOnIn) {
  const auto tokens = tokens_of("#define F(x) \\\n  { x\n  # if 1 // why\nf # g");
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_EQ(tokens[0].text, "#define F(x) \\\n  { x");
  EXPECT_EQ(tokens[0].kind, CudaTokenKind::directive);
  EXPECT_EQ(name_of_directive(tokens[0].text), "define");
  EXPECT_EQ(name_of_directive(tokens[1].text), "if");
  EXPECT_EQ(tokens[3].text, "#");
  EXPECT_EQ(tokens[3].kind, CudaTokenKind::mark);
}

TEST(CudaToken, ADirectiveGoesOnBehindComments) {
  EXPECT_THAT(texts_of("#define F(x) /** a */ \\\n g(x) /* b */ h(x)/* c */ \\\n\nint y;\n"
                       "#if A /* d\n */ z\n#if B // e \\\n f /* g */ h\n#endif /* i */ // j\nk"),
              ElementsAre("#define F(x) /** a */ \\\n g(x) /* b */ h(x)", "int", "y", ";", "#if A ",
                          "z", "#if B ", "#endif /* i */ ", "k"));
}

TEST(CudaToken, CountsLines) {
  const auto tokens = tokens_of("a\n\n\"b\" /* \n */ c\n#x \\\n\nd");
  std::vector<int> lines;
  for (const CudaToken& token : tokens) lines.push_back(token.line);
  EXPECT_THAT(lines, ElementsAre(1, 3, 4, 5, 7));
}

}  // namespace token_test
}  // namespace hone::ptx
