#include "gmock/gmock.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace scopes_test {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::vector<std::string> register_names(const Function& function) {
  std::vector<std::string> result;
  for (const Register& known : function.registers)
    result.push_back(fmt::format("{}:{}", known.name, name_of(known.type).str()));
  return result;
}

std::vector<std::string> variable_names(const Function& function) {
  std::vector<std::string> result;
  for (const Variable& variable : function.variables) result.push_back(variable.name);
  return result;
}

/// The registers that the first operand of each instruction is.
std::vector<uint32_t> destinations(const Function& function) {
  std::vector<uint32_t> result;
  for (const Instruction& instruction : function.instructions)
    result.push_back(instruction.operands[0].reg);
  return result;
}

TEST(Registers, AreDeclaredInNumbersAndByName) {
  EXPECT_THAT(register_names(function_of(".reg .b32 %r<2>, t; .reg .pred p, %p<1>;")),
              ElementsAre("%r0:b32", "%r1:b32", "t:b32", "p:pred", "%p0:pred"));
}

TEST(Registers, MayHaveADigitBeforeTheirNumbers) {
  const Function function =
      function_of(".reg .b32 %r1<3>; .reg .f32 %r<2>; mov.b32 %r12, 0; mov.f32 %r1, 0;");
  EXPECT_THAT(texts_of(function), ElementsAre("mov.b32 %r12, 0", "mov.f32 %r1, 0"));
  EXPECT_THAT(destinations(function), ElementsAre(2, 4));
}

TEST(Registers, BelongToTheirScope) {
  const Function function = function_of(
      ".reg .b32 %r<4>, t; mov.b32 t, 0;"
      "{ .reg .b32 t, %r2; mov.b32 t, 1; mov.b32 %r2, 2; { .reg .b32 %r<3>; mov.b32 %r2, 3; } "
      "mov.b32 %r2, 2; mov.b32 %r3, 3; } mov.b32 t, 0; mov.b32 %r2, 2;");
  EXPECT_THAT(destinations(function), ElementsAre(4, 5, 6, 9, 6, 3, 4, 2));
}

TEST(Registers, OfAClosedScopeAreUnknown) {
  EXPECT_EQ(refusal_of_body("{ .reg .b32 %t; }\nmov.b32 %t, 0;"),
            "line 2: register %t is not declared");
}

TEST(Registers, AreDeclaredOnceInAScope) {
  EXPECT_EQ(refusal_of_body(".reg .b32 a;\n.reg .f32 a;"), "line 2: a is declared twice");
  EXPECT_EQ(refusal_of_body(".reg .b32 %a<5>;\n.reg .b32 %a<7>;"), "line 2: %a is declared twice");
}

TEST(Registers, OfOldFunctionsAreParameters) {
  const Function function =
      module_of(".func (.reg .b32 r) f(.reg .f32 a, .param .b32 p) { cvt.u32.f32 r, a; }")
          .functions.at(0);
  EXPECT_THAT(register_names(function), ElementsAre("r:b32", "a:f32"));
  ASSERT_EQ(function.returns.size(), 1u);
  EXPECT_EQ(function.returns[0].space, Space::generic);
  ASSERT_EQ(function.params.size(), 2u);
  EXPECT_EQ(function.params[0].space, Space::generic);
  EXPECT_EQ(function.params[0].type, Type::f32);
  EXPECT_EQ(function.params[1].space, Space::param);
}

constexpr const char* call_sequences = R"(
  .reg .b32 %r<2>;
  { // callseq 0, 0
  .reg .b32 temp_param_reg;
  .param .b32 param0;
  st.param.b32 [param0+0], %r0;
  }
  { // callseq 1, 0
  .reg .b32 temp_param_reg;
  .param .b64 param0;
  st.param.b32 [param0+4], %r1;
  })";

TEST(Variables, OfScopesHaveUniqueNames) {
  const Function function = function_of(call_sequences);
  EXPECT_THAT(variable_names(function), ElementsAre("param0", "param0.2"));
  EXPECT_EQ(function.variables[1].bytes, 8);
  EXPECT_THAT(texts_of(function),
              ElementsAre("st.param.b32 [param0], %r0", "st.param.b32 [param0.2+4], %r1"));
}

TEST(Variables, OfAFunctionHideThoseOfTheModule) {
  const Function function = module_of(
                                ".shared .u32 tile; .entry k() { .reg .b32 a; mov.u32 a, tile;"
                                "{ .shared .u32 tile; mov.u32 a, tile; } mov.u32 a, tile; }")
                                .functions.at(0);
  EXPECT_THAT(variable_names(function), ElementsAre("tile.1"));
  EXPECT_THAT(texts_of(function),
              ElementsAre("mov.u32 a, tile", "mov.u32 a, tile.1", "mov.u32 a, tile"));
}

