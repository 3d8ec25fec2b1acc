#include "gmock/gmock.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace variables_test {

using testing::ElementsAre;
using testing::IsEmpty;

Variable variable_of(const std::string& declaration) {
  return module_of(declaration).variables.at(0);
}

/// "global u32 4 bytes at 4"
std::string facts_of(const std::string& declaration) {
  constexpr const char* spaces[] = {"generic", "global", "const", "shared", "local", "param"};
  const Variable variable = variable_of(declaration);
  return fmt::format("{} {} {} bytes at {}", spaces[static_cast<int>(variable.space)],
                     name_of(variable.type).str(), variable.bytes, variable.alignment);
}

TEST(Variables, HaveSpaceTypeAndExtent) {
  EXPECT_EQ(facts_of(".global .u32 x;"), "global u32 4 bytes at 4");
  EXPECT_EQ(facts_of(".const .align 16 .b8 x[3][5];"), "const b8 15 bytes at 16");
  EXPECT_EQ(facts_of(".shared .v4 .f32 x[2];"), "shared f32 32 bytes at 16");
  EXPECT_EQ(facts_of(".global .b128 x;"), "global b128 16 bytes at 16");
  EXPECT_EQ(facts_of(".global .u16 x[4*4+1];"), "global u16 34 bytes at 2");
  EXPECT_EQ(facts_of(".global .attribute(.managed) .align 8 .u32 x;"), "global u32 4 bytes at 8");
}

TEST(Variables, MayBeSeveralInADeclaration) {
  const Module module = module_of(".global .align 8 .u32 a, b = 3, c[4];");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_THAT(module.variables[0].initial, IsEmpty());
  EXPECT_THAT(module.variables[1].initial, ElementsAre(3, 0, 0, 0));
  EXPECT_EQ(module.variables[2].bytes, 16);
  EXPECT_EQ(module.variables[2].alignment, 8);
}

TEST(Variables, MayBeDeclaredInNumbers) {
  const Module module = module_of(".global .u32 q<2>; .entry k() { st.global.u32 [q1], 0; }");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[1].name, "q1");
}

TEST(Variables, HaveALinkage) {
  const Variable dynamic = variable_of(".extern .shared .align 16 .b8 x[];");
  EXPECT_TRUE(dynamic.is_extern);
  EXPECT_FALSE(dynamic.is_visible);
  EXPECT_EQ(dynamic.bytes, 0);
  for (const char* word : {".visible", ".weak", ".common"})
    EXPECT_TRUE(variable_of(std::string(word) + " .global .u32 x;").is_visible) << word;
  EXPECT_FALSE(variable_of(".global .u32 x;").is_visible);
}

