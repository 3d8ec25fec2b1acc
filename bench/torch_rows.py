#!/usr/bin/env python3
"""Kernels of the ladders `softmax` and `layernorm` against torch.compile, in one process.

    gpu_bench --compile-only --rung=softmax --rung=layernorm --emit=FOLDER [--handwritten]
    python3 bench/torch_rows.py FOLDER [--samples=N] [--rung=NAME]...

Optional: it needs PyTorch with CUDA and a GPU of the architecture that gpu_bench compiled for.
Prints a JSON line for each kernel: its rate and torch.compile's in GB/s, each byte of a matrix read
once and written once, and how much faster it is, round by round: median, 10th and 90th percentile.

All of them run on the same tensors, whose results are compared with double precision. What is timed
are CUDA graphs, as the host is slower than a kernel over short rows. A graph goes through sets of
tensors that together are larger than the L2 cache; a round has a sample of each kind, in random
order.
"""
import argparse
import ctypes
import json
import pathlib
import random
import statistics

import torch

DRIVER = ctypes.CDLL("libcuda.so.1")
ARRAYS = {"softmax": ["X", "Y"], "layernorm": ["X", "gamma", "beta", "Y"]}


def check_driver(result, call):
    if result:
        raise SystemExit(f"{call} failed with error {result}")


