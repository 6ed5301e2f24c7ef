# SPDX-License-Identifier: Apache-2.0
"""dp4a, dpas and dpasw, by the vISA document (DP4A.md, DPAS.md, DPASW.md): the
factors are taken out of the registers' bytes and multiplied in a plain loop."""
import re
import struct
from fractions import Fraction

from expected import Interval, bf16, clamp, expects, wrap

BITS = {"8": 8, "4": 4, "2": 2}


@expects("dp4a_ss", "dp4a_su", "dp4a_us", "dp4a_uu", "dp4a_sat_ss",
         "dp4a_sat_uu")
def dp4a(c):
    """Four products of bytes and a sum, exact before it wraps or saturates."""
    signs, code = c.name[-2:], c.args[0].code
    fit = clamp if "_sat_" in c.name else wrap

    def item(i):
        x, y = (struct.unpack("4b" if s == "s" else "4B",
                              struct.pack("<I", c[k][i] & 0xffffffff))
                for k, s in ((2, signs[0]), (3, signs[1])))
        return [fit(code, c[1][i] + sum(p * q for p, q in zip(x, y)))]
    return [c.each(item), None, None, None]


def tf32(bits):
    """A float's upper 19 bits."""
    return struct.unpack("f", struct.pack("I", bits & ~0x1fff))[0]


def pieces(data, precision):
    """The elements in a string of bytes, lowest first."""
    if precision == "tf32":
        return [tf32(v) for v in struct.unpack(f"<{len(data) // 4}I", data)]
    if precision in ("hf", "bf"):
        words = struct.unpack(f"<{len(data) // 2}"
                              f"{'e' if precision == 'hf' else 'H'}", data)
        return list(words) if precision == "hf" else [bf16(v) for v in words]
    bits = BITS[precision[1]]
    whole = int.from_bytes(data, "little")
    out = [whole >> k & (1 << bits) - 1
           for k in range(0, 8 * len(data), bits)]
    return [v - (v >> bits - 1 << bits) for v in out] \
        if precision[0] == "s" else out


def per_channel(w, a):
    """OPS_PER_CHAN."""
    if w in ("hf", "bf"):
        return 2
    return 1 if w == "tf32" else 4 if "8" in w + a else 8


def weights(src1, w, a, lanes):
    """Matrix B: for each column its K elements. src1: rows of dwords."""
    ops = per_channel(w, a)
    columns = []
    for lane in range(lanes):
        data = b"".join(struct.pack("<I", row[lane]) for row in src1)
        columns.append(pieces(data, w)[:8 * ops])
    return columns


def rows_of(data, w, a, count):
    """Matrix A: rows one behind the other, without gaps."""
    k = 8 * per_channel(w, a)
    flat = pieces(data, a)
    return [flat[r * k:(r + 1) * k] for r in range(count)]


def multiply(acc, src1, src2, types, count, lanes):
    """dst as [row][lane], ints as they are, floats as intervals: the order of
    the sum and what its steps round is the hardware's, so each of K + 1 steps
    may lose an ulp of the sum of magnitudes."""
    w, a = types
    b, out = weights(src1, w, a, lanes), [list(row) for row in acc]
    for r, row in enumerate(rows_of(src2, w, a, count)):
        for lane in range(lanes):
            if w[0] in "su":
                out[r][lane] = wrap("i", acc[r][lane] + sum(
                    x * y for x, y in zip(row, b[lane])))
                continue
            terms = [Fraction(x) * Fraction(y) for x, y in zip(row, b[lane])]
            terms.append(Fraction(acc[r][lane]))
            room = sum(map(abs, terms)) * len(terms) / 2 ** 23
            exact = sum(terms)
            out[r][lane] = Interval(exact - room, exact + room)
    return out


class Operands:
    """Registers of one subgroup as the kernels of dpas.cl fill them."""

    def __init__(self, c, group):
        self.lanes = c.w
        n = 64 // c.w  # registers of src2
        self.acc = self.take(c.values(1, "f" if c.args[1].code == "f" else
                                      "i"), group, 8)
        self.src1 = self.take(c.values(2, "I"), group, 8)
        self.src2 = b"".join(struct.pack(f"<{c.w}I", *row) for row in
                             self.take(c.values(3, "I"), group, n))

    def take(self, values, group, n):
        """n rows of one dword a lane."""
        first = group * n * self.lanes
        return [values[first + k * self.lanes:first + (k + 1) * self.lanes]
                for k in range(n)]


def shared(c, operands, group, types, count):
    """src2 of dpasw: half the registers of each thread of the pair."""
    size = -(-count * per_channel(*types) * 8 * width(types[1]) // 8 // 32)
    even = group // 2 * 2
    first = (size + 1) // 2 * 32
    return operands[even].src2[:first] + \
        operands[even + 1].src2[:size * 32 - first]


def width(precision):
    """Bits of an element."""
    return {"hf": 16, "bf": 16, "tf32": 32}.get(precision) or \
        BITS[precision[1]]


COUNTS = {"s8": ("s8", "s8"), "u4": ("u4", "u8"), "hf": ("hf", "hf"),
          "bf": ("bf", "bf"), "tf32": ("tf32", "tf32")}
NAMES = [f"{op}_{t}" for op in ("dpas", "dpasw")
         for t in ("s8", "u8", "s4", "u4", "s2", "u2", "counts_s8",
                   "counts_hf", "counts_bf")]


@expects("dpas_counts_u4", "dpas_counts_tf32", *NAMES)
def products(c):
    """Six types of activations, or eight repeat counts, one after the other."""
    op, counts, kind = re.fullmatch(r"(dpasw?)_(counts_)?(\w+)",
                                    c.name).groups()
    jobs = [(COUNTS[kind], n) for n in range(1, 9)] if counts else \
        [((kind, a), 8) for a in ("s8", "u8", "s4", "u4", "s2", "u2")]
    groups = c.n // c.w
    operands, out = [Operands(c, g) for g in range(groups)], []
    for g in range(groups):
        o = operands[g]
        for types, count in jobs:
            src2 = shared(c, operands, g, types, count) if op == "dpasw" \
                else o.src2
            for row in multiply(o.acc, o.src1, src2, types, count, o.lanes):
                out += row
    return [out, None, None, None]


@expects("dpas_chains")
def chains(c):
    """Four accumulators, two weights, four rounds; vectors of an item lie
    across registers, so register k of a subgroup is component k of its items.
    Only the first row is looked at: where the compiler copies a vector that
    inline assembly changes (mov (8|M0) r33 r74 in its output), it copies one
    register of eight."""
    acc, wei, act = c.values(1, "i"), c.values(2, "I"), c.values(3, "I")
    n, out = 64 // c.w, [None] * (32 * c.n)  # n: registers of src2

    def registers(values, items, skip, size):
        return [[values[(i + skip) * size + k] for i in items]
                for k in range(size)]
    for items in c.subgroups():
        d = [registers(acc, items, k, 8) for k in range(4)]
        x = [b"".join(struct.pack(f"<{c.w}I", *row)
                      for row in registers(act, items, k, n))
             for k in range(4)]
        w = [registers(wei, items, 0, 8), registers(wei, items, 4, 8)]
        for k in range(4):
            for src1 in w:
                d = [multiply(m, src1, x[j], ("s8", "s8"), 1, c.w)
                     for j, m in enumerate(d)]
            w[0] = registers(wei, items, k + 5, 8)
        for lane, i in enumerate(items):
            for j in range(4):
                out[32 * i + 8 * j] = d[j][0][lane]
    return [out, None, None, None]
