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
# What leaves 64 bits is the largest or the smallest number, and stays so in sums, differences and
# products; a division by 0 is 0.


def _clamped(value):
    return min(max(value, LEAST), LARGEST)


def _opposite(a):
    return {LEAST: LARGEST, LARGEST: LEAST}.get(a, -a)


def _sum(a, b):
    return a if a in (LEAST, LARGEST) else b if b in (LEAST, LARGEST) else a + b


def _product(a, b):
    is_beyond = a in (LEAST, LARGEST) or b in (LEAST, LARGEST)
    return 2 * a * b if is_beyond else a * b


def _shifted(a, b):
    return a << b if 0 <= b <= 62 else 0


_FORMULAS = {
    "+": _sum,
    "-": lambda a, b: _sum(a, _opposite(b)),
    "*": _product,
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
        return _opposite(values[0])
    return _clamped(_FORMULAS[operator](*values))


def _with_values(values, sizes):
    """The sizes, and the named values: each is over those before it."""
    known = dict(sizes)
    for name, formula in values:
        known[name] = value_of(formula, known)
    return known


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