class Kernel:
    """A rung as gpu_bench --emit wrote it: launches in order, and their temporaries."""

    def __init__(self, manifest):
        text = json.loads(manifest.read_text())
        self.name = f"{text['side']} {text['ladder']}/{text['rung']}"
        self.ladder, self.rung, self.sizes = text["ladder"], text["rung"], text["sizes"]
        self.launches = text["launches"]
        self.temporaries = {
            tensor["name"]: torch.zeros(tensor["elements"], device="cuda")
            for tensor in text["temporaries"]
        }
        self.functions = [self.load(manifest.parent, launch) for launch in self.launches]

    @staticmethod
    def load(folder, launch):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        image = (folder / launch["module"]).read_bytes()
        check_driver(DRIVER.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
        name = launch["kernel"].encode()
        result = DRIVER.cuModuleGetFunction(ctypes.byref(function), module, name)
        check_driver(result, "cuModuleGetFunction")
        shared_bytes = launch["shared_bytes"]
        if shared_bytes:
            most_dynamic_shared_bytes = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            result = DRIVER.cuFuncSetAttribute(function, most_dynamic_shared_bytes, shared_bytes)
            check_driver(result, "cuFuncSetAttribute")
        return function

    def __call__(self, tensors):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        for function, launch in zip(self.functions, self.launches):
            pointers = [(self.temporaries | tensors)[name] for name in launch["tensors"]]
            values = [ctypes.c_void_p(tensor.data_ptr()) for tensor in pointers]
            # Little-endian: an int parameter reads the low half.
            values += [ctypes.c_int64(self.sizes[name]) for name in launch["params"]]
            addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
            shape = [*launch["grid"], *launch["block"], launch["shared_bytes"]]
            result = DRIVER.cuLaunchKernel(function, *shape, stream, addresses, None)
            check_driver(result, f"cuLaunchKernel of {launch['kernel']}")


def softmax(X, Y):
    Y.copy_(torch.softmax(X, -1))


def layernorm(X, gamma, beta, Y):
    Y.copy_(torch.nn.functional.layer_norm(X, X.shape[-1:], gamma, beta, 1e-5))


def torch_compile(ladder):
    # One kernel for each shape: sizes as constants.
    compiled = torch.compile({"softmax": softmax, "layernorm": layernorm}[ladder], dynamic=False)
    return lambda tensors: compiled(*(tensors[name] for name in ARRAYS[ladder]))


def tensor_sets(ladder, rows, columns):
    """Inputs between -1 and 1 and room for the result, four times the L2 cache, at least two."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, -(-4 * l2_bytes // (2 * 4 * rows * columns)))
    shapes = {"X": (rows, columns), "Y": (rows, columns)}
    make = lambda name: torch.rand(shapes.get(name, (columns,)), device="cuda") * 2 - 1
    return [{name: make(name) for name in ARRAYS[ladder]} for _ in range(count)]


def error(ladder, tensors, run):
    """The relative error of some rows from double precision; NaN where one was not written."""
    tensors["Y"].fill_(float("nan"))
    run(tensors)
    rows = tensors["X"].shape[0]
    some = torch.tensor(sorted({0, rows - 1, *random.sample(range(rows), 62)}), device="cuda")
    double = {
        name: (tensor[some] if name in "XY" else tensor).double()
        for name, tensor in tensors.items()
    }
    exact = dict(double, Y=torch.empty_like(double["X"]))
    {"softmax": softmax, "layernorm": layernorm}[ladder](*(exact[n] for n in ARRAYS[ladder]))
    return ((double["Y"] - exact["Y"]).norm() / exact["Y"].norm()).item()


def capture(run, sets):
    """A graph of launches on the sets in turn, and how many they are."""
    launches = 2 * len(sets)
    for tensors in sets:
        run(tensors)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for n in range(launches):
            run(sets[n % len(sets)])
    return graph, launches


def sample(graph):
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    start.record()
    graph.replay()
    stop.record()
    return start, stop


def measure(graphs, samples):
    """Milliseconds of a launch for each kind, round by round."""
    for graph, _ in graphs.values():
        for _ in range(3):
            graph.replay()
    events = {name: [] for name in graphs}
    for _ in range(samples):
        for name in random.sample(list(graphs), len(graphs)):
            events[name].append(sample(graphs[name][0]))
    torch.cuda.synchronize()
    return {
        name: [start.elapsed_time(stop) / graphs[name][1] for start, stop in pairs]
        for name, pairs in events.items()
    }


def quantiles(values):
    cuts = statistics.quantiles(values, n=10, method="inclusive")
    return [round(value, 4) for value in (statistics.median(values), cuts[0], cuts[-1])]


def compare(ladder, rows, columns, kernels, samples):
    sets = tensor_sets(ladder, rows, columns)
    runs = {"torch": torch_compile(ladder), **{kernel.name: kernel for kernel in kernels}}
    errors = {name: error(ladder, sets[0], run) for name, run in runs.items()}
    times = measure({name: capture(run, sets) for name, run in runs.items()}, samples)
    rate = lambda name: round(8 * rows * columns / statistics.median(times[name]) / 1e6, 1)
    for kernel in kernels:
        ratios = [theirs / ours for theirs, ours in zip(times["torch"], times[kernel.name])]
        line = {
            "kernel": kernel.name,
            "size": f"{rows}x{columns}",
            "gb_per_second": rate(kernel.name),
            "torch_compile_gb_per_second": rate("torch"),
            "faster": quantiles(ratios),
            "right": errors[kernel.name] <= 1e-5,
            "error": float(f"{errors[kernel.name]:.1e}"),
            "torch_error": float(f"{errors['torch']:.1e}"),
            "device": torch.cuda.get_device_name(0),
            "torch": torch.__version__,
        }
        print(json.dumps(line), flush=True)
    return all(errors[kernel.name] <= 1e-5 for kernel in kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=41)
    parser.add_argument("--rung", action="append", help="vectorized; default: all")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU")
    torch.zeros(1, device="cuda")  # makes the context that kernels are loaded in

    problems = {}
    for manifest in sorted(arguments.folder.glob("*.json")):
        text = json.loads(manifest.read_text())
        if text["ladder"] not in ARRAYS or text["rung"] not in (arguments.rung or [text["rung"]]):
            continue
        problem = (text["ladder"], text["sizes"]["M"], text["sizes"]["N"])
        problems.setdefault(problem, []).append(manifest)
    if not problems:
        raise SystemExit(f"{arguments.folder} has no kernels of softmax or layernorm")
    all_right = True
    for (ladder, rows, columns), manifests in sorted(problems.items()):
        kernels = [Kernel(manifest) for manifest in manifests]
        all_right &= compare(ladder, rows, columns, kernels, arguments.samples)
        torch.cuda.empty_cache()
    raise SystemExit(0 if all_right else 1)


if __name__ == "__main__":
    main()
