#include "examples/ladders/problems.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

struct ProblemText {
  const char *ladder, *text;
};

constexpr ProblemText problems[] = {
    {"matmul",
     "Each element of A and of B is used thousands of times: there is far more arithmetic than "
     "data. The rungs bring operands nearer to the arithmetic: to shared memory, to registers, "
     "and ahead of their use."},
    {"matmul-column-major",
     "The matrices lie as Fortran and BLAS have them: neighbours in memory are neighbours in a "
     "column. The schedules are those of matmul, with threads side by side along the other "
     "axis."},
    {"matmul-pitched",
     "Rows start a pitch apart, which may be longer than a row, as cudaMallocPitch allocates "
     "them, and as the rows of parts of larger matrices lie. Kernels must leave the gaps as "
     "they are, and vectors have to fit the pitch."},
    {"matmul-pitched-columns",
     "Columns start a pitch apart, as the leading dimensions of BLAS say. Kernels must leave "
     "the gaps as they are, and vectors have to fit the pitch."},
    {"matmul-transposed",
     "Both operands come transposed. Neighbouring columns of C are rows of B, so threads side "
     "by side read elements of B that lie K apart: many sectors in global memory, and one bank "
     "in shared memory, unless a tile is padded."},
    {"matmul-double",
     "The product of matmul in double precision. Elements take twice the room in registers and "
     "in shared memory, and the GPU has fewer units for them, so other tiles are fastest."},
    {"gemm",
     "BLAS adds to what C holds: each sum is scaled, and added to a scaled element of C. This "
     "reads C once, and costs little if the sums are in registers when it happens."},
    {"hgemm",
     "Tensor cores multiply matrices of bf16 more than ten times as fast as CUDA cores "
     "multiply floats, and threads cannot load operands that fast. The rungs lead from "
     "instructions of a warp to those of a warpgroup, which read shared memory by themselves, "
     "and from copies that threads make to boxes that the copy engine moves."},
    {"hgemm-nt",
     "B comes transposed, as weights of layers often do: the rows of both operands run along "
     "k. Tensor cores read such a tile of B as well as one of hgemm."},
    {"hgemm-f16",
     "The product of hgemm in the other type of 16 bits, which has more digits and a smaller "
     "range."},
    {"hgemm-batched",
     "A product of 512 is too small for a GPU: it has a few tiles, each of which is done after "
     "eight steps. Many of them are one launch, in which the end of one product overlaps with "
     "the start of the next."},
    {"hgemm-grouped",
     "The rows of A belong to groups, and each group has a matrix of its own: so the experts "
     "of a language model multiply the tokens that were sent to them. It is not known before the "
     "launch how many rows a group will have. One launch for each group leaves most of the GPU "
     "idle; here, groups are padded to whole tiles of 128 rows, and a table says which group a "
     "tile is of."},
    {"gemm-bias-gelu",
     "A layer adds a bias to each column of a product, and applies an activation function to "
     "each element. A separate kernel would read and write all results once more. In "
     "registers, where the sums are, both cost a few instructions for each element, which have "
     "to find a place beside the products."},
    {"igemm-s8",
     "Products of int8 have exact sums of int32. Operands take half the bytes of bf16, and "
     "results four bytes each, so stores count for more."},
    {"gemm-tf32",
     "Tensor cores multiply floats as tf32, without 13 of their 23 bits of fraction. Operands "
     "stay floats on their way, so a tile of the same bytes has half the elements of one of "
     "bf16."},
    {"gemm-fp8",
     "Floats of 8 bits halve the bytes of operands once more, and double the rate of tensor "
     "cores. They have three bits of fraction and a small range, so each operand has a scale, "
     "by which the sums are multiplied at the end."},
    {"gemm-fp8-blocks",
     "One scale for a whole matrix leaves its small values few digits. Here each 128 elements "
     "along k have scales of their own, so the sums of a block have to be scaled before they "
     "are added to those of the others. CUDA cores do that while tensor cores multiply the "
     "next block."},
    {"combine",
     "Each element is read once and written once, with a few operations in between, so memory "
     "alone bounds the speed. The rungs differ in the bytes that a request moves, and in the "
     "arithmetic of indices."},
    {"transpose",
     "Each element is read once and written once, so memory alone bounds the speed. Neighbours "
     "in a row of A lie a column apart in B: one side or the other is not coalesced, unless a "
     "tile in shared memory turns them around."},
    {"stencil",
     "A result has nine operands, and an element is an operand of nine results. Memory "
     "delivers it once if caches, shared memory or registers keep it for all of them; the "
     "rungs differ in how many loads that takes."},
    {"convolution",
     "Each output is a sum over nine neighbours in all channels of the input. Weights are used "
     "by all pixels, and pixels by all channels of the output: there is as much to use again "
     "as in a product of matrices."},
    {"conv2d-nhwc",
     "With channels side by side, a convolution is a product of matrices, and tensor cores can "
     "compute it. Its left matrix would have nine copies of each pixel; the rungs never make "
     "it."},
    {"reduce",
     "Each element is read once, so memory bounds the speed. But the sums of threads have to "
     "meet, within a warp, within a block and among blocks, and each way costs barriers, idle "
     "lanes or atomic updates."},
    {"argmax",
     "A value and its index travel together, as one element of 8 bytes. The first one of equal "
     "values counts, in whatever order threads combine what they have."},
    {"softmax",
     "A row needs its maximum and the sum of its exponentials before any of its elements can "
     "be written. A kernel that reads it three times moves twice the bytes of one that keeps "
     "it in registers or in shared memory."},
    {"layernorm",
     "A row needs its mean and its variance before any of its elements can be written. As with "
     "softmax, the question is how often it travels from memory."},
    {"rowsum",
     "Terms of a sum are neighbours in memory. A thread for each row reads far apart from its "
     "neighbours; the threads of a warp or of a block read side by side, and have to combine "
     "what they have."},
    {"colsum",
     "Terms of a sum lie a row apart. Threads side by side take neighbouring columns, and read "
     "side by side; but there are too few columns to keep a GPU busy, unless several blocks "
     "share them."},
    {"dot",
     "Two vectors are read once, and one number is left. The rungs are those of reduce that "
     "are left when two loads come with each addition."},
    {"matvec",
     "Each element of the matrix is used once, so memory bounds the speed. The vector is used "
     "by all rows, and stays in the caches."},
    {"histogram",
     "The data decide where a value counts, so threads meet at few places. Atomic updates of "
     "one place wait for each other; counts of each block in shared memory keep blocks apart."},
    {"batched",
     "A product of 256 does not fill a GPU. Many of them are one launch, with a layer of the "
     "grid each."},
};

}  // namespace

void state_problems(std::vector<Ladder>& ladders) {
  for (const ProblemText& problem : problems) {
    const auto ladder =
        llvm::find_if(ladders, [&](const Ladder& one) { return one.name == problem.ladder; });
    if (ladder == ladders.end()) throw RuntimeError("there is no ladder {}", problem.ladder);
    ladder->problem = problem.text;
  }
}

}  // namespace hone
