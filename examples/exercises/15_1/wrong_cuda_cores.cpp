//| not yet: tensor cores have 0 of 262,144 floating point operations at K=64 M=64 N=32; wanted: all products by tensor cores
//| tensorize(row, "mma_m16n8k16_bf16") takes a nest of 16 rows, 8 columns and 16 products, in this order.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, row, column] = s.tile({s.axis("i"), s.axis("j")}, {8, 8}, {.tail = Tail::guard});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(row, thread.y);
  s.bind(column, thread.x);
  s.cache_registers(s.tensor("C"), column);
}
