# SPDX-License-Identifier: Apache-2.0
"""Arguments of the corpus' kernels, made from their annotations, and results
compared."""
import math
import random
import re
import struct

import expected

BASE = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i",
        "uint": "I", "long": "q", "ulong": "Q", "float": "f", "half": "e",
        "double": "d", "bfloat": "H"}


def split_type(name):
    """("float", 4) of float4; three elements take the room of four."""
    found = re.fullmatch(r"([a-z]+)(\d*)", name)
    return found.group(1), int(found.group(2) or 1)


def number(text):
    """A bound, as a Python number."""
    return float(text) if re.search(r"[.e]", text.lower()) and \
        not text.lower().startswith("0x") else int(text, 0)


def bounds(base, text):
    """Least and largest random value."""
    if text and ".." in text:
        low, high = (number(part) for part in text.split(".."))
        if base in ("float", "half", "double", "bfloat"):
            return low, high
        least, most = bounds(base, None)
        return max(low, least), min(high, most)
    if base in ("float", "half", "double"):
        return -100.0, 100.0
    if base == "bfloat":
        return -4.0, 4.0
    bits = 8 * struct.calcsize(BASE[base])
    if base.startswith("u"):
        return 0, 2 ** bits - 1
    return -2 ** (bits - 1), 2 ** (bits - 1) - 1


def random_value(rng, base, low, high):
    """All magnitudes, corners now and then."""
    if base in ("float", "half", "double"):
        value = rng.uniform(low, high)
        return struct.unpack(BASE[base], struct.pack(BASE[base], value))[0]
    if base == "bfloat":  # the upper half of a float
        return struct.unpack("<I", struct.pack("<f", rng.uniform(low, high))
                             )[0] >> 16
    low, high = int(low), int(high)
    pick = rng.random()
    if pick < 0.06:
        return rng.choice((low, high))
    if pick < 0.4:
        return min(high, max(low, rng.randint(-300, 300)))
    return rng.randint(low, high)


class Argument:
    """One argument of a launch: kind, bytes, element type."""

    def __init__(self, kernel, k, items, rng):
        note = kernel["args"][k]
        self.kind = note["kind"]
        self.base, self.lanes = split_type(note["type"])
        self.code = BASE[self.base]
        each = struct.calcsize(self.code) * (4 if self.lanes == 3
                                             else self.lanes)
        if self.kind == "val":
            value = items if note["count"] == "n" else number(note["count"])
            if self.base in ("float", "half", "double"):
                value = float(value)
            self.data = struct.pack("<" + self.code, value)
            return
        text = note["count"]
        count = int(text[:-1]) if text.endswith("!") else \
            int(text) * (math.prod(kernel["local"]) if self.kind == "local"
                         else items)
        self.size = count * each
        if self.kind == "local":
            return
        if self.kind == "out":
            self.data = b"\xa5" * self.size
            return
        spec = note["range"] or ""
        zero = spec.endswith("zero")
        low, high = bounds(self.base, spec.removesuffix("zero").rstrip(":"))
        n = self.size // struct.calcsize(self.code)
        self.data = struct.pack(f"<{n}{self.code}", *(
            0 if zero else random_value(rng, self.base, low, high)
            for _ in range(n)))

    def request(self):
        """As reference.py wants it."""
        if self.kind == "local":
            return {"local": self.size}
        return {"val" if self.kind == "val" else "buf": self.data.hex()}

    def line(self):
        """As run_kernels wants it."""
        if self.kind == "local":
            return f"l {self.size}"
        if self.kind == "val":  # the compiler's slots have 4 bytes at least
            return "v " + self.data.ljust(4, b"\0").hex()
        return f"b {struct.calcsize(self.code)} {self.data.hex()}"


def make_arguments(kernel):
    """The same for every platform."""
    rng = random.Random(kernel["file"] + kernel["name"])
    items = math.prod(kernel["global"])
    return [Argument(kernel, k, items, rng)
            for k in range(len(kernel["args"]))]


def order(code, bits):
    """Floats as integers that count in ulps."""
    top = 1 << (8 * struct.calcsize(code) - 1)
    return bits - top if bits & top == 0 else -(bits - top) - top


def ulps(code, got, want):
    """Distance of two floats of one type, given as bits."""
    ints = {"e": "H", "f": "I", "d": "Q"}[code]
    x, y = (struct.unpack(code, struct.pack(ints, v))[0] for v in (got, want))
    if x == y or (math.isnan(x) and math.isnan(y)):
        return 0
    if math.isnan(x) or math.isnan(y):
        return math.inf
    return abs(order(code, got) - order(code, want))


def difference(arg, got, want, allowed):
    """A sentence about the first element that differs too much, or None."""
    if got == want:
        return None
    code = arg.code
    size = struct.calcsize(code)
    ints = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
    n = len(want) // size
    a, b = (struct.unpack(f"<{n}{ints}", x) for x in (got, want))
    for k, (x, y) in enumerate(zip(a, b)):
        if x == y or (arg.lanes == 3 and k % 4 == 3):
            continue
        far = ulps(code, x, y) if code in "efd" else math.inf
        if far > allowed:
            return f"element {k} is {x:#x}, not {y:#x}" + \
                (f" ({far} ulp)" if far != math.inf else "")
    return None


def in_order(kernel, args, bufs):
    """The buffers; those of a kernel marked as unordered with elements sorted,
    since they depend on which work item comes first."""
    if "unordered" not in kernel["needs"]:
        return bufs
    codes = [a.code for a in args if a.kind in ("in", "out", "io")]
    return [struct.pack(f"<{len(b) // struct.calcsize(c)}{c}", *sorted(
        struct.unpack(f"<{len(b) // struct.calcsize(c)}{c}", b)))
            for c, b in zip(codes, bufs)]


def compare(kernel, args, got, want):
    """The first difference of all buffers, or None."""
    buffers = [a for a in args if a.kind in ("in", "out", "io")]
    got, want = (in_order(kernel, args, b) for b in (got, want))
    for k, (a, g, w) in enumerate(zip(buffers, got, want)):
        bad = difference(a, g, w, kernel["ulp"])
        if bad:
            return f"buffer {k}: {bad}"
    return None


def compare_expected(args, got, want):
    """The same against what expected.buffers gives."""
    buffers = [a for a in args if a.kind in ("in", "out", "io")]
    for k, (a, g, w) in enumerate(zip(buffers, got, want)):
        bad = g != a.data and "changed" if w is None else \
            expected.wrong(a.code, g, w)
        if bad:
            return f"expected: buffer {k}: {bad}"
    return None
