#include "runtime/ptx/text/parser.h"

#include "gmock/gmock.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace parser_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string refusal_of_text(const std::string& text) {
  return thrown_message<PtxError>([&] { parse(text); });
}

// ---- Modules ------------------------------------------------------------------------------------

TEST(Parser, ReadsTheHeader) {
  const Module module =
      parse("//\n// Generated\n//\n\n.version 9.10\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.major, 9);
  EXPECT_EQ(module.minor, 10);
  EXPECT_EQ(module.target, "sm_90a");
}

TEST(Parser, SkipsCommentsAndWhatBelongsToOtherTools) {
  const Module module = module_of(
      "/* of\n * several */ .pragma \"nounroll\";\n# 12 \"a.cu\"\n#line 3 \"a.cu\"\n"
      ".section .debug_abbrev\n{\n.b8 1 // as it is\n.b64 $L__tmp1\n}\n"
      ".func f() // as it is\n{ .pragma \"x\"; ret; }");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.functions[0].line, 10);
}

TEST(Parser, EndsAtTheTextNotAtAByteOfZero) {
  const std::string text = ptx_header + ".func f() { ret; }";
  EXPECT_EQ(parse(std::string_view(text.c_str(), text.size() + 1)).functions.size(), 1u);
}

TEST(Parser, ReadsAliases) {
  const Module module =
      module_of(".visible .func a(); .visible .func b() { ret; } .alias a, b; .func c();");
  EXPECT_THAT(module.aliases, ElementsAre(Pair("a", "b")));
  EXPECT_EQ(module.find("a"), module.find("b"));
  EXPECT_TRUE(module.find("a")->has_body);
  EXPECT_FALSE(module.find("c")->has_body);
  EXPECT_EQ(module.find("d"), nullptr);
}

struct Refused {
  const char* text;
  const char* message;

  friend void PrintTo(const Refused& value, std::ostream* out) { *out << value.text; }
};

class RefusedModules : public testing::TestWithParam<Refused> {};

TEST_P(RefusedModules, HaveALine) { EXPECT_EQ(refusal_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Parser, RefusedModules,
    testing::Values(
        Refused{"\n.surprise 3;", "line 2: directive '.surprise' is not understood"},
        Refused{".visible .surprise", "line 1: directive '.surprise' is not understood"},
        Refused{"\nkernel", "line 2: expected a directive, got 'kernel'"},
        Refused{".address_size 32",
                "line 1: the addresses have 32 bits, and those of the simulated device 64"},
        Refused{".version 9", "line 1: '9' is no version of PTX"},
        Refused{".version x", "line 1: expected a version, got 'x'"},
        Refused{".target 90", "line 1: expected a target, got '90'"},
        Refused{"\n\n`", "line 3: unexpected character '`'"},
        Refused{"\x01", "line 1: unexpected byte 0x01"},
        Refused{"\n/* open", "line 2: the comment has no end"},
        Refused{".file 1 \"open", "line 1: the string has no end"},
        Refused{".section .debug_info {", "line 1: the '{' has no '}'"},
        Refused{".section .debug_info", "line 1: expected '{', got the end of the text"},
        Refused{".func f() { ret;", "line 1: expected an instruction, got the end of the text"},
        Refused{".func f() { { ret; }", "line 1: expected an instruction, got the end of the text"},
        Refused{".func f() { ; }", "line 1: expected an instruction, got ';'"},
        Refused{".func f() { .surprise 1; }",
                "line 1: directive '.surprise' is not understood in a function"},
        Refused{".func f() {ret;}\n.func f() {ret;}", "line 2: function f has a body already"},
        Refused{".func f() .surprise {}",
                "line 1: directive '.surprise' is not understood at a function"},
        Refused{".entry k() .maxntid 1,2,3,4 {}", "line 1: more than 3 numbers"},
        Refused{".func f(.shared .b32 x);", "line 1: expected '.param' or '.reg', got '.shared'"},
        Refused{".func f(.param .b32 x y);", "line 1: expected ',', got 'y'"},
        Refused{".func ();", "line 1: expected the name of a function, got ';'"},
        Refused{".reg .b32 x;", "line 1: '.reg' variables are those of functions"},
        Refused{".local .b32 x;", "line 1: '.local' variables are those of functions"}));

TEST(Parser, RefusesATextWithoutVersion) {
  EXPECT_EQ(refusal_of_text(""), "line 1: the text has no .version");
  EXPECT_EQ(refusal_of_text("// nothing\n\n"), "line 3: the text has no .version");
}

// ---- Functions ----------------------------------------------------------------------------------

constexpr const char* kernel_header = R"(
.visible .entry k(
	.param .u64 .ptr .global .align 8 k_param_0,
	.param .align 64 .b8 k_param_1[128],
	.param .u64 .ptr .align 1 k_param_2,
	.param .f32 k_param_3,
	.param .texref k_param_4
)
.maxntid 32, 4
.minnctapersm 2
.maxnreg 64
.explicitcluster
.reqnctapercluster 2, 1, 1
.pragma "nounroll";
{
	ret;
}
)";

TEST(Functions, HaveParametersWithTheirOwnAlignment) {
  const Function function = module_of(kernel_header).functions.at(0);
  const auto facts = [](const Variable& param) {
    return fmt::format("{} {} {} {}", param.name, name_of(param.type).str(), param.bytes,
                       param.alignment);
  };
  std::vector<std::string> params;
  for (const Variable& param : function.params) params.push_back(facts(param));
  EXPECT_THAT(params, ElementsAre("k_param_0 u64 8 8", "k_param_1 b8 128 64", "k_param_2 u64 8 8",
                                  "k_param_3 f32 4 4", "k_param_4 b64 8 8"));
  EXPECT_TRUE(function.params[4].is_opaque);
  EXPECT_EQ(function.params[0].space, Space::param);
}

