#include "tools/cli/arguments.h"

#include "gmock/gmock.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace arguments_test {

using testing::ElementsAre;

const Option options[] = {{"--emit", "FORM", "a value"},
                          {"--check", "", "a flag"},
                          {"-D", "NAME=SIZE", "repeated", true},
                          {"-o", "FILE", "a letter"}};

std::string refusal(std::vector<std::string> words) {
  return thrown_message<UsageError>([&] { Arguments(words, options); });
}

TEST(Arguments, TakesAValueAfterEqualsOrAsTheNextWord) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--emit=a=b"}, std::vector<std::string>{"--emit", "a=b"}})
    EXPECT_EQ(Arguments(words, options).value("--emit"), "a=b");
}

TEST(Arguments, TakesTheValueOfALetterJoinedOrAsTheNextWord) {
  const Arguments arguments({"-DM=3", "-D", "N=4", "-o", "-"}, options);
  EXPECT_THAT(arguments.values("-D"), ElementsAre("M=3", "N=4"));
  EXPECT_EQ(arguments.value("-o"), "-");
}

TEST(Arguments, KeepsTheOtherWordsInOrder) {
  const Arguments arguments({"a", "--check", "-", "--", "--emit", "-D"}, options);
  EXPECT_THAT(arguments.positional(), ElementsAre("a", "-", "--emit", "-D"));
  EXPECT_TRUE(arguments.has("--check"));
  EXPECT_FALSE(arguments.has("--emit"));
  EXPECT_EQ(arguments.value("--emit"), std::nullopt);
  EXPECT_THAT(arguments.values("-D"), ElementsAre());
}

TEST(Arguments, TakesAnEmptyValue) {
  EXPECT_EQ(Arguments({"--emit="}, options).value("--emit"), "");
}

TEST(Arguments, RefusesAnUnknownOption) {
  EXPECT_EQ(refusal({"--emti=c"}), "there is no option '--emti'; did you mean '--emit'?");
  EXPECT_EQ(refusal({"-x"}), "there is no option '-x'; did you mean '-D'?");
  EXPECT_EQ(refusal({"--verbose"}),
            "there is no option '--verbose'; there are --emit, --check, -D, -o");
}

TEST(Arguments, RefusesAMissingValue) {
  EXPECT_EQ(refusal({"--emit"}), "--emit=FORM lacks its value");
  EXPECT_EQ(refusal({"a", "-D"}), "-D NAME=SIZE lacks its value");
}

TEST(Arguments, RefusesTheValueOfAFlag) {
  EXPECT_EQ(refusal({"--check=yes"}), "--check takes no value, got 'yes'");
}

TEST(Arguments, RefusesAnOptionThatIsGivenTwice) {
  EXPECT_EQ(refusal({"--emit=c", "--emit=c"}), "--emit is given twice");
  EXPECT_EQ(refusal({"--check", "--check"}), "--check is given twice");
}

TEST(Assignment, IsCutAtTheFirstEquals) {
  EXPECT_EQ(split_assignment("--input", "A=b=c.npy"),
            std::make_pair(std::string("A"), std::string("b=c.npy")));
}

TEST(Assignment, RefusesAMissingSide) {
  for (const char* text : {"A", "A=", "=a.npy", ""})
    EXPECT_EQ(thrown_message<UsageError>([&] { split_assignment("--input", text); }),
              fmt::format("--input takes NAME=VALUE, got '{}'", text));
}

TEST(Unknown, SuggestsTheClosestName) {
  const std::vector<std::string> known = {"naive", "native", "tiled"};
  EXPECT_STREQ(unknown("rung", "naiv", known, "matmul").what(),
               "there is no rung 'naiv' in matmul; did you mean 'naive'?");
}

TEST(Unknown, ListsTheNamesWhereNoneIsClose) {
  const std::vector<std::string> known = {"naive", "tiled"};
  EXPECT_STREQ(unknown("rung", "fast", known, "matmul").what(),
               "there is no rung 'fast' in matmul; there are naive, tiled");
  EXPECT_STREQ(unknown("ladder", "a", {}).what(), "there is no ladder 'a'; there are none");
}

}  // namespace arguments_test
}  // namespace hone
