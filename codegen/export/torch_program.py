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
                _check(kernel["index_limits"], _with_values(kernel["values"], sizes))
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


def _tensor_map(driver, made, address, zeros, sizes):
    """A tensor as the copy engine knows it, for a parameter of 128 bytes. One without elements has
    the zeros."""
    extents = [value_of(extent, sizes) for extent in made["extents"]]
    strides = [value_of(stride, sizes) for stride in made["strides"]]
    if max(extents) >= 2**31:
        raise ContractError("%d elements along one dimension have no coordinates" % max(extents))
    if 0 in extents:
        address, extents, strides = zeros, [1] * len(extents), [16] * len(strides)
    rank = len(extents)
    # At a multiple of 64, in memory of its own.
    memory = (ctypes.c_uint8 * 192)()
    encoded = ctypes.c_void_p((ctypes.addressof(memory) + 63) // 64 * 64)
    types, swizzles = {1: 0, 2: 1, 4: 2, 8: 4}, {0: 0, 32: 1, 64: 2, 128: 3}
    no_interleave, l2_promotion_of_128_bytes, zeros_outside = 0, 2, 0
    driver.call(
        "cuTensorMapEncodeTiled",
        encoded,
        types[made["element_bytes"]],
        ctypes.c_uint32(rank),
        ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*extents),
        (ctypes.c_uint64 * max(rank - 1, 1))(*strides),
        (ctypes.c_uint32 * rank)(*made["box"]),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        no_interleave,
        swizzles[made["swizzle"]],
        l2_promotion_of_128_bytes,
        zeros_outside,
    )
    return memory, encoded


class TorchProgram(Program):
    """The program on tensors of PyTorch."""

    def __init__(self, contract, folder):
        super().__init__(contract)
        self._folder = folder
        self._driver = None
        self._functions = {}
        self._zeros = None
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
                    maps = self._tensor_maps(torch, launch, tensors, memory, sizes)
                    self._start(launch, function, tensors, memory, sizes, stream, maps)

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
            if tensor.dtype not in _dtypes(torch, argument["type"]):
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

    def _addresses(self, launch, tensors, memory, sizes):
        """Of the operands of a launch."""
        parts = self.contract["workspace"]["parts"]
        for operand in launch.kernel["operands"]:
            if "argument" in operand:
                yield tensors[operand["argument"]].data_ptr()
            else:
                offset = parts[operand["workspace"]]["offset"]
                yield memory.data_ptr() + value_of(offset, sizes)

    def _tensor_maps(self, torch, launch, tensors, memory, sizes):
        made = launch.kernel["tensor_maps"]
        if not made:
            return []
        if self._zeros is None or self._zeros.device != memory.device:
            self._zeros = torch.zeros(64, device=memory.device)
        addresses = list(self._addresses(launch, tensors, memory, sizes))
        zeros = self._zeros.data_ptr()
        return [
            _tensor_map(self._driver, each, addresses[each["operand"]], zeros, sizes)
            for each in made
        ]

    def _start(self, launch, function, tensors, memory, sizes, stream, maps):
        values = [
            ctypes.c_void_p(address)
            for address in self._addresses(launch, tensors, memory, sizes)
        ]
        number = ctypes.c_int64 if launch.kernel["size_bits"] == 64 else ctypes.c_int32
        values += [number(sizes[name]) for name in launch.kernel["sizes"]]
        pointers = [ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values]
        pointers += [encoded for _, encoded in maps]
        addresses = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
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
