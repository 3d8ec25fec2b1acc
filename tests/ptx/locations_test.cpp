#include "gmock/gmock.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace locations_test {

using testing::ElementsAre;

/// By instruction: "a.cu:3:5", and of those that are inlined "a.cu:3:5 in f(int) <- a.cu:9:1".
std::vector<std::string> places_of(const Module& module, const Function& function) {
  std::vector<std::string> result;
  for (const Instruction& instruction : function.instructions) {
    std::vector<std::string> chain;
    for (int at = instruction.location; at >= 0; at = module.locations[at].caller) {
      const Location& place = module.locations[at];
      chain.push_back(fmt::format("{}:{}:{}{}", module.files.at(place.file), place.line,
                                  place.column,
                                  place.function.empty() ? "" : " in " + place.function));
    }
    result.push_back(fmt::format("{}", fmt::join(chain, " <- ")));
  }
  return result;
}

std::vector<std::string> places_of(const std::string& text) {
  const Module module = module_of(text);
  return places_of(module, module.functions.back());
}

TEST(Locations, HoldForTheInstructionsThatFollow) {
  EXPECT_THAT(places_of(".file 2 \"b.cu\" .file 1 \"a.cu\", 1700000000, 123\n"
                        ".func f() { ret; .loc 1 3 5\n ret; ret; .loc 2 4 0\n ret; }"),
              ElementsAre("", "a.cu:3:5", "a.cu:3:5", "b.cu:4:0"));
}

TEST(Locations, MayNameFilesThatComeAtTheEnd) {
  EXPECT_THAT(places_of(".func f() { .loc 1 3 5\n ret; } .file 1 \"a.cu\""),
              ElementsAre("a.cu:3:5"));
}

TEST(Locations, EndWithTheirFunction) {
  EXPECT_THAT(places_of(".file 1 \"a.cu\" .func f() { .loc 1 3 5\n ret; } .func g() { ret; }"),
              ElementsAre(""));
}

TEST(Locations, AreThereOnceInAFunction) {
  const Module module = module_of(
      ".file 1 \"a.cu\" .func f() { .loc 1 3 5\n ret; .loc 1 4 5\n ret; .loc 1 3 5\n ret; }");
  EXPECT_EQ(module.locations.size(), 2u);
  EXPECT_THAT(places_of(module, module.functions[0]),
              ElementsAre("a.cu:3:5", "a.cu:4:5", "a.cu:3:5"));
}

constexpr const char* inlined = R"(
.file 1 "a.cu"
.visible .entry k() {
	.loc	1 3 42
	.loc	1 2 62, function_name $L__info_string0, inlined_at 1 3 42
	ret;
	.loc	1 1 34, function_name $L__info_string1, inlined_at 1 2 62
	ret;
	.loc	1 1 34, function_name $L__info_string1, inlined_at 1 3 42
	ret;
	.loc	1 1 34, function_name .debug_str+12, inlined_at 1 9 9
	ret;
	.loc	1 1 34, function_name $L__info_string1+2, inlined_at 1 9 9
	ret;
	.loc	1 1 34, function_name $L__missing, inlined_at 1 9 9
	ret;
}
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,52,99,117
.b8 98,101,73,102,69,0
$L__info_string1:
.b8 111,112,102,0
	}
)";

TEST(Locations, SayWhereFunctionsAreInlined) {
  const std::vector<std::string> places = places_of(inlined);
  ASSERT_EQ(places.size(), 6u);
  EXPECT_EQ(places[0], "a.cu:2:62 in cube<float> <- a.cu:3:42");
  EXPECT_EQ(places[1], "a.cu:1:34 in opf <- a.cu:2:62 in cube<float> <- a.cu:3:42");
  EXPECT_EQ(places[2], "a.cu:1:34 in opf <- a.cu:3:42");
  EXPECT_EQ(places[3], "a.cu:1:34 in pf <- a.cu:9:9");
  EXPECT_EQ(places[4], "a.cu:1:34 in f <- a.cu:9:9");
  EXPECT_EQ(places[5], "a.cu:1:34 <- a.cu:9:9");
}

TEST(Locations, NameFunctionsAsTheSourceDoes) {
  EXPECT_THAT(places_of(".file 1 \"a.cu\" .func f() { .loc 1 2 3, inlined_at 1 5 6, "
                        "function_name n\n ret; } .section .debug_str { n: .b8 95,90,50,115,113,"
                        "102,0 }"),
              ElementsAre("a.cu:2:3 in sq(float) <- a.cu:5:6"));
}

TEST(Locations, AreRefusedWithTheirLine) {
  EXPECT_EQ(refusal_of_body("\n.loc 1 2;"), "line 2: expected a constant, got ';'");
  EXPECT_EQ(refusal_of_body(".loc 1 2 3, surprise"),
            "line 1: expected function_name or inlined_at, got 'surprise'");
  EXPECT_EQ(refusal_of_body(".loc 1 2 3, function_name 4"), "line 1: expected a label, got '4'");
  EXPECT_EQ(refusal_of(".file 1 a"), "line 1: expected the name of a file, got 'a'");
  EXPECT_EQ(refusal_of(".section .debug_str { .b16 3 }"), "line 1: expected '.b8', got '.b16'");
}

}  // namespace locations_test
}  // namespace hone::ptx