TEST(Variables, OfConstantAndGlobalSpaceAreTheModules) {
  const Module module = module_of(
      ".entry k() { .reg .b64 a; .global .u32 g = 7; { .const .u32 g; mov.u64 a, g; } "
      "mov.u64 a, g; }");
  EXPECT_THAT(texts_of(module.functions[0]), ElementsAre("mov.u64 a, k.g.2", "mov.u64 a, k.g"));
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[0].name, "k.g");
  EXPECT_THAT(module.variables[0].initial, ElementsAre(7, 0, 0, 0));
  EXPECT_EQ(module.variables[1].space, Space::constant);
  EXPECT_TRUE(module.functions[0].variables.empty());
}

TEST(Variables, MayBeDeclaredInNumbers) {
  EXPECT_THAT(variable_names(function_of(".local .b8 q<2>[4]; st.local.u8 [q1], 0;")),
              ElementsAre("q0", "q1"));
}

TEST(Variables, DoNotHaveTheNamesOfParameters) {
  EXPECT_EQ(refusal_of_body(".local .u32 k_param_0;"), "line 1: k_param_0 is declared twice");
}

TEST(Labels, StandForTheInstructionBehind) {
  const Function function =
      function_of(".reg .pred p; bra L; $M: ret; L: { @p bra $M; } end: bra end; last:");
  EXPECT_THAT(function.labels,
              UnorderedElementsAre(Pair("$M", 1), Pair("L", 2), Pair("end", 3), Pair("last", 4)));
  EXPECT_THAT(texts_of(function),
              ElementsAre("bra label L", "ret", "@p bra label $M", "bra label end"));
}

TEST(Labels, OfScopesAreUnique) {
  const Function function =
      function_of("{ bra L; L: ret; } { bra L; L: trap; bra M; } L: bra L; M: ret;");
  EXPECT_THAT(texts_of(function), ElementsAre("bra label L", "ret", "bra label L.2", "trap",
                                              "bra label M", "bra label L.3", "ret"));
  EXPECT_EQ(function.labels.at("L.2"), 3u);
}

TEST(Labels, OfInnerScopesAreUnknownOutside) {
  EXPECT_EQ(refusal_of_body("bra L; { L: ret; }"), "line 1: L is not declared");
}

TEST(Labels, StandOnceInAScope) {
  EXPECT_EQ(refusal_of_body("L: ret;\nL: ret;"), "line 2: label L is declared twice");
}

TEST(Labels, MayHaveTheNameOfTheFunction) {
  EXPECT_THAT(texts_of(function_of("k: bra k;")), ElementsAre("bra label k"));
}

TEST(Labels, NameTablesOfBranchTargets) {
  const Function function =
      function_of(".reg .b32 i; { T: .branchtargets A, B; brx.idx i, T; A: ret; } B: T: ret;");
  EXPECT_THAT(function.targets, ElementsAre(Pair("T", ElementsAre("A", "B"))));
  EXPECT_THAT(function.labels, UnorderedElementsAre(Pair("A", 1), Pair("B", 2), Pair("T.2", 2)));
  EXPECT_THAT(texts_of(function), ElementsAre("brx.idx i, label T", "ret", "ret"));
  EXPECT_EQ(refusal_of_body("T: .branchtargets\nA;"), "line 2: label A is not declared");
}

TEST(Labels, NameTablesOfCallTargets) {
  const Function function = module_of(
                                ".func f() { ret; } .func g() { ret; } .entry k() {"
                                ".reg .b64 a; T: .calltargets f, g; call a, T; }")
                                .functions.back();
  EXPECT_THAT(function.targets, ElementsAre(Pair("T", ElementsAre("f", "g"))));
  EXPECT_TRUE(function.labels.empty());
}

TEST(Labels, NamePrototypes) {
  const Function function = function_of(
      "P: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b64 _, .param .b8 _[]) .noreturn;"
      "Q: .callprototype _;");
  const Function::Prototype& prototype = function.prototypes.at("P");
  ASSERT_EQ(prototype.returns.size(), 1u);
  EXPECT_EQ(prototype.returns[0].bytes, 16);
  EXPECT_EQ(prototype.returns[0].alignment, 8);
  ASSERT_EQ(prototype.params.size(), 2u);
  EXPECT_EQ(prototype.params[0].bytes, 8);
  EXPECT_EQ(prototype.params[1].bytes, 0);
  EXPECT_TRUE(function.prototypes.at("Q").params.empty());
}

}  // namespace scopes_test
}  // namespace hone::ptx