TEST(Functions, HaveDirectivesOfPerformance) {
  const Function function = module_of(kernel_header).functions.at(0);
  EXPECT_TRUE(function.is_entry);
  EXPECT_THAT(function.most_threads, ElementsAre(32, 4, 1));
  EXPECT_THAT(function.threads, ElementsAre(0, 0, 0));
  EXPECT_THAT(function.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(function.least_blocks, 2);
  EXPECT_EQ(function.most_registers, 64);
  EXPECT_FALSE(function.never_returns);
  EXPECT_EQ(function.line, 2);
}

TEST(Functions, MayNeedTheirThreads) {
  const Function function =
      module_of(".entry k() .reqntid 8,4,2 .maxclusterrank 8 .blocksareclusters { ret; }")
          .functions.at(0);
  EXPECT_THAT(function.threads, ElementsAre(8, 4, 2));
  EXPECT_THAT(function.most_threads, ElementsAre(0, 0, 0));
}

TEST(Functions, AreThereOnceWithTheirBody) {
  const Module module = module_of(
      ".extern .func (.param .b32 r) f(.param .b64 f_param_0, .param .b64 x[]);"
      ".func g() .noreturn; .func g() { trap; } .func g();");
  ASSERT_EQ(module.functions.size(), 2u);
  const Function& declared = module.functions[0];
  EXPECT_FALSE(declared.has_body);
  EXPECT_FALSE(declared.is_entry);
  EXPECT_EQ(declared.returns.at(0).bytes, 4);
  EXPECT_EQ(declared.params.at(1).bytes, 0);
  EXPECT_TRUE(module.functions[1].has_body);
  EXPECT_TRUE(module.functions[1].never_returns);
}

TEST(Functions, MayHaveAttributesAndNoLists) {
  const Module module = module_of(
      ".visible .func .attribute(.unified(19,95)) f .abi_preserve 4 .abi_preserve_control 3 "
      "{ ret; } .weak .entry k { ret; }");
  EXPECT_EQ(module.functions.at(0).name, "f");
  EXPECT_TRUE(module.functions.at(1).is_entry);
}

TEST(Functions, AreKnownInThemselvesAndLater) {
  const Module module = module_of(".func f() { call f; } .entry k() { call f; }");
  EXPECT_THAT(texts_of(module.functions.at(1)), ElementsAre("call f"));
  EXPECT_EQ(refusal_of(".entry k() {\ncall f; } .func f() { ret; }"), "line 2: f is not declared");
}

// ---- Instructions -------------------------------------------------------------------------------

TEST(Instructions, HaveLinesAndModifiers) {
  const Function function = function_of(
      "\n.reg .b32 %r<3>;\n\n  ld.global .nc.u32\n\t%r1,\n\t[%r2];\n\tret;  // the end\n");
  ASSERT_EQ(function.instructions.size(), 2u);
  const Instruction& load = function.instructions[0];
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_THAT(load.modifiers, ElementsAre("global", "nc", "u32"));
  EXPECT_EQ(load.name(), "ld.global.nc.u32");
  EXPECT_TRUE(load.has("nc"));
  EXPECT_FALSE(load.has("n"));
  EXPECT_EQ(load.line, 4);
  EXPECT_EQ(load.location, -1);
  EXPECT_EQ(function.instructions[1].line, 7);
  EXPECT_FALSE(function.instructions[1].guard.exists);
}

TEST(Instructions, AreAllThere) {
  std::string body = ".reg .b32 %r<2>;";
  for (int i = 0; i < 1000; ++i) body += fmt::format("add.u32 %r0, %r1, {};", i);
  const Function function = function_of(body);
  ASSERT_EQ(function.instructions.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(function.instructions[i].operands[2].integer, i) << "instruction " << i;
}

// ---- Types --------------------------------------------------------------------------------------

TEST(Types, AreFoundByTheirNames) {
  for (int i = 1; i <= static_cast<int>(Type::s16x2); ++i) {
    const auto type = static_cast<Type>(i);
    EXPECT_EQ(type_named(name_of(type)), type) << name_of(type).str();
  }
  EXPECT_EQ(type_named("v4"), std::nullopt);
  EXPECT_EQ(type_named(""), std::nullopt);
}

TEST(Types, HaveBytes) {
  EXPECT_EQ(bytes_of(Type::pred), 0);
  EXPECT_EQ(bytes_of(Type::e4m3), 1);
  EXPECT_EQ(bytes_of(Type::bf16), 2);
  EXPECT_EQ(bytes_of(Type::f16x2), 4);
  EXPECT_EQ(bytes_of(Type::tf32), 4);
  EXPECT_EQ(bytes_of(Type::f32x2), 8);
  EXPECT_EQ(bytes_of(Type::b128), 16);
}

TEST(Types, AreSignedOrReal) {
  EXPECT_TRUE(is_signed(Type::s8));
  EXPECT_FALSE(is_signed(Type::b32));
  EXPECT_TRUE(is_real(Type::e5m2x2));
  EXPECT_FALSE(is_real(Type::s16x2));
}

}  // namespace parser_test
}  // namespace hone::ptx
