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
    is_positive = min(a[0], b[0]) >= 0
    if LEAST in (a + b) or LARGEST in (a + b):
        return (0, LARGEST) if is_positive else _ANYTHING
    bits = (1 << max((~end if end < 0 else end).bit_length() for end in a + b)) - 1
    return (0 if is_positive else -bits - 1, bits)


def _bit_and(a, b):
    if a[0] < 0 and b[0] < 0:
        return _within_bits(a, b)
    if a[0] < 0:
        return (0, b[1])
    return (0, min(a[1], b[1]) if b[0] >= 0 else a[1])


def _shift_left(a, b):
    if LARGEST in (a[1], b[1]) or b[1] >= 62:
        return (0, LARGEST)
    most = max(b[1], 0)
    high = _product(a[1], 1 << most, LARGEST)
    if high == LARGEST:
        return (0, LARGEST)
    return (min(_product(max(a[0], 0), 1 << min(max(b[0], 0), most), LARGEST), high), high)


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
    "bit_and": _bit_and,
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
