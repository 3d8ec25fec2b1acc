#!/usr/bin/env python3
"""How fast PyTorch's conv2d is, which cuDNN computes: a reference for the ladder `conv2d-nhwc`.

    python3 bench/torch_conv.py [--samples=N]

Optional: it needs PyTorch with CUDA and a GPU. Prints a JSON line for each shape: the rate in
TFLOPS of a 3 x 3 convolution of bf16 with a margin of one zero, channels last, as the median and
the 10th and 90th percentile of the samples. A sample is a burst of launches of a CUDA graph, of two
milliseconds as in gpu_bench, after a pause, so that the power limit of the GPU does not lower its
clock. The graph goes through sets of tensors that together are larger than the L2 cache. cuDNN
chooses the algorithm by its own measurement.
"""
import argparse
import json
import statistics
import time

import torch

# N, H, W, C, O
SHAPES = [(32, 56, 56, 64, 64), (32, 28, 28, 128, 256)]
BURST_SECONDS, PAUSE_SECONDS = 2e-3, 20e-3


def convolve(image, weights):
    return torch.nn.functional.conv2d(image, weights, padding=1)


def tensor_sets(n, h, w, c, o):
    """Images and weights, four times the L2 cache, at least two."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, -(-4 * l2_bytes // (2 * n * h * w * (c + o))))
    last = torch.channels_last
    make = lambda *shape: (torch.rand(shape, device="cuda") * 2 - 1).bfloat16()
    return [
        (make(n, c, h, w).to(memory_format=last), make(o, c, 3, 3).to(memory_format=last))
        for _ in range(count)
    ]


def error(image, weights):
    """The relative error of the first image from double precision."""
    exact = convolve(image[:1].double(), weights.double())
    return ((convolve(image, weights)[:1].double() - exact).norm() / exact.norm()).item()


def capture(sets):
    """A graph of launches on the sets in turn, and how many they are."""
    for image, weights in sets:
        convolve(image, weights)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for image, weights in sets:
            convolve(image, weights)
    return graph, len(sets)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=41)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU")
    torch.backends.cudnn.benchmark = True

    for n, h, w, c, o in SHAPES:
        sets = tensor_sets(n, h, w, c, o)
        graph, launches = capture(sets)
        work = 2 * 9 * n * h * w * c * o * launches
        rates = [work / seconds / 1e12 for seconds in measure(graph, arguments.samples)]
        cuts = statistics.quantiles(rates, n=10, method="inclusive")
        line = {
            "size": f"N={n} H={h} W={w} C={c} O={o}",
            "tflops": [round(rate, 1) for rate in (statistics.median(rates), cuts[0], cuts[-1])],
            "error": float(f"{error(*sets[0]):.1e}"),
            "device": torch.cuda.get_device_name(0),
            "torch": torch.__version__,
            "cudnn": torch.backends.cudnn.version(),
        }
        print(json.dumps(line), flush=True)
        del graph, sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
