# SPDX-License-Identifier: Apache-2.0
"""Subgroup functions, by the text of cl_khr_subgroups, cl_intel_subgroups and
their short and char companions; subgroups are consecutive work items."""
import math
from fractions import Fraction

from expected import Interval, expects, f32, rounded, wrap


@expects("sg_ids")
def ids(c):
    """All the numbers."""
    n = c.local // c.w
    return [c.lanes(6, lambda items, lane: [
        lane, items[0] % c.local // c.w, c.w, c.w, n, n])]


@expects("sg_reduce")
def reduce(c):
    """Sums wrap; any and all are 0 or 1 here."""
    def item(items, _):
        v = [c[1][i] for i in items]
        unsigned = max(x & 0xffffffff for x in v)
        return [wrap("i", sum(v)), min(v), max(v), wrap("i", unsigned),
                int(any(x > 900 for x in v)), int(all(x > -900 for x in v))]
    return [c.lanes(6, item), None]


@expects("sg_scan")
def scan(c):
    """The identities are 0 and the least integer."""
    def item(items, lane):
        v = [c[1][i] for i in items]
        return [sum(v[:lane + 1]), sum(v[:lane]), min(v[:lane + 1]),
                max(v[:lane], default=-2 ** 31)]
    return [c.lanes(4, item), None]


@expects("sg_broadcast")
def broadcast(c):
    """Items 3, the last and 0 are broadcast."""
    return [c.lanes(2, lambda items, _: [c[2][items[3]], c[2][items[-1]]]),
            c.lanes(1, lambda items, _: [c[3][items[0]]]), None, None]


def any_order(values):
    """A sum of floats in any order: each addition errs by half an ulp of a
    partial sum, which is at most the sum of the magnitudes."""
    exact = sum(map(Fraction, values))
    room = sum(abs(Fraction(v)) for v in values) * len(values) / 2 ** 24
    return Interval(exact - room, exact + room)


@expects("sg_float")
def floats(c):
    """The order of a sum is the device's."""
    def item(items, lane):
        v = [c[1][i] for i in items]
        return [any_order(v), any_order(v[:lane + 1]), min(v),
                max(v[:lane], default=-math.inf)]
    return [c.lanes(4, item), None]


@expects("sg_half")
def halves(c):
    """Exact."""
    return [c.lanes(2, lambda items, _: [max(c[1][i] for i in items),
                                         c[1][items[5]]]), None]


@expects("sg_long")
def longs(c):
    """Sums wrap."""
    def item(items, lane):
        v = [c[1][i] for i in items]
        return [wrap("q", sum(v)), min(v), max(v[:lane + 1])]
    return [c.lanes(3, item), None]


@expects("sg_divergent")
def divergent(c):
    """What is not written keeps its value."""
    def item(items, lane):
        s, i = sum(c[1][k] & 0xff for k in items), items[lane]
        if any(c[1][k] < -2000000000 for k in items):
            return [s, c[0][2 * i + 1]]
        return [-s, s >> 1] if c[1][i] & 1 else c[0][2 * i:2 * i + 2]
    return [c.lanes(2, item), None]


@expects("shuffle_i32", "shuffle_f32", "shuffle_i64", "shuffle_u16",
         "shuffle_u8", "shuffle_f16", "shuffle_i32x4")
def shuffle(c):
    """By index, by exclusive or, by a constant; vectors as a whole."""
    m = c.args[1].lanes

    def item(items, lane):
        return [c[1][m * items[k] + e]
                for k in (c[2][items[lane]] & 7, lane ^ 3, 6)
                for e in range(m)]
    return [c.lanes(3 * m, item), None, None]


@expects("shuffle_up_down")
def up_down(c):
    """Two variables side by side: down(current, next), up(previous,
    current)."""
    def item(items, lane):
        both = [c[1][i] for i in items] + [c[2][i] for i in items]
        return [both[lane + 1], both[c.w + lane - 1], both[lane + 5],
                both[c.w + lane - 3]]
    return [c.lanes(4, item), None, None]


@expects("shuffle_butterfly")
def butterfly(c):
    """Each step rounds once."""
    out = []
    for items in c.subgroups():
        v, d = [c[1][i] for i in items], 1
        while d < c.w:
            v = [f32(v[k] + v[k ^ d]) for k in range(c.w)]
            d *= 2
        out += v
    return [out, None]


@expects("shuffle_matmul")
def matmul(c):
    """Each fma rounds once."""
    def item(items, lane):
        out = []
        for r in range(8):
            s = 0.0
            for k in range(8):
                s = rounded("f", Fraction(c[1][8 * items[k] + r]) *
                            Fraction(c[2][8 * items[lane] + k]) + Fraction(s))
            out.append(s)
        return out
    return [c.lanes(8, item), None, None]


@expects(*(f"block_u{b}x{n}" for b in (8, 16, 32, 64)
           for n in (1, 2, 4, 8, 16)))
def block(c):
    """Every subgroup copies its own piece, all items together the whole."""
    return [[wrap(c.args[0].code, v + 1) for v in c[1]], None]


@expects("block_local")
def block_local(c):
    """A subgroup's four rows in the opposite order."""
    a, w = c[1], c.w
    return [[a[f + w * (3 - k) + lane] for f in range(0, 4 * c.n, 4 * w)
             for k in range(4) for lane in range(w)], None]


@expects("block_unaligned")
def block_unaligned(c):
    """Reads need the alignment of an element only."""
    a = c[1]
    return [c.lanes(1, lambda items, lane: [
        a[items[lane] + 1] ^ a[items[lane] + 3] ^ a[items[lane] + 3 + c.w]]),
        None]


@expects("block_in_loop")
def block_in_loop(c):
    """Horner over the rows."""
    def item(items, lane):
        s = 0
        for k in range(8):
            s = s * 3 + a[8 * items[0] + k * c.w + lane]
        return [wrap("I", s)]
    a = c[1]
    return [c.lanes(1, item), None]


@expects("blocks")
def blocks(c):
    """Rows of a subgroup, four of them."""
    return [[wrap("I", v * 3 + k % c.w) for k, v in enumerate(c[1])], None]


@expects("shuffle")
def shuffle_sum(c):
    """By index modulo 16, and the sum."""
    def item(items, lane):
        return [a[items[k[items[lane]] & 15]], wrap("i", sum(
            a[i] for i in items))]
    a, k = c[1], c[2]
    return [c.lanes(2, item), None, None]
