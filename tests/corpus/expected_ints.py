# SPDX-License-Identifier: Apache-2.0
"""Where PoCL and Intel's compiler disagree about integers."""
from expected import clamp, expects

MOST = 2 ** 64 - 1


def rhadd(x, y):
    """OpenCL C: (x + y + 1) >> 1, where the sum does not overflow; so rhadd of
    the two largest values is the largest value, as PoCL says. Intel's compiler
    (1.0.12504.6) adds modulo 2^64 and takes it for a carry if the sum is less
    than x or y: with x = y = 2^64 - 1 the sum is the same again, no carry is
    seen, and half of it comes out, on all platforms. What it compiled to is
    what must come out here."""
    total = (x + y + 1) & MOST
    carry = total < x or total < y
    assert carry == (x + y + 1 > MOST) or x == y == MOST
    return total >> 1 | carry << 63


@expects("saturate_u64")
def saturate(c):
    """All but rhadd by their definition."""
    def item(i):
        x, y = c[1][i], c[2][i]
        return [clamp("Q", x + y), clamp("Q", x - y), (x + y) >> 1,
                rhadd(x, y), x * y >> 64, abs(x - y), x, max(3, min(100, x))]
    return [c.each(item), None, None]
