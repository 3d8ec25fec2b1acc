import ctypes
import json
import os
import threading

LARGEST, LEAST = 2**63 - 1, -(2**63)


class ContractError(ValueError):
    """Arrays or sizes that the program was not made for."""


class DriverError(RuntimeError):
    """A call of the CUDA driver that failed."""


# ---- Formulas over sizes -------------------------------------------------------------------------
# What leaves 64 bits is the largest or the smallest number, and a division by 0 is 0.


def _clamped(value):
    return min(max(value, LEAST), LARGEST)


def _shifted(a, b):
    return a << b if 0 <= b <= 62 else 0


_FORMULAS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else 0,
    "%": lambda a, b: a % b if b else 0,
    "min": min,
    "max": max,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": _shifted,
    ">>": lambda a, b: a >> b if 0 <= b <= 62 else 0,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}


def value_of(formula, sizes):
    """The value of a formula: a number, the name of a size, or [operator, operand...]."""
    if isinstance(formula, int):
        return formula
    if isinstance(formula, str):
        return sizes[formula]
    operator, *operands = formula
    if operator == "select":
        return value_of(operands[1] if value_of(operands[0], sizes) else operands[2], sizes)
    values = [value_of(operand, sizes) for operand in operands]
    if operator == "!":
        return int(not values[0])
    if operator == "negate":
        return _clamped(-values[0])
    return _clamped(_FORMULAS[operator](*values))


def _filled(message, values):
    """`message` with the values for its "{}"."""
    for value in values:
        message = message.replace("{}", str(value), 1)
    return message


def _check(checks, sizes):
    for check in checks:
        if not value_of(check["holds"], sizes):
            raise ContractError(
                _filled(check["message"], [value_of(v, sizes) for v in check["values"]])
            )


# ---- Ranges of index arithmetic ------------------------------------------------------------------
# All values from low to high; LEAST and LARGEST stand for open ends.

_ANYTHING, _EMPTY = (LEAST, LARGEST), (LARGEST, LEAST)


def _sum(a, b, open_end):
    fits = LEAST <= a + b <= LARGEST
    return a + b if fits and a != open_end and b != open_end else open_end


def _product(a, b, open_end):
    return a * b if LEAST <= a * b <= LARGEST else open_end


def _is_empty(a):
    return a[0] > a[1]


def _scaled(a, factor):
    if factor == 0:
        return (0, 0)
    low, high = (a[1], a[0]) if factor < 0 else a
    open_low, open_high = (LARGEST, LEAST) if factor < 0 else (LEAST, LARGEST)
    return (
        LEAST if low == open_low else _product(low, factor, LEAST),
        LARGEST if high == open_high else _product(high, factor, LARGEST),
    )


def _hull(a, b):
    return (min(a[0], b[0]), max(a[1], b[1]))


def _add(a, b):
    return (_sum(a[0], b[0], LEAST), _sum(a[1], b[1], LARGEST))


def _subtract(a, b):
    return _add(a, _scaled(b, -1))


def _multiply(a, b):
    if a[0] == a[1]:
        return _scaled(b, a[0])
    if b[0] == b[1]:
        return _scaled(a, b[0])
    if a[0] >= 0 and b[0] >= 0:
        is_open = LARGEST in (a[1], b[1])
        return (_product(a[0], b[0], 0), LARGEST if is_open else _product(a[1], b[1], LARGEST))
    if b[0] == LEAST or b[1] == LARGEST:
        return _ANYTHING
    return _hull(_scaled(a, b[0]), _scaled(a, b[1]))


def _divide(a, b):
    low, high = max(a[0], 0), max(a[1], 0)
    return (
        low // b[1] if b[1] != LARGEST and b[1] > 0 else 0,
        high // max(b[0], 1) if a[1] != LARGEST else LARGEST,
    )


def _modulo(a, b):
    low = max(a[0], 0)
    if a[1] < b[0]:
        return (low, max(a[1], low))
    return (0, min(a[1], _sum(b[1], -1, LARGEST)))


def _within_bits(a, b):
    if a[0] < 0 or b[0] < 0:
        return _ANYTHING
    if LARGEST in (a[1], b[1]):
        return (0, LARGEST)
    return (0, (1 << max(a[1], b[1]).bit_length()) - 1)


