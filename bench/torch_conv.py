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
import torch

from torch_burst import chosen_samples, print_rate, random_bf16, set_count

# N, H, W, C, O
SHAPES = [(32, 56, 56, 64, 64), (32, 28, 28, 128, 256)]


def convolve(image, weights):
    return torch.nn.functional.conv2d(image, weights, padding=1)


def tensor_sets(n, h, w, c, o):
    """Images and weights, in sets that together are four times the L2 cache."""
    last = torch.channels_last
    return [
        (
            random_bf16(n, c, h, w).to(memory_format=last),
            random_bf16(o, c, 3, 3).to(memory_format=last),
        )
        for _ in range(set_count(2 * n * h * w * (c + o)))
    ]


def error(image, weights):
    """The relative error of the first image from double precision."""
    exact = convolve(image[:1].double(), weights.double())
    return ((convolve(image, weights)[:1].double() - exact).norm() / exact.norm()).item()


def main():
    samples = chosen_samples(__doc__.splitlines()[0])
    torch.backends.cudnn.benchmark = True
    for n, h, w, c, o in SHAPES:
        sets = tensor_sets(n, h, w, c, o)
        print_rate(
            f"N={n} H={h} W={w} C={c} O={o}",
            convolve,
            sets,
            2 * 9 * n * h * w * c * o,
            samples,
            error=float(f"{error(*sets[0]):.1e}"),
            cudnn=torch.backends.cudnn.version(),
        )
        del sets
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
