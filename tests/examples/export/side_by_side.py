"""Three exports called from PyTorch: scripts/check-exports compares with `hone run`, bit for bit.

`side_by_side.py inputs` writes the inputs as .npy files of the current folder, `side_by_side.py`
launches the exports on a stream and compares.
"""

import sys

import numpy as np

M, N, K, n, m = 301, 257, 129, 1000004, 100003


def write_inputs():
    random = np.random.default_rng(7)
    for name, shape in (("A", (M, K)), ("B", (K, N)), ("V", n), ("W", m)):
        np.save(f"{name}.npy", random.standard_normal(shape, dtype=np.float32))


def is_refused(call):
    try:
        call()
    except Exception as error:
        print(f"refused: {type(error).__name__}: {error}")
        return True
    print("refused: NOT, it was launched")
    return False


def is_same(name, found, path):
    same = found.cpu().numpy().tobytes() == np.load(path).tobytes()
    print(f"torch: {name}: {'bit for bit that of' if same else 'DIFFERS from'} hone run, "
          f"shape {tuple(found.shape)}")
    return same


def launch_and_compare():
    import torch
    import product, total, tree

    A, B, V, W = (torch.from_numpy(np.load(f"{name}.npy")).cuda() for name in "ABVW")
    C, S, T = (torch.full(shape, float("nan"), device="cuda") for shape in ((M, N), (), ()))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            product.launch(A, B, C)
            total.launch(V, S)
            tree.launch(W, T)
    stream.synchronize()
    results = [is_same("product", C, "C.npy"), is_same("total", S, "S.npy"), is_same("tree", T, "T.npy")]
    print(f"largest error against torch, in double precision: {(C - A.double() @ B.double()).abs().max().item():.2e}")
    results += [is_refused(lambda: total.launch(V[1:-3], S)), is_refused(lambda: total.launch(V[:-1], S)),
                is_refused(lambda: product.launch(A, B.t(), C)),
                is_refused(lambda: product.launch(A.double(), B, C))]
    return all(results)


if sys.argv[1:] == ["inputs"]:
    write_inputs()
elif not launch_and_compare():
    sys.exit(1)
