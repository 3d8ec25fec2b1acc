"""The part of PyTorch that exported operators use, for tests: tensors are addresses, and the GPU is
the runtime of cuda_runtime_api.h, which writes calls down."""
import contextlib
import types

float32, float64, float16, bfloat16 = "float32", "float64", "float16", "bfloat16"
int64, int32, int8, uint8, complex64 = "int64", "int32", "int8", "uint8", "complex64"
bool = "bool"


class Device:
    def __init__(self, name):
        self.type = name

    def __eq__(self, other):
        return self.type == other.type

    def __str__(self):
        return self.type


class Tensor:
    """Of consecutive elements, unless it has strides."""

    count = 0

    def __init__(self, shape, dtype=float32, device=Device("cuda"), strides=None):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device
        Tensor.count += 1
        self.address = Tensor.count << 20
        self.strides = strides
        if strides is None:
            self.strides = tuple(_product(shape[dim + 1 :]) for dim in range(len(shape)))

    def stride(self, dim=None):
        return self.strides if dim is None else self.strides[dim]

    def numel(self):
        return _product(self.shape)

    def data_ptr(self):
        return self.address


def _product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


def empty(size, dtype, device):
    return Tensor((size,), dtype, device)


def empty_strided(shape, strides, dtype, device):
    return Tensor(shape, dtype, device, strides)


class _Operator:
    def __init__(self, function, mutates_args):
        self.function, self.mutates_args = function, mutates_args

    def __call__(self, *arguments):
        return self.function(*arguments)

    def register_fake(self, function):
        self.fake = function
        return function


def custom_op(name, mutates_args):
    return lambda function: _Operator(function, mutates_args)


library = types.SimpleNamespace(custom_op=custom_op)
cuda = types.SimpleNamespace(
    device=lambda device: contextlib.nullcontext(),
    current_stream=lambda device: types.SimpleNamespace(cuda_stream=0x77),
)
