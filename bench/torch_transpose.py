#!/usr/bin/env python3
"""How fast torch.compile's transpose is: a reference for the ladder `transpose` of gpu_bench.

    python3 bench/torch_transpose.py [--samples=N]

Optional: it needs PyTorch with CUDA and a GPU. Prints a JSON line for each size: the median rate in
GB/s, each byte read once and written once, of the compiled transpose, of PyTorch's own, and of a
copy. Samples are timed with events and taken in turn, one of each kind a round. Each goes through
sets of tensors that together are larger than the L2 cache, so that it finds none of its data there.
"""
import argparse
import json
import statistics

import torch

SIZES = [(4096, 4096), (16384, 8192), (16384, 16384)]


def transpose(a, out):
    out.copy_(a.t())


def copy(a, out):
    out.view(-1).copy_(a.view(-1))


def tensor_sets(rows, columns):
    """Pairs of a matrix and room for its transpose, four times the L2 cache, at least two."""
    bytes_of_set = 2 * 4 * rows * columns
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, -(-4 * l2_bytes // bytes_of_set))
    return [
        (
            torch.rand(rows, columns, device="cuda") * 2 - 1,
            torch.empty(columns, rows, device="cuda"),
        )
        for _ in range(count)
    ]


def sample(function, sets, first, launches):
    """Two events around launches on the sets in turn."""
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    start.record()
    for n in range(launches):
        function(*sets[(first + n) % len(sets)])
    stop.record()
    return start, stop


def check(function, a, out):
    out.fill_(float("nan"))
    function(a, out)
    if not torch.equal(out, a.t()):
        raise SystemExit("the transpose is wrong")


def measure(kinds, sets, samples):
    """Milliseconds of a launch for each kind, the median of the samples."""
    launches = 2 * len(sets)  # long enough for the host to stay ahead
    for function in kinds.values():
        sample(function, sets, 0, 3 * launches)
    events = {name: [] for name in kinds}
    for _ in range(samples):
        for name, function in kinds.items():
            events[name].append(sample(function, sets, 0, launches))
    torch.cuda.synchronize()
    return {
        name: statistics.median(start.elapsed_time(stop) / launches for start, stop in pairs)
        for name, pairs in events.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=21)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU")

    kinds = {
        # One kernel for each shape: sizes as constants, like the generated code that is compared.
        "torch_compile": torch.compile(transpose, dynamic=False),
        "torch": transpose,
        "copy": copy,
    }
    for rows, columns in SIZES:
        sets = tensor_sets(rows, columns)
        check(kinds["torch_compile"], *sets[0])
        times = measure(kinds, sets, arguments.samples)
        rates = {name: 8 * rows * columns / ms / 1e6 for name, ms in times.items()}
        line = {
            "size": f"{rows}x{columns}",
            "device": torch.cuda.get_device_name(0),
            "torch": torch.__version__,
            **{f"{name}_gb_per_second": round(rate, 1) for name, rate in rates.items()},
            "share_of_copy": round(rates["torch_compile"] / rates["copy"], 4),
        }
        print(json.dumps(line), flush=True)
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
