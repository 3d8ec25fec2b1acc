#include "runtime/cuda_text/declaration.h"

#include "fmt/format.h"
#include "gmock/gmock.h"

namespace hone::ptx {
namespace declaration_test {

using testing::ElementsAre;

constexpr const char* kinds[] = {"function", "variable", "type", "scope", "instantiation", "other"};

std::vector<std::string> described(llvm::ArrayRef<Declaration> declarations) {
  std::vector<std::string> texts;
  for (const Declaration& one : declarations) {
    std::string text = fmt::format("{} {} {}-{}", kinds[static_cast<int>(one.kind)], one.name.str(),
                                   one.line, one.last_line);
    for (const std::string& member : described(one.members)) text += " [" + member + "]";
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> described(llvm::StringRef source) {
  const std::vector<CudaToken> tokens = tokens_of(source);
  return described(declarations_of(tokens));
}

Declaration only(llvm::StringRef source, std::vector<CudaToken>& tokens) {
  tokens = tokens_of(source);
  auto declarations = declarations_of(tokens);
  EXPECT_EQ(declarations.size(), 1u) << source.str();
  return declarations.at(0);
}

TEST(Declaration, TellsKindsApart) {
  EXPECT_THAT(
      described("int f(int x) {\n  return x;\n}\nint g(float);\nint a[3] = {1, 2, 3};\n"
                "float b{2};\nstruct S { int c; } d;\nenum E { one };\nusing T = int;\n"
                "typedef struct { int x; } U;\nnamespace n = m;\ntemplate int f<3>(int);\n"),
      ElementsAre("function f 1-3", "function g 4-4", "variable a 5-5", "variable b 6-6",
                  "type S 7-7 [variable c 7-7]", "type E 8-8", "other T 9-9",
                  "other U 10-10 [variable x 10-10]", "other n 11-11", "instantiation f 12-12"));
}

TEST(Declaration, FindsMembersOfScopesAndTypes) {
  EXPECT_THAT(
      described("namespace a { inline namespace b {\nvoid f();\n} }\n"
                "extern \"C\" {\n__global__ void k() {}\n}\n"
                "class C final : public D {\n public:\n  C() : x_(1), y_{2} { go(); }\n"
                "  bool operator()(int) const { return true; }\n  int x_ = 3, y_;\n};\n"),
      ElementsAre("scope a 1-3 [scope b 1-3 [function f 2-2]]", "scope \"C\" 4-6 [function k 5-5]",
                  "type C 7-12 [function C 9-9] [function operator 10-10] "
                  "[variable x_ 11-11]"));
}

TEST(Declaration, KnowsParametersBehindAttributesAndMacros) {
  std::vector<CudaToken> tokens;
  for (const char* const source :
       {"__global__ void __launch_bounds__(256, 2) k(float* x, int n) {}",
        "__global__ BOUNDS(256) void k(float* x, int n) {}",
        "template <int N, class T = A<(3 > 2)>> __global__ void k(float* x, int n);",
        "extern \"C\" __global__ void __attribute__((x)) k(float* x, int n) { f(1); }"}) {
    const Declaration kernel = only(source, tokens);
    EXPECT_EQ(kernel.kind, DeclarationKind::function) << source;
    EXPECT_EQ(kernel.name, "k") << source;
    EXPECT_EQ(kernel.params, "float* x, int n") << source;
    EXPECT_TRUE(kernel.has("__global__")) << source;
  }
}

TEST(Declaration, ATypeWithAnAlignmentIsNoFunction) {
  EXPECT_THAT(described("struct __align__(16) V { float x; };\nstruct alignas(8) W {};\n"
                        "struct V f(struct V v) { return v; }"),
              ElementsAre("type V 1-1 [variable x 1-1]", "type W 2-2", "function f 3-3"));
}

TEST(Declaration, ALambdaIsAVariable) {
  EXPECT_THAT(described("auto f = [] __device__(int x) { return x; };\nint g;"),
              ElementsAre("variable f 1-1", "variable g 2-2"));
}

TEST(Declaration, TheFirstBranchCountsForTheBraces) {
  EXPECT_THAT(
      described("#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  g();\n}\nint x;\n"
                "#if 0\n } } {\n#else\nint y;\n#endif\nint z;\n"),
      ElementsAre("function f 2-7", "variable x 8-8", "variable y 12-12", "variable z 14-14"));
}

TEST(Declaration, TakesTextThatIsNotClosed) {
  EXPECT_THAT(described("} void f() { g("), ElementsAre("function f 1-1"));
  EXPECT_THAT(described("namespace a { struct S { int x"),
              ElementsAre("scope a 1-1 [type S 1-1 [variable x 1-1]]"));
}

TEST(Declaration, SplitsAtCommasOutsideOfBrackets) {
  EXPECT_THAT(split_at_commas("A<1, 2> a, int (*f)(int, int), int x[F(1, 2)]"),
              ElementsAre("A<1, 2> a", "int (*f)(int, int)", "int x[F(1, 2)]"));
  EXPECT_THAT(split_at_commas(" "), ElementsAre());
}

}  // namespace declaration_test
}  // namespace hone::ptx
