"""Bursts of launches of PyTorch, as gpu_bench times them: for the scripts beside this one."""
import argparse
import json
import statistics
import time

import torch

BURST_SECONDS, PAUSE_SECONDS = 2e-3, 20e-3


def set_count(set_bytes):
    """The number of sets of tensors that together are four times the L2 cache; at least two."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    return max(2, -(-4 * l2_bytes // set_bytes))


def random_bf16(*shape):
    """Uniform over [-1, 1)."""
    return (torch.rand(shape, device="cuda") * 2 - 1).bfloat16()


def capture(compute, sets):
    """A graph of launches on the sets in turn."""
    for one in sets:
        compute(*one)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for one in sets:
            compute(*one)
    return graph


def burst(graph, replays):
    """Seconds of so many replays."""
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(replays):
        graph.replay()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) * 1e-3


def measure(graph, samples):
    """Seconds of a replay, sample by sample."""
    burst(graph, 3)
    replays = max(1, round(BURST_SECONDS / (burst(graph, 3) / 3)))
    times = []
    for _ in range(samples):
        time.sleep(PAUSE_SECONDS)
        times.append(burst(graph, replays) / replays)
    return times


def print_rate(size, compute, sets, work, samples, **facts):
    """Prints a JSON line: TFLOPS of launches of so many operations each, as the median and the 10th
    and 90th percentile of the samples."""
    graph = capture(compute, sets)
    rates = [work * len(sets) / seconds / 1e12 for seconds in measure(graph, samples)]
    cuts = statistics.quantiles(rates, n=10, method="inclusive")
    line = {
        "size": size,
        "tflops": [round(rate, 1) for rate in (statistics.median(rates), cuts[0], cuts[-1])],
        **facts,
        "device": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
    }
    print(json.dumps(line), flush=True)


def chosen_samples(description):
    """The option --samples. Ends the program where PyTorch finds no GPU."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--samples", type=int, default=41)
    samples = parser.parse_args().samples
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU")
    return samples
