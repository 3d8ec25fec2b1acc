#include "runtime/nvrtc/ptx.h"

#include "gmock/gmock.h"
#include "runtime/nvrtc/ptx_access.h"

namespace hone {
namespace ptx_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// A kernel as NVRTC prints it, with this body.
std::string kernel_text(const std::string& body) {
  return "// header\n.version 9.0\n.target sm_90\n\n.visible .entry copy(\n"
         "\t.param .u64 copy_param_0,\n\t.param .u64 copy_param_1,\n\t.param .u32 copy_param_2\n)\n"
         ".maxntid 32, 1, 1\n{\n\t.reg .pred \t%p<9>;\n" +
         body + "\n}\n\t.file\t1 \"/tmp/copy.cu\"\n";
}

PtxKernel read_one(const std::string& body) {
  std::vector<PtxKernel> kernels = read_ptx(kernel_text(body));
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.empty() ? PtxKernel() : kernels[0];
}

constexpr const char* loop_body = R"(
	ld.param.u64 	%rd1, [copy_param_0];
	.loc	1 10 3
	setp.lt.s32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB0_3;

$L__BB0_2:
	.loc	1 11 5
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1+16];  // four
	.loc	1 10 28
	add.s32 	%r1, %r1, 4;
	setp.ne.s32 	%p2, %r1, 64;
	@%p2 bra 	$L__BB0_2;

$L__BB0_3:
	.loc	1 13 1
	ret;
)";

TEST(Ptx, ReadsInstructionsWithTheirLines) {
  const PtxKernel kernel = read_one(loop_body);
  EXPECT_EQ(kernel.name, "copy");
  EXPECT_THAT(kernel.params, ElementsAre("copy_param_0", "copy_param_1", "copy_param_2"));
  EXPECT_THAT(kernel.param_bytes, ElementsAre(8, 8, 4));
  ASSERT_EQ(kernel.blocks.size(), 3u);
  EXPECT_EQ(kernel.blocks[1].label, "$L__BB0_2");
  const PtxInstruction& load = kernel.blocks[1].instructions[0];
  EXPECT_EQ(load.opcode, "ld.global.nc.v4.f32");
  EXPECT_THAT(load.operands, ElementsAre("{%f1, %f2, %f3, %f4}", "[%rd1+16]"));
  EXPECT_EQ(load.line, 11u);
  const PtxInstruction& branch = kernel.blocks[1].instructions.back();
  EXPECT_EQ(branch.guard, "%p2");
  EXPECT_TRUE(branch.is("bra"));
  EXPECT_FALSE(branch.is("b"));
}

TEST(Ptx, FindsBlocksAndLoops) {
  const PtxKernel kernel = read_one(loop_body);
  EXPECT_THAT(kernel.blocks[0].successors, ElementsAre(2, 1));
  EXPECT_THAT(kernel.blocks[1].successors, ElementsAre(1, 2));
  EXPECT_THAT(kernel.blocks[2].successors, IsEmpty());
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_THAT(kernel.loops[0].blocks, ElementsAre(1));
  EXPECT_EQ(kernel.loops[0].line, 10u);
  EXPECT_EQ(kernel.loop_of(0), -1);
  EXPECT_EQ(kernel.loop_of(1), 0);
}

TEST(Ptx, NestsLoops) {
  const PtxKernel kernel = read_one(R"(
$L_outer:
	mov.u32 	%r1, 0;
$L_inner:
	add.s32 	%r1, %r1, 1;
	@%p1 bra 	$L_inner;
	@!%p2 bra 	$L_outer;
	ret;
)");
  ASSERT_EQ(kernel.loops.size(), 2u);
  EXPECT_THAT(kernel.loops[0].blocks, ElementsAre(0, 1, 2));
  EXPECT_THAT(kernel.loops[1].blocks, ElementsAre(1));
  EXPECT_EQ(kernel.loops[0].parent, -1);
  EXPECT_EQ(kernel.loops[1].parent, 0);
  EXPECT_EQ(kernel.loop_of(1), 1);
  EXPECT_EQ(kernel.loop_of(2), 0);
}

