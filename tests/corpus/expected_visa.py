# SPDX-License-Identifier: Apache-2.0
"""An interpreter of the lines of vISA in tests/opencl/visa_types.cl, by the vISA
document: an instruction's result is that of exact arithmetic on the values of
its operands, taken modulo the destination's range or, with .sat, clamped into
it. Variables are bytes, as in registers; bytes that no document settles (NaN,
what follows from it) are not known, and not compared."""
import functools
import math
import re
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

from expected import bf16, clamp, expects, rounded, wrap

SOURCE = Path(__file__).resolve().parent.parent / "opencl" / "visa_types.cl"
CODE = {"ub": "B", "b": "b", "uw": "H", "w": "h", "ud": "I", "d": "i",
        "uq": "Q", "q": "q", "hf": "e", "f": "f", "df": "d", "bf": "H"}
MOST_UNKNOWN = 0.8  # of the elements
UINT = {2: "H", 4: "I", 8: "Q"}
FLOATS = ("hf", "f", "df", "bf")
MACRO = {"xelp": "XK_TGLLP", "xehpg": "XK_DG2", "xehpc": "XK_PVC"}
OPERAND = re.compile(r"XK([a-z])(ub|b|uw|w|ud|d|uq|q|hf|f|df|bf)\(0,0\)")


@functools.lru_cache(None)
def program(platform, width):
    """{kernel: [(operation, modifiers, [(variable, type)...])]}."""
    text = subprocess.run(
        ["cc", "-E", "-P", "-x", "c", f"-D{MACRO[platform]}",
         f"-DXK_SIMD={width}", str(SOURCE)], check=True, text=True,
        capture_output=True).stdout
    out = {}
    for name, body in re.findall(
            r"kernel void (\w+)\(.*?__asm__ volatile\((.*?)\n? : \"", text,
            re.S):
        lines = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body))
        out[name] = [parse(line) for line in lines.split("\\n")
                     if line and line[0] not in "{}."]
    return out


def parse(line):
    """One instruction."""
    word = line.split(" ", 1)[0].split(".")
    return word[0], word[1:], OPERAND.findall(line)


def integer(f):
    """The operation on integers of any type."""
    return lambda v, types: f(*v)


def bits(kind):
    """The size of an element."""
    return 8 * struct.calcsize(CODE[kind])


def count(types):
    """What a shift's second operand is taken modulo."""
    return 64 if {"q", "uq"} & set(types) else 32


def reverse(v):
    """32 bits, the last first."""
    return int(f"{v & 0xffffffff:032b}"[::-1], 2)


def field(v, types):
    """bfe: width, offset, value; a signed field's sign is extended."""
    width, offset, x = v[0] & 31, v[1] & 31, v[2]
    x = x >> offset & (1 << width) - 1
    return x - (1 << width) if types[0] == "d" and width and x >> width - 1 \
        else x


def first_high(v, types):
    """fbh: leading zeros, of negative values leading ones."""
    x = ~v[0] if types[1] == "d" and v[0] < 0 else v[0]
    return 32 - x.bit_length() if x else 2 ** 32 - 1


def logic(table, v, size):
    """bfn: bit by bit through a table of eight."""
    out = 0
    for k in range(size):
        index = sum((x >> k & 1) << n for n, x in enumerate(v))
        out |= (table >> index & 1) << k
    return out


def insert(width, offset, x, into):
    """bfi."""
    mask = (1 << (width & 31)) - 1 << (offset & 31)
    return x << (offset & 31) & mask | into & ~mask


OPS = {
    "add": integer(lambda a, b: a + b),
    "add3": integer(lambda a, b, c: a + b + c),
    "avg": integer(lambda a, b: (a + b + 1) >> 1),
    "and": integer(lambda a, b: a & b),
    "or": integer(lambda a, b: a | b),
    "xor": integer(lambda a, b: a ^ b),
    "not": integer(lambda a: ~a),
    "min": integer(min), "max": integer(max),
    "mul": integer(lambda a, b: a * b),
    "mulh": integer(lambda a, b: a * b >> 32),
    "mad": integer(lambda a, b, c: a * b + c),
    "mov": integer(lambda a: a),
    "shl": lambda v, t: v[0] << v[1] % count(t),
    "asr": lambda v, t: v[0] >> v[1] % count(t),
    "shr": lambda v, t: (v[0] & (1 << bits(t[1])) - 1) >> v[1] % count(t),
    "rol": lambda v, t: rotate(v[0], v[1], bits(t[1])),
    "ror": lambda v, t: rotate(v[0], -v[1], bits(t[1])),
    "lzd": integer(lambda a: 32 - (a & 0xffffffff).bit_length()),
    "cbit": integer(lambda a: bin(a).count("1")),
    "bfrev": integer(reverse),
    "fbl": integer(lambda a: (a & -a).bit_length() - 1 if a else 2 ** 32 - 1),
    "bfe": field, "fbh": first_high,
    "bfi": lambda v, t: insert(*v),
}


def rotate(x, n, size):
    """To the left."""
    x &= (1 << size) - 1
    n %= size
    return x << n | x >> size - n


