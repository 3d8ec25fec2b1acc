// Schedules whose loops go over lanes and warps.
#pragma once

#include "dsl/schedule.h"

namespace hone {

struct LaneMap {
  Program program;
  Schedule schedule;
};

/// C = A * B, for M, N and K. A tile of 64 x 256 for four warps, each of 32 x 128 elements: lane /
/// 8 is the row, lane % 8 the column of four neighbours, and a thread has 8 x 16 of them.
LaneMap product_by_lanes();

/// Y = (X - the largest of the row) / 2, for rows R of 8 elements. The distribution is that of the
/// accumulators of mma.m16n8k16: the element (r, c) of 16 x 8 is with lane r % 8 * 4 + c / 2, and
/// there the register r / 8 * 2 + c % 2.
LaneMap fragment_by_lanes();

/// The sums of the rows of A, of M x N: eight lanes for each row, which are neighbours, or stand
/// four apart.
LaneMap sums_by_lanes(const Combine& combine, bool are_neighbours);

}  // namespace hone
