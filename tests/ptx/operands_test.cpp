#include "gmock/gmock.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace operands_test {

using testing::ElementsAre;

constexpr const char* registers =
    ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<2>; .reg .pred %p<4>, q;";

Function with_registers(const std::string& body) { return function_of(registers + body); }

/// Of one instruction.
std::string text_of(const std::string& instruction) {
  const Function function = with_registers(instruction);
  EXPECT_EQ(function.instructions.size(), 1u);
  return to_text(function.instructions.at(0), function);
}

std::string refusal(const std::string& instruction) {
  return refusal_of_body(registers + ("\n" + instruction));
}

struct Case {
  const char* instruction;
  const char* text;

  friend void PrintTo(const Case& value, std::ostream* out) { *out << value.instruction; }
};

class Operands : public testing::TestWithParam<Case> {};

TEST_P(Operands, AreRead) { EXPECT_EQ(text_of(GetParam().instruction), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    Registers, Operands,
    testing::Values(Case{"add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r3"},
                    Case{"@%p1 add.s32 %r1, %r2, %r3;", "@%p1 add.s32 %r1, %r2, %r3"},
                    Case{"@!q ret;", "@!q ret"}, Case{"trap;", "trap"},
                    Case{"setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3;",
                         "setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3"},
                    Case{"setp.lt.f32 %p1|_, %f1, %f2;", "setp.lt.f32 %p1|_, %f1, %f2"},
                    Case{"elect.sync _|%p1, 0xffffffff;", "elect.sync _|%p1, 4294967295"},
                    Case{"fma.rn.f32 %f1, -%f2, %f3, %f0;", "fma.rn.f32 %f1, !%f2, %f3, %f0"},
                    Case{"mov.u32 %r1, %tid.x;", "mov.u32 %r1, special %tid.x"},
                    Case{"mov.u32 %r1, %cluster_ctaid.z;", "mov.u32 %r1, special %cluster_ctaid.z"},
                    Case{"mov.u64 %rd1, %clock64;", "mov.u64 %rd1, special %clock64"},
                    Case{"mov.b32 %r1, %envreg31;", "mov.b32 %r1, special %envreg31"},
                    Case{"mov.u64 %rd1, %pm7_64;", "mov.u64 %rd1, special %pm7_64"},
                    Case{"mov.u32 %r1, %reserved_smem_offset_1;",
                         "mov.u32 %r1, special %reserved_smem_offset_1"},
                    Case{"vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
                         "vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1"}));

INSTANTIATE_TEST_SUITE_P(
    Constants, Operands,
    testing::Values(
        Case{"mov.u32 %r1, -2147483648;", "mov.u32 %r1, -2147483648"},
        Case{"mov.u32 %r1, 0xFfU;", "mov.u32 %r1, 0xff:u64"},
        Case{"mov.u32 %r1, 017;", "mov.u32 %r1, 15"}, Case{"mov.u32 %r1, 0b101;", "mov.u32 %r1, 5"},
        Case{"mov.u64 %rd1, 18446744073709551615;", "mov.u64 %rd1, 0xffffffffffffffff:u64"},
        Case{"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32"},
        Case{"mov.u32 %r1, -WARP_SZ + 2;", "mov.u32 %r1, -30"},
        Case{"mov.u32 %r1, !0;", "mov.u32 %r1, 1"}, Case{"mov.u32 %r1, ~5;", "mov.u32 %r1, -6"},
        Case{"mov.u32 %r1, +7;", "mov.u32 %r1, 7"},
        Case{"mov.u32 %r1, 4+4*2-1;", "mov.u32 %r1, 11"},
        Case{"mov.u32 %r1, (1<<3)|3&2^1;", "mov.u32 %r1, 11"},
        Case{"mov.u32 %r1, 13 % 4 / 1;", "mov.u32 %r1, 1"},
        Case{"mov.u32 %r1, -13 / 4;", "mov.u32 %r1, -3"},
        Case{"mov.u32 %r1, -16 >> 2;", "mov.u32 %r1, -4"},
        Case{"mov.u64 %rd1, (.u64)-16 >> 60;", "mov.u64 %rd1, 0xf:u64"},
        Case{"mov.u64 %rd1, (.s64)(0xFFFFFFFFFFFFFFFF);", "mov.u64 %rd1, -1"},
        Case{"mov.u32 %r1, 3 > 2 && 1 <= 0 || 5 != 5;", "mov.u32 %r1, 0"},
        Case{"mov.u32 %r1, 3 == 2 ? 10 : 1 < 2 ? 20 : 30;", "mov.u32 %r1, 20"},
        Case{"mov.f32 %f1, 0f3F800000;", "mov.f32 %f1, 0x3f800000:f32"},
        Case{"mov.f64 %fd1, 0D3FF8000000000000;", "mov.f64 %fd1, 0x3ff8000000000000:f64"},
        Case{"mov.f64 %fd1, 1.5;", "mov.f64 %fd1, 0x3ff8000000000000:f64"},
        Case{"mov.f64 %fd1, -.5e1;", "mov.f64 %fd1, 0xc014000000000000:f64"},
        Case{"mov.f64 %fd1, 5.;", "mov.f64 %fd1, 0x4014000000000000:f64"},
        Case{"mov.f64 %fd1, 1e-0 + 0.5;", "mov.f64 %fd1, 0x3ff8000000000000:f64"}));

INSTANTIATE_TEST_SUITE_P(
    Addresses, Operands,
    testing::Values(
        Case{"ld.param.u64 %rd1, [k_param_0];", "ld.param.u64 %rd1, [k_param_0]"},
        Case{"ld.param.u32 %r1, [k_param_0+4];", "ld.param.u32 %r1, [k_param_0+4]"},
        Case{"mov.u64 %rd1, k_param_0+4;", "mov.u64 %rd1, k_param_0+4"},
        Case{"ld.global.nc.v4.f32 {%f0, %f1, _, %f3}, [%rd1+-4];",
             "ld.global.nc.v4.f32 {%f0 %f1 _ %f3}, [%rd1-4]"},
        Case{"st.shared::cta.u32 [%r1 + 4*2], 3;", "st.shared::cta.u32 [%r1+8], 3"},
        Case{"st.global.u32 [4096], %r1;", "st.global.u32 [4096], %r1"},
        Case{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
             ".L2::cache_hint [%r1], [%rd1, {%r2, %r3}], [%r0+8], %rd2;",
             "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
             ".L2::cache_hint [%r1], [%rd1 {%r2 %r3}], [%r0+8], %rd2"},
        Case{"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p1, [%rd1, %rd2, {%f0, %f1}];",
             "tex.2d.v4.f32.f32 {%f0 %f1 %f2 %f3}|%p1, [%rd1 %rd2 {%f0 %f1}]"},
        Case{"tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r2];",
             "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r2]"},
        Case{"ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1];",
             "ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1]"}));

TEST(Operand, OfAnAddressHasItsBytesBesideItsBase) {
  const Function function = with_registers("ld.param.u32 %r1, [k_param_0+4];");
  const Operand& address = function.instructions[0].operands[1];
  EXPECT_EQ(address.integer, 4);
  ASSERT_EQ(address.parts.size(), 1u);
  EXPECT_TRUE(address.parts[0].is(Operand::Kind::symbol));
  EXPECT_EQ(address.parts[0].integer, 0);
}

TEST(Operand, OfAVectorOfRegistersIsItsElements) {
  const Function function = function_of(
      ".reg .v4 .f32 v<2>; .reg .f32 a; ld.global.v4.f32 v1, [0]; mov.f32 a, v1.y; mov.f32 a, "
      "v0.w;");
  EXPECT_THAT(texts_of(function), ElementsAre("ld.global.v4.f32 {v1.x v1.y v1.z v1.w}, [0]",
                                              "mov.f32 a, v1.y", "mov.f32 a, v0.w"));
}

TEST(Operand, OfACallIsAList) {
  const Module module = module_of(
      ".func (.param .b32 r) f(.param .b32 a, .param .b32 b); .func g(); .entry k() {"
      ".reg .b64 %rd<2>; P: .callprototype _ (.param .b32 _);"
      "{ .param .b32 r, a, b; call.uni (r), f, (a, b); call g; call %rd1, (a), P; } }");
  EXPECT_THAT(texts_of(module.functions.back()),
              ElementsAre("call.uni {r}, f, {a b}", "call g", "call %rd1, {a}, label P"));
}

TEST(Operand, OfACallIsAConstantOnlyInALiteral) {
  const Function function = module_of(
                                ".func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, (1+2); }"
                                ".entry k() { .reg .b32 x; call (x), f, (3); }")
                                .functions.back();
  EXPECT_THAT(texts_of(function), ElementsAre("call {x}, f, {3}"));
}

struct Refused {
  const char* instruction;
  const char* message;

  friend void PrintTo(const Refused& value, std::ostream* out) { *out << value.instruction; }
};

class RefusedOperands : public testing::TestWithParam<Refused> {};

TEST_P(RefusedOperands, HaveALine) {
  EXPECT_EQ(refusal(GetParam().instruction), std::string("line 2: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedOperands,
    testing::Values(Refused{"mov.f32 %f1, %f4;", "register %f4 is not declared"},
                    Refused{"mov.f32 %f1, %f;", "register %f is not declared"},
                    Refused{"mov.u32 %r1, %pm9;", "register %pm9 is not declared"},
                    Refused{"mov.u64 %rd1, nothere;", "nothere is not declared"},
                    Refused{"mov.u32 %r1, %r2", "expected ';', got '}'"},
                    Refused{"mov.u32 %r1 %r2;", "expected ';', got '%r2'"},
                    Refused{"mov.u32 %r1, ;", "expected an operand, got ';'"},
                    Refused{"mov.u32 %r1, 4+;", "expected a constant, got ';'"},
                    Refused{"mov.u32 %r1, 1/0;", "division by zero"},
                    Refused{"mov.u32 %r1, 1.5 & 2;", "'&' is no operator of floating-point values"},
                    Refused{"mov.u32 %r1, (.f32)1;", "expected '.s64' or '.u64', got '.f32'"},
                    Refused{"mov.f32 %f1, 0f3F8;", "'0f3F8' is no literal of PTX"},
                    Refused{"mov.u32 %r1, 12x;", "'12x' is no literal of PTX"},
                    Refused{"mov.f64 %fd1, .5x;", "expected ';', got 'x'"},
                    Refused{"mov.f64 %fd1, 4.x;", "expected ';', got '.x'"},
                    Refused{"ld.global.u32 %r1, [%rd1+1.5];",
                            "expected an integer, got a floating-point value"},
                    Refused{"ld.global.u32 %r1, [%rd1;", "expected ']', got ';'"},
                    Refused{"ld.param.u32 %r1, k_param_0[1];",
                            "k_param_0[...] is not understood: write [k_param_0+bytes]"},
                    Refused{"@%r1 ret;", "%r1 is no predicate"},
                    Refused{"@p7 ret;", "register p7 is not declared"},
                    Refused{".reg .v2 .b32 v; mov.u32 %r1, v.z;", "v has no element .z"}));

}  // namespace operands_test
}  // namespace hone::ptx
