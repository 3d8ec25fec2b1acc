# ---- Types of elements ---------------------------------------------------------------------------


def _dtypes(torch, type_name):
    """Those of tensors that hold such elements."""
    pairs = {"f32_f32": (torch.complex64, torch.int64), "f32_i32": (torch.int64,)}
    plain = {
        "f64": torch.float64,
        "f32": torch.float32,
        "f16": torch.float16,
        "bf16": torch.bfloat16,
        "tf32": torch.float32,
        "i64": torch.int64,
        "i32": torch.int32,
        "i8": torch.int8,
        "u8": torch.uint8,
        "bool": torch.bool,
    }
    # Versions before 2.1 have none of 8 bits.
    plain["f8e4m3"] = getattr(torch, "float8_e4m3fn", None)
    plain["f8e5m2"] = getattr(torch, "float8_e5m2", None)
    return pairs.get(type_name) or (plain[type_name],)