def fraction(x):
    """What frc leaves, where it is a float; None elsewhere."""
    value = x - math.floor(x)
    return value if value < 1 - Fraction(1, 2 ** 24) else None


ROUNDED = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b,
           "mad": lambda a, b, c: a * b + c, "mov": lambda a: a,
           "frc": fraction, "rndd": math.floor, "rndu": math.ceil,
           "rnde": round, "rndz": math.trunc, "min": min, "max": max}


def to_float(v, kind, sat):
    """An exact number as an element; what is exactly zero may have a sign."""
    if v is None or not v:
        return None
    value = rounded("bf" if kind == "bf" else CODE[kind],
                    max(0, min(1, v)) if sat else v)
    return Bits(struct.unpack("I", struct.pack("f", value))[0] >> 16) \
        if kind == "bf" else value


def to_integer(v, kind, sat):
    """To zero; beyond the range only .sat says what comes out."""
    value = clamp(CODE[kind], math.trunc(v))
    return value if sat or value == math.trunc(v) else None


def float_result(op, v, types, sat):
    """The result of an operation that rounds once; None where nothing is
    promised."""
    v = [bf16(x) if t == "bf" else x for x, t in zip(v, types[1:])]
    if op not in ROUNDED or any(math.isnan(x) or math.isinf(x) for x in v):
        return None
    exact = ROUNDED[op](*map(Fraction, v))
    if exact == 0 and op in ("frc", "rndd", "rndu", "rnde", "rndz"):
        return 0.0 if op == "frc" else math.copysign(0.0, v[0])
    if types[0] in FLOATS:
        if op == "mov" and v[0] == 0 and types[1] not in FLOATS:
            return 0.0 if types[0] != "bf" else 0
        return to_float(exact, types[0], sat)
    return to_integer(exact, types[0], sat)


class Bits(int):
    """A float's bits."""


class Machine:
    """The variables of one thread; values or None a byte."""

    def __init__(self, width, variables):
        self.width, self.var = width, variables

    def read(self, name, kind):
        """Elements, None for unknown ones; s is the upper half of d."""
        size = struct.calcsize(CODE[kind])
        data = self.var["d" if name == "s" else name]
        first = 4 * self.width if name == "s" else 0
        return [None if None in data[k:k + size] else
                struct.unpack("<" + CODE[kind], bytes(data[k:k + size]))[0]
                for k in range(first, first + size * self.width, size)]

    def write(self, name, kind, values):
        """None makes a lane unknown."""
        size = struct.calcsize(CODE[kind])
        data = self.var["d" if name == "s" else name]
        first = 4 * self.width if name == "s" else 0
        for lane, v in enumerate(values):
            at = first + lane * size
            data[at:at + size] = [None] * size if v is None else \
                list(struct.pack("<" + (CODE[kind] if type(v) is not Bits
                                        else UINT[size]), v))

    def step(self, op, modifiers, operands):
        """One line."""
        (dst, kind), *srcs = operands
        types = [kind] + [t for _, t in srcs]
        columns = [self.read(*s) for s in srcs]
        self.write(dst, kind, [
            None if None in v else result(op, modifiers, v, types)
            for v in zip(*columns)])


def result(op, modifiers, v, types):
    """One lane."""
    dst = types[0]
    if op == "cmp":
        holds = v[0] > v[1] if modifiers[0] == "gt" else v[0] == v[1]
        if dst in FLOATS:
            return Bits((1 << bits(dst)) - 1 if holds else 0)
        return wrap(CODE[dst], -int(holds))
    if any(t in FLOATS for t in types):
        return float_result(op, v, types, "sat" in modifiers)
    if op == "bfn":
        return wrap(CODE[dst], logic(int(modifiers[0][1:], 16), v, bits(dst)))
    if op not in OPS:
        return None
    value = OPS[op](v, types)
    return (clamp if "sat" in modifiers else wrap)(CODE[dst], value)


def compute(c, lines):
    """r of all items."""
    out = []
    arrays = [c.values(k, "Q") for k in (1, 2, 3)]
    for items in c.subgroups():
        x, y, z = ([a[i] for i in items] for a in arrays)
        r = [v + 1 & 2 ** 64 - 1 for v in z]
        m = Machine(c.w, {
            n: list(struct.pack(f"<{c.w}Q", *v))
            for n, v in (("d", r), ("a", x), ("b", y), ("c", z))})
        for line in lines:
            m.step(*line)
        out += [None if r is None else r + (x[k] ^ y[k] ^ z[k]) & 2 ** 64 - 1
                for k, r in enumerate(m.read("d", "uq"))]
    if out.count(None) > MOST_UNKNOWN * len(out):
        raise ValueError(f"{c.name}: too little is known to compare")
    return [out, None, None, None]


INTERPRETED = ("add", "add_sat", "avg", "and", "or", "xor", "not", "shl",
               "shr", "asr", "rotate", "sel", "cmp", "mul", "mulh", "mad",
               "mov", "mov_sat", "unary", "fields", "add3", "bfn", "bf16")


@expects(*("types_" + n for n in INTERPRETED))
def types(c):
    """All lines of a kernel."""
    return compute(c, program(c.platform, c.w)[c.name])
