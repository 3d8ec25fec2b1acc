// mov, and what holds of all operations: lanes that take no part keep their values.
#include <random>

#include "tests/ptx/operations/operation_lanes.h"

namespace hone::ptx {
namespace move_test {

Operand parts_of(std::initializer_list<uint32_t> registers) {
  Operand operand = {.kind = Operand::Kind::vector};
  for (const uint32_t number : registers) operand.parts.push_back(register_operand(number));
  return operand;
}

/// mov d, {parts}, or mov {parts}, a.
Operation move_of(llvm::StringRef name, size_t parts, bool packs) {
  Instruction instruction = instruction_of(name, 2);
  Operand& operand = instruction.operands[packs ? 1 : 0];
  operand = {.kind = Operand::Kind::vector, .parts = std::vector<Operand>(parts)};
  return find_operation(instruction);
}

TEST(PtxMoves, OfAllSizes) {
  const auto same = [](auto a) { return a; };
  expect_results("mov.u16", same, critical_integers<uint16_t>());
  expect_results("mov.f32", same, critical_integers<uint32_t>());
  expect_results("mov.b64", same, critical_integers<uint64_t>());
  EXPECT_EQ(known_operation("mov.b128", 2).types[0], Type::b128);
  OperationLanes registers;
  registers.values<uint64_t>(1)[2 * 31 + 1] = 77;
  registers.run(known_operation("mov.b128", 2));
  EXPECT_EQ(registers.values<uint64_t>(0)[2 * 31 + 1], 77u);
}

TEST(PtxMoves, PackParts) {
  OperationLanes registers;
  for (uint32_t n = 1; n <= 4; ++n) {
    registers.values<uint16_t>(static_cast<int>(n))[7] = static_cast<uint16_t>(0x1110 * n + n);
    const Operation operation = move_of("mov.b64", 4, true);
    EXPECT_EQ(operation.types, (llvm::SmallVector<Type, 6>{Type::b64, Type::b16}));
    registers.run(operation);
  }
  EXPECT_EQ(registers.values<uint64_t>(0)[7], 0x4444333322221111u);
  registers.run(move_of("mov.b32", 2, true));
  EXPECT_EQ(registers.values<uint32_t>(0)[7], 0x22221111u);
  registers.run(move_of("mov.b32", 4, true));
  EXPECT_EQ(registers.values<uint32_t>(0)[7], 0x44332211u);
}

TEST(PtxMoves, UnpackParts) {
  OperationLanes registers;
  registers.values<uint64_t>(1)[9] = 0x8877665544332211;
  const Operation operation = move_of("mov.b64", 2, false);
  EXPECT_EQ(operation.types, (llvm::SmallVector<Type, 6>{Type::b32, Type::b64}));
  registers.run(operation);
  EXPECT_EQ(registers.values<uint32_t>(0)[9], 0x44332211u);
  EXPECT_EQ(registers.values<uint32_t>(2)[9], 0x88776655u);
  registers.run(move_of("mov.b64", 4, false));
  EXPECT_EQ(registers.values<uint16_t>(0)[9], 0x2211);
  EXPECT_EQ(registers.values<uint16_t>(2)[9], 0x4433);
  EXPECT_EQ(registers.values<uint16_t>(4)[9], 0x8877);
}

TEST(PtxMoves, UnpackWithoutSomeParts) {
  OperationLanes registers;
  registers.values<uint32_t>(1)[0] = 0x44332211;
  Op op = OperationLanes::op_of(move_of("mov.b32", 2, false));
  op.destination = {};
  op.execute(registers.warp, op);
  EXPECT_EQ(registers.values<uint16_t>(0)[0], 0);
  EXPECT_EQ(registers.values<uint16_t>(2)[0], 0x4433);
}

TEST(PtxMoves, WhatIsNotKnown) {
  EXPECT_EQ(move_of("mov.b32", 3, true).problem, "mov.b32: 3 parts is not known");
  EXPECT_EQ(problem_of("mov.f16x2", 2), "mov.f16x2: .f16x2 is not known");
}

// ---- All operations -----------------------------------------------------------------------------

/// A form of each kind, and its operands.
const std::vector<std::pair<const char*, size_t>> forms = {{"add.s32", 3},
                                                           {"add.u16", 3},
                                                           {"sub.s64", 3},
                                                           {"add.sat.s32", 3},
                                                           {"add.s16x2", 3},
                                                           {"mul.lo.u32", 3},
                                                           {"mul.hi.s64", 3},
                                                           {"mul.wide.u16", 3},
                                                           {"mul.wide.s32", 3},
                                                           {"mad.lo.s32", 4},
                                                           {"mad.wide.u32", 4},
                                                           {"mad24.lo.u32", 4},
                                                           {"div.s32", 3},
                                                           {"rem.u64", 3},
                                                           {"abs.s32", 2},
                                                           {"neg.s16", 2},
                                                           {"min.u32", 3},
                                                           {"max.s16x2.relu", 3},
                                                           {"sad.u32", 4},
                                                           {"add.cc.u32", 3},
                                                           {"addc.cc.u64", 3},
                                                           {"madc.hi.cc.s32", 4},
                                                           {"and.b32", 3},
                                                           {"and.pred", 3},
                                                           {"not.b64", 2},
                                                           {"cnot.b16", 2},
                                                           {"shl.b32", 3},
                                                           {"shr.s64", 3},
                                                           {"shf.l.wrap.b32", 4},
                                                           {"prmt.b32", 4},
                                                           {"prmt.b32.rc8", 4},
                                                           {"popc.b64", 2},
                                                           {"clz.b32", 2},
                                                           {"bfind.s32", 2},
                                                           {"brev.b32", 2},
                                                           {"bfe.s32", 4},
                                                           {"bfi.b64", 5},
                                                           {"fns.b32", 4},
                                                           {"bmsk.clamp.b32", 3},
                                                           {"szext.wrap.s32", 3},
                                                           {"dp4a.s32.u32", 4},
                                                           {"dp2a.hi.u32.u32", 4},
                                                           {"add.f32", 3},
                                                           {"fma.rz.ftz.sat.f32", 4},
                                                           {"div.rp.f64", 3},
                                                           {"sqrt.rn.f32", 2},
                                                           {"fma.rn.f32x2", 4},
                                                           {"fma.rn.f32.f16", 4},
                                                           {"rcp.approx.f32", 2},
                                                           {"sin.approx.ftz.f32", 2},
                                                           {"rsqrt.approx.f64", 2},
                                                           {"ex2.approx.f16x2", 2},
                                                           {"tanh.approx.bf16", 2},
                                                           {"fma.rn.f16", 4},
                                                           {"add.bf16x2", 3},
                                                           {"abs.f16x2", 2},
                                                           {"neg.f64", 2},
                                                           {"copysign.f32", 3},
                                                           {"max.NaN.f32", 3},
                                                           {"min.f32", 4},
                                                           {"testp.normal.f32", 2},
                                                           {"setp.lt.s32", 3},
                                                           {"setp.gtu.xor.f64", 4},
                                                           {"setp.eq.f16x2", 3},
                                                           {"set.eq.u32.f32", 3},
                                                           {"set.lt.f16.f16", 3},
                                                           {"set.ne.bf16x2.bf16x2", 3},
                                                           {"selp.b32", 4},
                                                           {"slct.b64.f32", 4},
                                                           {"cvt.u64.u32", 2},
                                                           {"cvt.rzi.s32.f32", 2},
                                                           {"cvt.rp.f16.f64", 2},
                                                           {"cvt.sat.u8.s32", 2},
                                                           {"cvt.rn.bf16x2.f32", 3},
                                                           {"cvt.rn.satfinite.e4m3x2.f32", 3},
                                                           {"cvt.rn.f16x2.e5m2x2", 2},
                                                           {"cvt.pack.sat.s16.s32", 3},
                                                           {"mov.b16", 2},
                                                           {"mov.b128", 2},
                                                           {"mov.pred", 2}};

/// The bytes of the destination that may change: those of the active lanes.
void expect_kept(const Operation& operation, const char* name, LaneMask active) {
  OperationLanes registers;
  std::mt19937 random(active);
  for (std::byte& byte : registers.bytes()) byte = static_cast<std::byte>(random());
  const std::vector<std::byte> before = registers.bytes();
  registers.warp.active = active;
  registers.run(operation);
  const Type type = operation.types[0];
  const bool is_predicate = type == Type::pred;
  const int size = std::max(bytes_of(type), 2), used = size * lanes;
  if (is_predicate) {
    LaneMask old = 0;
    std::memcpy(&old, before.data(), sizeof old);
    EXPECT_EQ(old & ~active, registers.mask(0) & ~active) << name;
  }
  for (int at = is_predicate ? 4 : 0; at < static_cast<int>(OperationLanes::stride); ++at) {
    const bool may_change = !is_predicate && at < used && (active >> at / size & 1) != 0;
    ASSERT_TRUE(may_change || before[at] == registers.bytes()[at]) << name << " byte " << at;
  }
  const bool writes_more = operation.has_carry || is_predicate;  // the flag, or q
  const size_t end = writes_more ? 4 * OperationLanes::stride : before.size();
  EXPECT_TRUE(std::equal(before.begin() + OperationLanes::stride, before.begin() + end,
                         registers.bytes().begin() + OperationLanes::stride))
      << name;
}

TEST(PtxOperations, KeepTheValuesOfOtherLanes) {
  for (const auto& [name, operands] : forms) {
    const Operation operation = known_operation(name, operands);
    ASSERT_EQ(operation.problem, "");
    for (const LaneMask active : {0u, 1u, 0x80000000u, 0x0f0ff0f1u, all_lanes})
      expect_kept(operation, name, active);
  }
}

TEST(PtxOperations, HaveATypeForEachOperand) {
  for (const auto& [name, operands] : forms)
    EXPECT_EQ(known_operation(name, operands).types.size(), operands) << name;
}

/// A destination that is also a source.
TEST(PtxOperations, MayWriteTheirOperands) {
  Op op = OperationLanes::op_of(known_operation("mul.wide.u32", 3));
  OperationLanes registers;
  for (int lane = 0; lane < lanes; ++lane)
    registers.values<uint32_t>(1)[lane] = registers.values<uint32_t>(2)[lane] = lane + 1u;
  op.destination = op.sources[0];
  op.execute(registers.warp, op);
  for (int lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(registers.values<uint64_t>(1)[lane], (lane + 1u) * (lane + 1u));
}

}  // namespace move_test
}  // namespace hone::ptx