TEST(Ptx, PutsInlinedCodeOnTheLineOfItsCall) {
  const PtxKernel kernel = read_one(R"(
	.loc	1 40 0
	mov.u32 	%r1, 0;
	.loc	1 20 3, function_name $L__info_string0, inlined_at 1 42 5
	mov.u32 	%r2, 0;
	.loc	1 8 3, function_name $L__info_string1, inlined_at 1 20 3
	mov.u32 	%r3, 0;
	.loc	2 99 3
	mov.u32 	%r4, 0;
	ret;
)");
  std::vector<unsigned> lines;
  for (const PtxInstruction& instruction : kernel.blocks[0].instructions)
    lines.push_back(instruction.line);
  EXPECT_THAT(lines, ElementsAre(40, 42, 42, 0, 0));
}

TEST(Ptx, ReadsSeveralKernelsAndSkipsFunctions) {
  const std::string function = ".func helper(\n\t.param .b32 p\n)\n{\n\tret;\n}\n";
  const std::string two = kernel_text("\tret;") + function + kernel_text("\ttrap;\n\texit;");
  const auto kernels = read_ptx(two);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].blocks[0].instructions[0].opcode, "trap");
}

TEST(Ptx, ReadsNothingFromNothing) {
  EXPECT_THAT(read_ptx(""), IsEmpty());
  EXPECT_THAT(read_ptx("no PTX at all\n{ ; } :"), IsEmpty());
}

TEST(Ptx, ReadsBracesWithinAKernel) {
  const PtxKernel kernel = read_one("\t{ .reg .b16 %h;  cvt.rn.f16.f32 %h, %f1;}\n\tret;");
  ASSERT_EQ(kernel.blocks[0].instructions.size(), 2u);
  EXPECT_EQ(kernel.blocks[0].instructions[0].opcode, "cvt.rn.f16.f32");
}

TEST(Ptx, LabelsInBracesAreTheirOwn) {
  const PtxKernel kernel = read_one(R"(
	{ .reg .pred p;
again:
	test.p p, 1;
	@!p bra again; }
	mov.u32 	%r1, 0;
	{ .reg .pred p;
again:
	test.p p, 2;
	@!p bra again; }
	ret;
)");
  ASSERT_EQ(kernel.loops.size(), 2u);
  EXPECT_THAT(kernel.loops[0].blocks, ElementsAre(0));
  EXPECT_THAT(kernel.loops[1].blocks, ElementsAre(2));
}

// ---- Accesses -----------------------------------------------------------------------------------

TEST(PtxAccess, FindsTheParameterAnAddressComesFrom) {
  const auto accesses = accesses_of(read_one(R"(
	ld.param.u64 	%rd1, [copy_param_0];
	ld.param.u64 	%rd2, [copy_param_1];
	ld.param.u32 	%r1, [copy_param_2];
	cvta.to.global.u64 	%rd3, %rd2;
	mul.wide.s32 	%rd4, %r1, 4;
	add.s64 	%rd5, %rd3, %rd4;
	ld.global.f32 	%f1, [%rd5];
	st.global.v2.f32 	[%rd1+8], {%f1, %f1};
	atom.global.add.f32 	%f2, [%rd5], %f1;
	ret;
)"));
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_EQ(accesses[0].kind, PtxAccessKind::load);
  EXPECT_EQ(accesses[0].param, 1);
  EXPECT_EQ(accesses[0].bytes, 4);
  EXPECT_EQ(accesses[1].kind, PtxAccessKind::store);
  EXPECT_EQ(accesses[1].param, 0);
  EXPECT_EQ(accesses[1].width, 2);
  EXPECT_EQ(accesses[2].kind, PtxAccessKind::atomic);
}

/// A load and a store, at any width.
TEST(PtxAccess, FindsBothEndsOfAnAsynchronousCopy) {
  const auto accesses = accesses_of(read_one(R"(
	ld.param.u64 	%rd1, [copy_param_0];
	mov.u64 	%rd2, tile;
	cvt.u32.u64 	%r1, %rd2;
	cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
	cp.async.ca.shared.global [%r1], [%rd1], 4;
	cp.async.commit_group;
	cp.async.wait_group 1;
	ret;
)"));
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[0].kind, PtxAccessKind::load);
  EXPECT_EQ(accesses[0].space, PtxSpace::global);
  EXPECT_EQ(accesses[0].param, 0);
  EXPECT_EQ(accesses[0].width, 4);
  EXPECT_EQ(accesses[1].kind, PtxAccessKind::store);
  EXPECT_EQ(accesses[1].space, PtxSpace::shared);
  EXPECT_EQ(accesses[1].symbol, "tile");
  EXPECT_EQ(accesses[3].width, 1);
}

/// Registers of 32 bits hold the elements.
TEST(PtxAccess, FindsLoadsOfMatrices) {
  const auto accesses = accesses_of(read_one(R"(
	mov.u64 	%rd2, tile;
	cvt.u32.u64 	%r1, %rd2;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
	ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r2, %r3}, [%r1+16];
	stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};
	ret;
)"));
  ASSERT_EQ(accesses.size(), 3u);
  for (const PtxAccess& access : accesses) {
    EXPECT_EQ(access.space, PtxSpace::shared);
    EXPECT_EQ(access.symbol, "tile");
    EXPECT_EQ(access.bytes, 2);
    EXPECT_EQ(access.merged_width, access.width);
  }
  EXPECT_EQ(accesses[0].kind, PtxAccessKind::load);
  EXPECT_EQ(accesses[0].width, 8);
  EXPECT_EQ(accesses[1].width, 4);
  EXPECT_EQ(accesses[2].kind, PtxAccessKind::store);
  EXPECT_EQ(accesses[2].width, 2);
}

