#!/usr/bin/env python3
"""How fast PyTorch's grouped product is: a reference for the ladder `hgemm-grouped`.

    python3 bench/torch_grouped.py [--samples=N]

Optional: it needs PyTorch with CUDA and a GPU. Prints a JSON line for each shape: the rate in
TFLOPS of torch._grouped_mm of bf16, where groups have random numbers of tiles of 128 rows. Sets of
tensors, bursts and pauses are those of torch_conv.py.
"""
import random

import torch

from torch_burst import chosen_samples, print_rate, random_bf16, set_count

TILE_ROWS = 128
# tiles of rows, groups, N, K
SHAPES = [(128, 64, 2048, 4096), (64, 8, 4096, 4096)]


def ends_of_groups(tiles, groups):
    """The row behind each group, where each tile is of a random group."""
    generator = random.Random(1)
    counts = [0] * groups
    for _ in range(tiles):
        counts[generator.randrange(groups)] += TILE_ROWS
    return torch.tensor(counts).cumsum(0).to(torch.int32).cuda()


def multiply(rows, matrices, ends):
    return torch._grouped_mm(rows, matrices, offs=ends)


def main():
    samples = chosen_samples(__doc__.splitlines()[0])
    for tiles, groups, n, k in SHAPES:
        m = tiles * TILE_ROWS
        ends = ends_of_groups(tiles, groups)
        sets = [
            (random_bf16(m, k), random_bf16(groups, k, n), ends)
            for _ in range(set_count(2 * (m * k + groups * k * n + m * n)))
        ]
        print_rate(f"tiles={tiles} groups={groups} N={n} K={k}", multiply, sets, 2 * m * n * k, samples)
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
