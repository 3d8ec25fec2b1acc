#include "ir/schedule/shared.h"

#include "fmt/format.h"
#include "ir/layout.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// What the newest architectures give to one block.
constexpr int64_t max_shared_bytes = 232448;

/// The largest number where there is no such number.
int64_t bytes_of(const TensorNode& tile) {
  int64_t bytes = size_of(tile.type);
  for (const Expr& extent : storage_shape(tile))
    if (llvm::MulOverflow(bytes, *as_int(extent), bytes)) return INT64_MAX;
  return bytes;
}

}  // namespace

void check_shared_tile(const Preconditions& check, const StmtNode* culprit, const TensorNode& tile,
                       const std::string& what, const std::string& note) {
  if (tile.layout.row_pitch.defined())
    check.refuse(culprit, fmt::format("{} has a pitch of its own", tile.name),
                 "say pad: the elements between the rows");
  if (const auto problem = layout_problem(tile))
    check.refuse(culprit, fmt::format("the layout of {}: {}", tile.name, *problem));
  const int64_t bytes = bytes_of(tile);
  if (bytes > max_shared_bytes)
    check.refuse(
        culprit,
        fmt::format("{} takes {} bytes of shared memory, and no architecture gives a block "
                    "more than {}",
                    what, bytes, max_shared_bytes),
        note);
}

}  // namespace hone