TEST(PtxAccess, KnowsNoParameterOfALoadedAddress) {
  const auto accesses = accesses_of(read_one(R"(
	ld.param.u64 	%rd1, [copy_param_0];
	ld.global.u64 	%rd2, [%rd1];
	ld.global.f32 	%f1, [%rd2];
	ret;
)"));
  EXPECT_EQ(accesses[1].param, -1);
}

/// Widths that the assembler makes of loads at these addresses behind `prologue`.
std::vector<int> merged(const std::string& prologue, const std::vector<std::string>& addresses) {
  std::string body = "\tmov.u64 \t%rd1, _ZZ4copyE6A_tile;\n" + prologue;
  for (const std::string& address : addresses)
    body += address == "bar" ? "\tbar.sync \t0;\n" : "\tld.shared.f32 \t%f1, [" + address + "];\n";
  std::vector<int> widths;
  for (const PtxAccess& access : accesses_of(read_one(body + "\tret;"))) {
    EXPECT_EQ(access.symbol, "_ZZ4copyE6A_tile");
    widths.push_back(access.merged_width);
  }
  return widths;
}

TEST(PtxAccess, MergesNeighboursOfAnAlignedAddress) {
  EXPECT_THAT(merged("", {"%rd1", "%rd1+4", "%rd1+8", "%rd1+12"}), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(merged("", {"%rd1+12", "%rd1", "%rd1+8", "%rd1+4"}), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(merged("", {"%rd1+4", "%rd1+8", "%rd1+12"}), ElementsAre(1, 2, 2));
  EXPECT_THAT(merged("", {"%rd1", "%rd1+8", "%rd1+16"}), ElementsAre(1, 1, 1));
}

TEST(PtxAccess, MergesNothingAcrossABarrier) {
  EXPECT_THAT(merged("", {"%rd1", "bar", "%rd1+4"}), ElementsAre(1, 1));
}

TEST(PtxAccess, KnowsTheAlignmentOfRows) {
  const std::string row_of_8 = "\tshl.b32 \t%r2, %r1, 3;\n\tadd.s64 \t%rd2, %rd1, %r2;\n";
  EXPECT_THAT(merged(row_of_8, {"%rd2", "%rd2+4", "%rd2+8", "%rd2+12"}), ElementsAre(2, 2, 2, 2));
  const std::string row_of_33 = "\tmad.lo.s64 \t%rd2, %r1, 132, %rd1;\n";
  EXPECT_THAT(merged(row_of_33, {"%rd2", "%rd2+4"}), ElementsAre(1, 1));
}

TEST(PtxAccess, KnowsAlignmentInLoopsAsFarAsAllTripsHaveIt) {
  const std::string loop = "\tmov.u64 \t%rd2, %rd1;\n$L_1:\n\tadd.s64 \t%rd2, %rd2, 4;\n";
  EXPECT_THAT(merged(loop, {"%rd2", "%rd2+4"}), ElementsAre(1, 1));
}

}  // namespace ptx_test
}  // namespace hone