TEST(Variables, AreDefinedAfterADeclaration) {
  const Module module = module_of(
      ".extern .global .u32 x; .extern .global .u32 x; .visible .global .u32 x = 1;"
      ".extern .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_THAT(module.variables[0].initial, ElementsAre(1, 0, 0, 0));
}

TEST(Variables, AreOpaqueAsTexturesAndSurfaces) {
  for (const char* declaration :
       {".global .texref x;", ".global .surfref x;", ".tex .u32 x;",
        ".global .samplerref x = { addr_mode_0 = clamp_to_border, filter_mode = nearest };"}) {
    EXPECT_TRUE(variable_of(declaration).is_opaque) << declaration;
    EXPECT_EQ(variable_of(declaration).bytes, 8) << declaration;
  }
}

// ---- Initial values -----------------------------------------------------------------------------

std::vector<uint8_t> initial_of(const std::string& declaration) {
  return variable_of(".global " + declaration + ";").initial;
}

TEST(InitialValues, AreBytes) {
  EXPECT_THAT(initial_of(".b8 x[4] = {1, 0xff, -1, 97}"), ElementsAre(1, 255, 255, 97));
}

TEST(InitialValues, AreAsWideAsTheirType) {
  EXPECT_THAT(initial_of(".u16 x[3] = {258, 4+4}"), ElementsAre(2, 1, 8, 0));
  EXPECT_THAT(initial_of(".s64 x = -2"), ElementsAre(254, 255, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(initial_of(".u8 x = WARP_SZ"), ElementsAre(32));
  EXPECT_THAT(initial_of(".b128 x = 1"),
              ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(InitialValues, OfFloatingPointAreRounded) {
  EXPECT_THAT(initial_of(".f32 x[3] = {1.0, 0f40000000, 0d4008000000000000}"),
              ElementsAre(0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64));
  EXPECT_THAT(initial_of(".f64 x = 0fC0000000"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 192));
  EXPECT_THAT(initial_of(".b32 x = 0f3F800000"), ElementsAre(0, 0, 128, 63));
}

TEST(InitialValues, OfRowsLeaveTheRestOfTheRow) {
  EXPECT_THAT(initial_of(".u8 x[3][2] = {{1}, {2, 3}}"), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(initial_of(".v2 .u8 x[2] = {{1, 2}, {3, 4}}"), ElementsAre(1, 2, 3, 4));
}

TEST(InitialValues, SayTheExtent) {
  EXPECT_EQ(variable_of(".global .u32 x[] = {1, 2, 3};").bytes, 12);
  EXPECT_EQ(variable_of(".global .u8 x[][2] = {{1, 2}, {3}};").bytes, 4);
}

/// "at 8: symbol+4 generic, bytes 0 to 7"
std::vector<std::string> references_of(const std::string& declaration) {
  std::vector<std::string> result;
  const Module module = module_of(".global .u32 a[4]; .global " + declaration + ";");
  for (const auto& reference : module.variables.at(1).references)
    result.push_back(fmt::format("at {}: {}{:+}{}, bytes {} to {}", reference.at, reference.symbol,
                                 reference.addend, reference.is_generic ? " generic" : "",
                                 reference.first, reference.first + reference.bytes - 1));
  return result;
}

TEST(InitialValues, AreAddresses) {
  EXPECT_THAT(references_of(".u64 x[4] = {a, 0, generic(a)+8, a+4}"),
              ElementsAre("at 0: a+0, bytes 0 to 7", "at 16: a+8 generic, bytes 0 to 7",
                          "at 24: a+4, bytes 0 to 7"));
  EXPECT_THAT(references_of(".u32 x = a"), ElementsAre("at 0: a+0, bytes 0 to 3"));
}

TEST(InitialValues, AreBytesOfAddresses) {
  EXPECT_THAT(references_of(".u8 x[3] = {0xFF(a), 0xff00(generic(a)+4), 0xff00000000000000(a)}"),
              ElementsAre("at 0: a+0, bytes 0 to 0", "at 1: a+4 generic, bytes 1 to 1",
                          "at 2: a+0, bytes 7 to 7"));
}

TEST(InitialValues, AreAddressesOfFunctions) {
  const Module module = module_of(".func f(); .global .u64 x = f;");
  EXPECT_EQ(module.variables.at(0).references.at(0).symbol, "f");
}

struct Refused {
  const char* text;
  const char* message;

  friend void PrintTo(const Refused& value, std::ostream* out) { *out << value.text; }
};

class RefusedVariables : public testing::TestWithParam<Refused> {};

TEST_P(RefusedVariables, HaveALine) { EXPECT_EQ(refusal_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Variables, RefusedVariables,
    testing::Values(
        Refused{".global .u32 x;\n.global .u32 x;", "line 2: x is declared twice"},
        Refused{".global .surprise .u32 x;",
                "line 1: '.surprise' is not understood in a declaration"},
        Refused{".global x;", "line 1: expected a type, got 'x'"},
        Refused{".global .u32 ;", "line 1: expected a name, got ';'"},
        Refused{".global .v3 .u32 x;", "line 1: '.v3' is not understood in a declaration"},
        Refused{".global .u32 x[0x4000000000000000];", "line 1: x has more bytes than any memory"},
        Refused{".global .u32 x[-1];", "line 1: the array has -1 elements"},
        Refused{".global .u32 x<y>;", "line 1: expected a number of registers, got 'y'"},
        Refused{".global .u32 x<99999999>;", "line 1: '99999999' is no number of registers"},
        Refused{".global .u8 x[2] = {1,\n2, 3};", "line 2: x has 2 bytes, and more initial values"},
        Refused{".global .u8 x = {1};", "line 1: too many braces for x"},
        Refused{".global .u8 x[2] = {1;", "line 1: expected '}', got ';'"},
        Refused{".global .u64 x =\ny;", "line 1: y is not declared"},
        Refused{".global .u8 x = 0xf0(x);", "line 1: 0xf0 is no mask of bytes of an address"},
        Refused{".global .f16 x = 1.0;", "line 1: initial values of .f16 are not understood"},
        Refused{".global .attribute(.managed", "line 1: expected ')', got the end of the text"}));

}  // namespace variables_test
}  // namespace hone::ptx
