# SPDX-License-Identifier: Apache-2.0
"""Halves, which PoCL's processors have not, and what else its OpenCL C lacks:
generic pointers and group functions. Results are exact where OpenCL C rounds
correctly; elsewhere as far off as its tables allow for half precision."""
import math
from fractions import Fraction

from expected import clamp, expects, f16, f32, rounded, within, wrap


@expects("f16_basic")
def basic(c):
    """Each rounds once; FP_CONTRACT is off."""
    a, b = c[1], c[2]

    def fma(x, y, z):
        return rounded("e", Fraction(x) * Fraction(y) + Fraction(z))
    return [c.each(lambda i: [
        f16(a[i] + b[i]), f16(a[i] - b[i]), f16(a[i] * b[i]),
        fma(a[i], b[i], a[i]), fma(-a[i], b[i], 1.5), f16(-abs(a[i]) * 0.5)]),
        None, None]


@expects("f16_select")
def select(c):
    """No NaN is among the values."""
    a, b = c[2], c[3]
    return [c.each(lambda i: [
        min(a[i], b[i]), max(a[i], b[i]), a[i] if a[i] < b[i] else 2.0,
        min(max(a[i], 0.0), 1.0)]),
        c.each(lambda i: [(a[i] < b[i]) | (a[i] == b[i]) << 1 |
                          (a[i] >= b[i]) << 2]), None, None]


@expects("f16_rounding")
def rounding(c):
    """round goes away from zero at a half; zeros keep the sign."""
    def item(i):
        x = c[1][i]
        return [math.copysign(float(v), x) for v in (
            math.floor(x), math.ceil(x), math.trunc(x), round(x),
            math.copysign(math.floor(abs(x) + 0.5), x))]
    return [c.each(item), None]


@expects("f16_mixed")
def mixed(c):
    """Halves are floats exactly."""
    a, b = c[1], c[2]
    return [c.each(lambda i: [
        rounded("f", Fraction(a[i]) + Fraction(b[i])), f32(a[i] * a[i]),
        rounded("f", Fraction(a[i]) * Fraction(b[i]) + Fraction(a[i]))]),
        None, None]


@expects("f16_math")
def functions(c):
    """sqrt is correctly rounded, rsqrt within 1 ulp, the others 2; the native
    reciprocal of a float is rounded to half: 1."""
    def item(i):
        x = c[1][i]
        return [f16(math.sqrt(x)), within("e", 1 / Fraction(x), 1),
                within("e", math.pow(2, x), 2),
                within("e", math.log2(x), 2),
                within("e", math.sin(x), 2),
                within("e", 1 / math.sqrt(x), 1)]
    return [c.each(item), None]


@expects("f16_vectors")
def vectors(c):
    """Contraction is off."""
    a, b = c[1], c[2]
    return [[f16(f16(a[k] * b[k]) + a[k ^ 7]) for k in range(8 * c.n)],
            None, None]


@expects("f16_storage")
def storage(c):
    """The sum rounds to nearest, the store to zero."""
    a, b = c[1], c[2]
    return [[rounded("e", rounded("f", Fraction(x) + Fraction(y)), "rtz")
             for x, y in zip(a, b)], None, None]


@expects("f16_integers")
def integers(c):
    """To nearest even."""
    return [c.each(lambda i: [
        float(c[1][i]), rounded("e", c[2][i] & 0xfff), rounded("e", c[3][i]),
        rounded("e", c[3][i] + c[1][i])]), None, None, None]


@expects("f16_divide")
def divide(c):
    """Within 1 ulp."""
    a, b = c[1], c[2]
    return [c.each(lambda i: [
        within("e", Fraction(a[i]) / Fraction(b[i]), 1),
        within("e", 1 / Fraction(b[i]), 1)]), None, None]


@expects("halves")
def halves(c):
    """Half results and a float one."""
    a, h, g = c[2], c[3], c[4]
    return [c.each(lambda i: [
        f16(a[i]), f16(h[i] + g[i]), f16(h[i] * g[i]),
        rounded("e", Fraction(h[i]) * Fraction(g[i]) + Fraction(h[i])),
        max(h[i], g[i])]), c.each(lambda i: [f32(h[i] * 3)]),
        None, None, None]


@expects("half_of_f32", "half_of_i32", "half_of_u16")
def to_half(c):
    """In the four modes."""
    return [c.each(lambda i: [rounded("e", c[1][i], m) for m in (
        "rte", "rtz", "rtp", "rtn")]), None]


@expects("float_of_f16")
def of_half(c):
    """Exact in every mode."""
    return [c.each(lambda i: [c[1][i]] * 4), None]


@expects("truncate_f16")
def truncate(c):
    """Between 0 and 127: every type takes it."""
    return [[math.trunc(v) for v in c[8]] for _ in range(8)] + [None]


@expects("saturate_from_f16")
def saturate(c):
    """To zero, then into the range."""
    return [[clamp(c.args[k].code, math.trunc(v)) for v in c[8]]
            for k in range(8)] + [None]


@expects("f64_of_others")
def doubles(c):
    """Only quadwords round."""
    return [c.each(lambda i: [float(c[1 + k][i]) for k in range(8)])] + \
        [None] * 8


@expects("f64_to_others")
def of_doubles(c):
    """Integers to zero, floats to nearest even."""
    to = [math.trunc] * 4 + [f32, f16] + [math.trunc] * 2
    return [[t(v) for v in c[8]] for t in to] + [None]


@expects("copy_f16x4")
def copy(c):
    """The neighbour's vector."""
    return [[c[1][k ^ 4] for k in range(4 * c.n)], None]


@expects("reverse_f16")
def reverse(c):
    """Within a group of 32."""
    return [c.each(lambda i: [c[1][i ^ 31]]), None]


@expects("generic_load")
def generic_load(c):
    """A neighbour's value plus one if the own one is even."""
    a = c[1]
    return [c.each(lambda i: [a[i] if a[i] & 1 else
                              wrap("i", a[i ^ 31] + 1)]), None]


@expects("generic_store")
def generic_store(c):
    """The store goes to the result, or to local memory and is doubled."""
    return [[a if a & 2 else wrap("i", 2 * a) for a in c[1]], None]


@expects("generic_private")
def generic_private(c):
    """One of four numbers, or the own value."""
    return [[wrap("i", 3 * (a if a & 8 or not a & 3 else (a & 3) + 1))
             for a in c[1]], None]


@expects("generic_bytes")
def generic_bytes(c):
    """Odd items take the left neighbour's complement."""
    a = c[1]
    return [c.each(lambda i: [~a[i - 1] & 255 if i & 1 else a[i]]), None]


@expects("generic_atomic")
def generic_atomic(c):
    """Odd items add to global, even ones to the group's memory."""
    a = [v & 255 for v in c[2]]
    total = wrap("i", sum(a[1::2]))
    return [[total], c.each(lambda i: [
        sum(a[i // c.local * c.local:(i // c.local + 1) * c.local:2])]), None]


@expects("group_functions")
def group_functions(c):
    """Functions of the whole group."""
    def item(i):
        first = i // c.local * c.local
        v, k = c[1][first:first + c.local], i - first
        return [sum(v), max(v[:k + 1]), sum(v[:k]), v[7],
                int(42 in v) + 2 * int(all(x > -101 for x in v))]
    return [c.each(item), None]
