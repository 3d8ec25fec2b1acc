#include "runtime/cudart/link_ptx.h"

#include "gmock/gmock.h"

namespace hone::cudart {
namespace link_ptx_test {

const std::string header = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::string linked(const std::string& first, const std::string& second) {
  return link_ptx({header + first, header + second});
}

TEST(LinkPtx, KeepsTheOnlyModuleAsItIs) {
  const std::string text = "// a comment\n" + header + ".visible .global .u32 a;\n";
  EXPECT_EQ(link_ptx({text}), text);
}

TEST(LinkPtx, PutsADefinitionInThePlaceOfADeclaration) {
  EXPECT_EQ(linked(".extern .global .align 4 .u32 a;\n", ".visible .global .align 4 .u32 a = 7;\n"),
            header + ".visible .global .align 4 .u32 a = 7;\n");
  EXPECT_EQ(
      linked(
          ".extern .func (.param .b32 r) f\n(.param .b32 p)\n;\n.visible .entry k() { call f; }\n",
          ".visible .func (.param .b32 r) f(.param .b32 p)\n{ ret; }\n"),
      header +
          ".visible .func (.param .b32 r) f\n(.param .b32 p)\n;\n"
          ".visible .entry k() { call f; }\n"
          ".visible .func (.param .b32 r) f(.param .b32 p)\n{ ret; }\n");
}

TEST(LinkPtx, KeepsOneOfDeclarationsThatNobodyDefines) {
  const std::string print = ".extern .func (.param .b32 r) vprintf (.param .b64 p);\n";
  EXPECT_EQ(linked(print, print), header + print);
}

TEST(LinkPtx, KeepsOneOfWeakFunctions) {
  const std::string weak = ".weak .func f()\n{ { ret; } }\n";
  EXPECT_EQ(linked(weak, weak), header + weak);
}

TEST(LinkPtx, NamesOwnVariablesAnew) {
  EXPECT_EQ(linked(".global .b8 $str[2] = {65, 0};\n.visible .entry a() { mov.u64 %rd1, $str; }\n",
                   ".global .b8 $str[2] = {66, 0};\n"
                   ".visible .entry b() { mov.u64 %rd1, $str; mov.u64 %rd2, $str$1; }\n"),
            header +
                ".global .b8 $str[2] = {65, 0};\n.global .b8 $str_m1[2] = {66, 0};\n"
                ".visible .entry a() { mov.u64 %rd1, $str; }\n"
                ".visible .entry b() { mov.u64 %rd1, $str_m1; mov.u64 %rd2, $str$1; }\n");
}

TEST(LinkPtx, NumbersFilesAnew) {
  EXPECT_EQ(
      linked(
          ".visible .entry a() {\n.loc 1 5 0\nret;\n}\n.file 1 \"a;b.cu\"\n.file 2 \"c.h\"\n",
          ".visible .entry b() {\n.loc\t1 6 3, function_name $L__info_string0, inlined_at 1 7 1\n"
          "ret;\n}\n.file\t1 \"b.cu\"\n"),
      header +
          ".visible .entry a() {\n.loc 1 5 0\nret;\n}\n.file 1 \"a;b.cu\"\n.file 2 \"c.h\"\n"
          ".visible .entry b() {\n"
          ".loc\t3 6 3, function_name $L__info_string0_m1, inlined_at 3 7 1\nret;\n}\n"
          ".file\t3 \"b.cu\"\n");
}

}  // namespace link_ptx_test
}  // namespace hone::cudart