def _shift_left(a, b):
    if LARGEST in (a[1], b[1]) or b[1] >= 62:
        return (0, LARGEST)
    return (0, _product(a[1], 1 << max(b[1], 0), LARGEST))


def _on_steps(a, first, step):
    if _is_empty(a):
        return a
    low, high = a
    if high != LARGEST:
        high -= (high - first) % step
    return (low + (step - (low - first) % step) % step, high)


def _last_step(a, first, step):
    is_exact = first[0] == first[1] and a[1] != LARGEST and not _is_empty(a)
    return (a[0], a[1] - (a[1] - first[0]) % step) if is_exact else a


_RANGES = {
    "range": lambda low, high: (low, high),
    "copy": lambda a: a,
    "hull": _hull,
    "both": lambda a, b: (max(a[0], b[0]), min(a[1], b[1])),
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "modulo": _modulo,
    "minimum": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "maximum": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "within_bits": _within_bits,
    "bit_and": lambda a, b: (0, min(a[1], b[1])) if min(a[0], b[0]) >= 0 else _ANYTHING,
    "shift_right": lambda a, b: (0, a[1]),
    "shift_left": _shift_left,
    "up_to": lambda a: (LEAST, a[1]),
    "from": lambda a: (a[0], LARGEST),
    "below": lambda a: (0, _subtract(a, (1, 1))[1]),
    "counted": lambda a, b: (a[0], _subtract(b, (1, 1))[1]),
    "ends": lambda a, b: (a[0], b[1]),
    "factors": lambda a, factor: (
        LEAST if a[0] == LEAST else -(-a[0] // factor),
        LARGEST if a[1] == LARGEST else a[1] // factor,
    ),
    "on_steps": _on_steps,
    "last_step": _last_step,
    "shifted": lambda a, by, bits: _ANYTHING if by[1] >= bits else a,
    "wanted": lambda factor, product: _hull(product, (0, 0)) if factor[0] >= 1 else _ANYTHING,
}


def _reports(steps, sizes):
    """(number, range) of each report that counts for these sizes."""
    ranges, skipped = [_EMPTY] * len(steps), 0
    for at, step in enumerate(steps):
        name = step[0]
        operands = [ranges[o["step"]] if isinstance(o, dict) else o for o in step[1:]]
        if skipped:
            skipped += (name == "begin") - (name == "end")
        elif name == "begin":
            skipped = int(_is_empty(operands[0]))
        elif name == "report":
            yield operands[1], operands[0]
        elif name == "size":
            ranges[at] = (sizes[operands[0]], sizes[operands[0]])
        elif name != "end":
            ranges[at] = _RANGES[name](*operands)


def _allows(bits, a):
    if _is_empty(a):
        return True
    if bits == 0:
        return a[1] > 0
    is_open = a[0] == LEAST or a[1] == LARGEST
    return not is_open and (bits == 64 or (a[0] >= -(2**31) and a[1] < 2**31))


def _check_indices(kernel, sizes):
    for number, reached in _reports(kernel["index_ranges"], sizes):
        check = kernel["index_checks"][number]
        if _allows(check["bits"], reached):
            continue
        values = [value_of(value, sizes) for value in check["values"]]
        is_high = reached[1] > 2**31 - 1
        end = reached[1] if is_high else reached[0]
        if check["bits"] != 32 or end in (LEAST, LARGEST):
            raise ContractError(_filled(check["open"], values))
        raise ContractError(_filled(check["high" if is_high else "low"], [end] + values))


# ---- The program ---------------------------------------------------------------------------------


class Launch:
    """A launch of one kernel; without blocks or threads there is nothing to do."""

    def __init__(self, kernel, sizes):
        self.kernel = kernel
        self.grid = [value_of(extent, sizes) for extent in kernel["grid"]]
        self.block = [value_of(extent, sizes) for extent in kernel["block"]]
        self.shared_bytes = kernel["dynamic_shared_bytes"]

    def is_empty(self):
        return 0 in self.grid or 0 in self.block


class Program:
    """What the contract says, computed."""

    def __init__(self, contract):
        self.contract = contract

    def plan(self, **sizes):
        """The launches for these sizes, in order. Raises ContractError."""
        contract = self.contract
        for name in contract["sizes"]:
            if name not in sizes:
                raise ContractError("%s: the size %s is missing" % (contract["name"], name))
        _check(contract["size_checks"], sizes)
        _check(contract["promises"], sizes)
        launches = []
        for kernel in contract["kernels"]:
            launch = Launch(kernel, sizes)
            if not launch.is_empty():
                _check(kernel["limits"], sizes)
                _check_indices(kernel, sizes)
            launches.append(launch)
        return launches

    def workspace_bytes(self, **sizes):
        """Bytes of memory that the kernels leave to each other."""
        return value_of(self.contract["workspace"]["bytes"], sizes)

    def sizes_of(self, shapes, given):
        """Those that the shapes of the arguments give, and `given`."""
        sizes = dict(given)
        for argument, shape in zip(self.contract["arguments"], shapes):
            for extent, size in zip(argument["shape"], shape):
                if isinstance(extent, str):
                    sizes.setdefault(extent, size)
        return sizes


# ---- PyTorch -------------------------------------------------------------------------------------


class _Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(code, ctypes.byref(text))
            raise DriverError("%s: %s" % (name, (text.value or b"error %d" % code).decode()))


def _dtypes(torch, argument):
    pairs = {"f32_f32": (torch.complex64, torch.int64), "f32_i32": (torch.int64,)}
    plain = {
        "f64": torch.float64,
        "f32": torch.float32,
        "f16": torch.float16,
        "bf16": torch.bfloat16,
        "i64": torch.int64,
        "i32": torch.int32,
        "i8": torch.int8,
        "u8": torch.uint8,
        "bool": torch.bool,
    }
    return pairs.get(argument["type"]) or (plain[argument["type"]],)


class TorchProgram(Program):
    """The program on tensors of PyTorch."""

    def __init__(self, contract, folder):
        super().__init__(contract)
        self._folder = folder
        self._driver = None
        self._functions = {}
        self._lock = threading.Lock()

    def __call__(self, *tensors, **sizes):
        """Runs on the tensors, one per argument, on their device's current stream. Sizes are those
        of the shapes; others are given by name. Raises ContractError and DriverError."""
        import torch

        self._check_tensors(torch, tensors)
        sizes = self._with_pitches(tensors, self.sizes_of([t.shape for t in tensors], sizes))
        launches = self.plan(**sizes)
        self._check_memory(tensors, sizes)
        device = tensors[0].device
        with torch.cuda.device(device):
            stream = torch.cuda.current_stream(device).cuda_stream
            functions = self._functions_on(torch, device)
            memory = self._workspace(torch, device, sizes)
            for launch, function in zip(launches, functions):
                if not launch.is_empty():
                    self._start(launch, function, tensors, memory, sizes, stream)

    def _refuse(self, text):
        raise ContractError("%s: %s" % (self.contract["name"], text))

    def _check_tensors(self, torch, tensors):
        arguments = self.contract["arguments"]
        if len(tensors) != len(arguments):
            names = ", ".join(argument["name"] for argument in arguments)
            self._refuse("takes %d tensors (%s), got %d" % (len(arguments), names, len(tensors)))
        for argument, tensor in zip(arguments, tensors):
            name = argument["name"]
            if tensor.device.type != "cuda" or tensor.device != tensors[0].device:
                self._refuse("%s is on %s; all tensors are on one GPU" % (name, tensor.device))
            if tensor.dtype not in _dtypes(torch, argument):
                self._refuse("%s is %s, got %s" % (name, argument["type"], tensor.dtype))
            if tensor.dim() != len(argument["shape"]):
                self._refuse("%s has %d dimensions" % (name, len(argument["shape"])))

    def _with_pitches(self, tensors, sizes):
        for argument, tensor in zip(self.contract["arguments"], tensors):
            order = argument["order"]
            if isinstance(argument["pitch"], str) and len(order) > 1:
                sizes.setdefault(argument["pitch"], tensor.stride(order[-2]))
        return sizes

    def _check_memory(self, tensors, sizes):
        for argument, tensor in zip(self.contract["arguments"], tensors):
            shape = [value_of(extent, sizes) for extent in argument["shape"]]
            if list(tensor.shape) != shape:
                self._refuse("%s is %s, got %s" % (argument["name"], shape, list(tensor.shape)))
            stride = 1
            for dim in reversed(argument["order"]):
                if shape[dim] > 1 and tensor.numel() and tensor.stride(dim) != stride:
                    self._refuse("%s has strides %s" % (argument["name"], tensor.stride()))
                is_fastest = dim == argument["order"][-1]
                stride *= value_of(argument["pitch"], sizes) if is_fastest else shape[dim]
        for check in self.contract["alignments"]:
            address = tensors[check["argument"]].data_ptr()
            if address % check["bytes"]:
                raise ContractError(_filled(check["message"], [hex(address)]))
        self._check_overlaps(tensors, sizes)

    def _check_overlaps(self, tensors, sizes):
        for check in self.contract["overlaps"]:
            first, second = (self._memory_of(n, tensors, sizes) for n in check["arguments"])
            if check["may_be_one"] and first == second:
                continue
            if first[0] < second[1] and second[0] < first[1]:
                raise ContractError(check["message"])

    def _memory_of(self, number, tensors, sizes):
        start = tensors[number].data_ptr()
        return start, start + value_of(self.contract["arguments"][number]["bytes"], sizes)

    def _read(self, suffix):
        path = os.path.join(self._folder, self.contract["name"] + suffix)
        if not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            return file.read()

    def _functions_on(self, torch, device):
        with self._lock:
            if device.index not in self._functions:
                self._driver = self._driver or _Driver()
                self._functions[device.index] = self._load()
            return self._functions[device.index]

    def _load(self):
        """The cubin, or where that is for another GPU the PTX."""
        module, error = ctypes.c_void_p(), None
        for image in (self._read(".cubin"), self._read(".ptx")):
            if image is None:
                continue
            try:
                self._driver.call("cuModuleLoadData", ctypes.byref(module), image)
                return [self._function(module, kernel) for kernel in self.contract["kernels"]]
            except DriverError as reason:
                error = error or reason
        raise error or DriverError(
            "there is neither %s.cubin nor .ptx in %s" % (self.contract["name"], self._folder)
        )

    def _function(self, module, kernel):
        function = ctypes.c_void_p()
        self._driver.call(
            "cuModuleGetFunction", ctypes.byref(function), module, kernel["symbol"].encode()
        )
        if kernel["dynamic_shared_bytes"]:
            most_dynamic_shared_bytes = 8
            wanted = kernel["dynamic_shared_bytes"]
            self._driver.call("cuFuncSetAttribute", function, most_dynamic_shared_bytes, wanted)
        return function

    def _workspace(self, torch, device, sizes):
        """What must be zero is."""
        workspace = self.contract["workspace"]
        size = value_of(workspace["bytes"], sizes)
        memory = torch.empty(size, dtype=torch.uint8, device=device)
        memory[value_of(workspace["zero_offset"], sizes) :].zero_()
        return memory

    def _start(self, launch, function, tensors, memory, sizes, stream):
        parts = self.contract["workspace"]["parts"]
        values = []
        for operand in launch.kernel["operands"]:
            if "argument" in operand:
                address = tensors[operand["argument"]].data_ptr()
            else:
                offset = parts[operand["workspace"]]["offset"]
                address = memory.data_ptr() + value_of(offset, sizes)
            values.append(ctypes.c_void_p(address))
        number = ctypes.c_int64 if launch.kernel["size_bits"] == 64 else ctypes.c_int32
        values += [number(sizes[name]) for name in launch.kernel["sizes"]]
        addresses = (ctypes.c_void_p * max(len(values), 1))(
            *[ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values]
        )
        shape = [ctypes.c_uint(extent) for extent in launch.grid + launch.block]
        self._driver.call(
            "cuLaunchKernel",
            function,
            *shape,
            ctypes.c_uint(launch.shared_bytes),
            ctypes.c_void_p(stream),
            addresses,
            None
        )


def load(path):
    """The program whose contract is the file `path`, with the cubin and the PTX beside it."""
    with open(path, encoding="utf-8") as file:
        return TorchProgram(json.load(file), os.path.dirname(os.path.abspath(path)))
