# SPDX-License-Identifier: Apache-2.0
"""What kernels that only Intel's compiler takes must leave in memory, computed
in Python from their inputs and from what the extension's document, the vISA
document or OpenCL C says of each function: never from a run of ours. A function
per kernel, of a Call, giving what each buffer must hold in the order of the
arguments: a list of elements for it, of which an Interval is a range of floats,
or None for a buffer that nobody changes."""
import math
import struct
from fractions import Fraction

FUNCTIONS = {}
CODES = {"e": (11, -14, 15), "f": (24, -126, 127), "d": (53, -1022, 1023),
         "bf": (8, -126, 127)}


def expects(*names):
    """A function for kernels of these names."""
    def keep(function):
        for name in names:
            FUNCTIONS[name] = function
        return function
    return keep


class Interval:
    """A float that may lie anywhere from low to high."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def holds(self, value):
        """False for NaN."""
        return not math.isnan(value) and (
            self.low <= value if math.isinf(value) and value > 0 else
            self.high >= value if math.isinf(value) else
            self.low <= Fraction(value) <= self.high)


def ulp(code, exact):
    """Distance of the type's floats around a value, OpenCL C's definition."""
    digits, least, _ = CODES[code]
    if not exact:
        return Fraction(2) ** (least - digits + 1)
    exact = abs(Fraction(exact))
    e = exact.numerator.bit_length() - exact.denominator.bit_length()
    e -= exact < Fraction(2) ** e
    return Fraction(2) ** (max(e, least) - digits + 1)


def within(code, exact, ulps):
    """The values at most that many ulp from the exact one."""
    exact = Fraction(exact)
    room = ulps * ulp(code, exact)
    return Interval(exact - room, exact + room)


def rounded(code, exact, mode="rte"):
    """A rational as a float of the type, as OpenCL C's rounding modes say."""
    exact = Fraction(exact)
    digits, _, most = CODES[code]
    unit = ulp(code, exact) if exact else 1
    steps = exact / unit
    n = {"rte": round, "rtz": math.trunc, "rtp": math.ceil,
         "rtn": math.floor}[mode](steps)
    value = n * unit
    if abs(value) < Fraction(2) ** (most + 1):
        return math.copysign(float(value), 1 if exact >= 0 else -1)
    largest = float((2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** most)
    inwards = mode == "rtz" or mode == ("rtn" if exact > 0 else "rtp")
    return math.copysign(largest if inwards else math.inf,
                         1 if exact > 0 else -1)


def f32(value):
    """A double as a float; sums, products and quotients of two floats made in
    double round once."""
    return struct.unpack("f", struct.pack("f", value))[0]


def f16(value):
    """The same for halves, to infinity as well."""
    try:
        return struct.unpack("e", struct.pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def bf16(bits):
    """The value of a bfloat."""
    return struct.unpack("f", struct.pack("I", bits << 16))[0]


def wrap(code, value):
    """An integer modulo the type's range."""
    bits = 8 * struct.calcsize(code)
    value &= (1 << bits) - 1
    return value - (1 << bits) if code.islower() and value >> bits - 1 \
        else value


def limits(code):
    """Least and largest integer of a type."""
    bits = 8 * struct.calcsize(code)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() \
        else (0, (1 << bits) - 1)


def clamp(code, value):
    """An integer saturated to a type."""
    least, most = limits(code)
    return max(least, min(most, value))


class Call:
    """A launch: argument k's elements are call[k]."""

    def __init__(self, kernel, args, row):
        self.args, self.unpacked = args, {}
        self.n = math.prod(kernel["global"])
        self.local = math.prod(kernel["local"])
        self.w = int(row["simd"])  # items of a subgroup
        self.platform, self.name = row["platform"], kernel["name"]

    def __getitem__(self, k):
        return self.values(k, self.args[k].code)

    def values(self, k, code):
        """Argument k as elements of a type; not to be changed."""
        if (k, code) not in self.unpacked:
            data = self.args[k].data
            self.unpacked[k, code] = struct.unpack(
                f"<{len(data) // struct.calcsize(code)}{code}", data)
        return self.unpacked[k, code]

    def each(self, function):
        """Elements that function(i) gives for every work item."""
        return [v for i in range(self.n) for v in function(i)]

    def subgroups(self):
        """The work items of each subgroup: consecutive ones."""
        return [range(f, f + self.w) for f in range(0, self.n, self.w)]

    def lanes(self, per_item, function):
        """A buffer with `per_item` elements an item, filled by what
        function(items, lane) gives."""
        out = [0] * (self.n * per_item)
        for items in self.subgroups():
            for lane, i in enumerate(items):
                out[per_item * i:per_item * (i + 1)] = function(items, lane)
        return out


def find(name):
    """The function for a kernel, or None."""
    return FUNCTIONS.get(name)


def buffers(kernel, args, row):
    """What find's function says: one entry a buffer."""
    return FUNCTIONS[kernel["name"]](Call(kernel, args, row))


def wrong(code, got, want):
    """A sentence about the first element that is not as wanted, or None."""
    size = struct.calcsize(code)
    values = struct.unpack(f"<{len(got) // size}{code}", got)
    if len(values) != len(want):
        return f"{len(values)} elements, not {len(want)}"
    for k, (x, y) in enumerate(zip(values, want)):
        if isinstance(y, Interval):
            if not y.holds(x):
                return f"element {k} is {x}, not in " \
                    f"{float(y.low)} .. {float(y.high)}"
        elif y is not None and struct.pack(code, x) != struct.pack(code, y) \
                and not (x != x and y != y):
            return f"element {k} is {x}, not {y}"
    return None
