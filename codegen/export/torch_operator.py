# ---- The library ---------------------------------------------------------------------------------


def _check(name, tensor, dtype, shape, strides):
    """Refuses a tensor that the kernels were not made for. Raises ValueError."""
    if tensor.dtype != dtype:
        raise ValueError("%s is %s, got %s" % (name, dtype, tensor.dtype))
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError("%s is %s, got %s" % (name, list(shape), list(tensor.shape)))
    for extent, stride, wanted in zip(shape, tensor.stride(), strides):
        if extent > 1 and tensor.numel() and stride != wanted:
            raise ValueError(
                "%s has strides %s, and %s are needed; its .contiguous() may have them"
                % (name, tensor.stride(), tuple(strides))
            )


def _launch(name, tensors, sizes, device):
    """Runs the program on tensors of a device, on its current stream. Raises ValueError with what
    it refuses."""
    if any(tensor.device != device for tensor in tensors) or device.type != "cuda":
        places = ", ".join(str(tensor.device) for tensor in tensors)
        raise ValueError("%s runs on tensors of one GPU, got %s" % (name, places))
    library = _library()
    numbers = [ctypes.c_longlong(size) for size in sizes]
    count = getattr(library, name + "_workspace_bytes")
    count.restype = ctypes.c_size_t
    needed = count(*numbers)
    message = ctypes.create_string_buffer(512)
    with torch.cuda.device(device):
        workspace = torch.empty(needed, dtype=torch.uint8, device=device)
        stream = torch.cuda.current_stream(device).cuda_stream
        addresses = [ctypes.c_void_p(t.data_ptr()) for t in [*tensors, workspace]]
        if getattr(library, name + "_launch")(
            ctypes.c_void_p(stream),
            *addresses[:-1],
            *numbers,
            addresses[-1],
            ctypes.c_size_t(needed),
            message
        ):
            raise ValueError(message.value.decode())


@functools.lru_cache(maxsize=None)
def _library():
    folder = os.path.dirname(os.path.abspath(__file__))
    return ctypes.CDLL(os.path.join(folder, "build", _LIBRARY))
