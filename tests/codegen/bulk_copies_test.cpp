// Kernels whose copies the copy engine makes.
#include <gmock/gmock.h>

#include "codegen/contract/launch_contract.h"
#include "codegen/emit/emit.h"
#include "codegen/export/export.h"
#include "codegen/lower.h"
#include "fmt/ranges.h"
#include "ir/text/parser.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace bulk_copies_test {

using testing::HasSubstr;

/// Sums of columns, tiles of 16 rows of 64 bytes, swizzled, of one of two matrices.
const std::string sums = R"(func f[M, K](A: f32[2, M, K], C: f32[32]) where K % 4 == 0 {
  for b in 0..2 @block.x {
    for t in 0..32 @thread.x {
      alloc c: f32[] @registers
      c[] = 0.0
      alloc T: f32[3, 16, 16] @swizzle(4, 4, 2) @shared @align(512)
      for m in 0..M / 16 @roles(2) {
        copy T[m % 3, 0 .. +16, 0 .. +16] <- A[b, m*16 .. +16, 0 .. +16] @bulk @by(producers)
        c[] += T[m % 3, t / 2, t % 16]
      }
      if (b == 0) {
        C[t] = c[]
      }
    }
  }
})";

TEST(BulkCopies, AreAskedForByOneProducer) {
  EXPECT_EQ(lowered_body(sums), R"(alloc m.full: i64[3] @shared(3072)
alloc m.empty: i64[3] @shared(3096)
alloc T: f32[3, 16, 16] @shared(0) @align(512)
let b = block.x
if (thread.x == 0) {
  for slot in 0..3 {
    init_mbarrier m.full[slot] of 1
    init_mbarrier m.empty[slot] of 32
  }
  fence_engine
}
barrier
if (32 <= thread.x) {
  let producer = thread.x - 32
  if (producer == 0) {
    for m.ahead in 0..M / 16 {
      wait_mbarrier m.empty[m.ahead % 3] parity (m.ahead / 3 + 1) % 2
      expect_bytes m.full[m.ahead % 3] of 1024
      copy_bulk T[m.ahead % 3, 0, 0] <- A[b, m.ahead*16, 0] of 1 x 16 x 16 swizzle 64 full m.full[m.ahead % 3]
    }
  }
}
if (thread.x < 32) {
  let t = thread.x
  alloc c: f32[] @registers
  c[] = 0.0
  for m in 0..M / 16 {
    wait_mbarrier m.full[m % 3] parity m / 3 % 2
    c[] += T[m % 3, t / 2, t % 16 ^ (t / 4 % 4)*4]
    arrive_mbarrier m.empty[m % 3]
  }
  if (b == 0) {
    C[t] = c[]
  }
})");
}

TEST(BulkCopies, TakeMapsOfTheirTensors) {
  const Module module = lower(parse_function(sums));
  const std::string cuda = emit_cuda(module.kernels.front());
  EXPECT_THAT(cuda, HasSubstr("int M, int K, const __grid_constant__ TensorMap A_map) {\n"));
  EXPECT_THAT(cuda, HasSubstr("copy_bulk_3d(&T[m_ahead_slot][0][0], &A_map,\n"));
  const LaunchContract contract = launch_contract(module);
  EXPECT_THAT(to_string(contract),
              HasSubstr("  tensor map: A by boxes of 1 x 16 x 16, swizzled in 64 bytes\n"));
  EXPECT_THAT(to_string(contract), HasSubstr("promised: A begins at a multiple of 16 bytes\n"));
  const TensorMap& map = contract.kernels.front().tensor_maps.front();
  EXPECT_EQ(fmt::format("{} / {}", fmt::join(map.extents, ", "), fmt::join(map.strides, ", ")),
            "K, M, 2 / K*4, K*4*M");
}

TEST(BulkCopies, ExportsMakeTheMaps) {
  const Module module = under_name(lower(parse_function(sums)), "sums");
  const LaunchContract contract = launch_contract(module);
  EXPECT_THAT(export_header(contract), HasSubstr("encode(map_0, 4, A, {K.value, M.value, 2LL}, "));
  EXPECT_THAT(export_cuda(module), HasSubstr("void* sums::detail::zeros() {\n"));
  EXPECT_THAT(export_json(contract), HasSubstr("\"swizzle\": 64"));
}

}  // namespace bulk_copies_test
}  // namespace hone
