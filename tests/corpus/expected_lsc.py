# SPDX-License-Identifier: Apache-2.0
"""Messages of the load/store cache in inline vISA, by the vISA document
(LSC_UNTYPED.md, also of atomics and 2D blocks). Surfaces of 2D blocks have 16
rows of 128 bytes, a subgroup of 16 items one block of 8 rows."""
from expected import expects, f32, wrap


@expects("lsc_load_d32", "lsc_load_d32x2", "lsc_load_d32x4", "lsc_load_d64",
         "lsc_load_cached", "lsc_load_d8", "lsc_load_d16", "lsc_store_d8",
         "lsc_store_d16", "lsc_store_d32x4", "lsc_store_d64", "block2d_d8",
         "block2d_d16", "block2d_d32")
def copies(c):
    """All together move the whole buffer."""
    return [list(c[1]), None]


@expects("lsc_prefetch")
def prefetch(c):
    """A prefetch changes nothing."""
    return [[wrap("I", v + 1) for v in c[1]], None]


INTEGER = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b,
           "smin": min, "smax": max, "umin": min, "umax": max,
           "and": lambda a, b: a & b, "or": lambda a, b: a | b,
           "xor": lambda a, b: a ^ b}
FLOAT = {"fadd": lambda a, b: f32(a + b), "fmin": min, "fmax": max}


@expects(*("lsc_atomic_" + op for op in (*INTEGER, *FLOAT)))
def atomics(c):
    """Each item its own element; the old one is returned."""
    op = c.name.removeprefix("lsc_atomic_")
    if op in FLOAT:
        new = [FLOAT[op](a, b) for a, b in zip(c[0], c[2])]
    else:
        new = [wrap(c.args[0].code, INTEGER[op](a, b))
               for a, b in zip(c[0], c[2])]
    return [new, list(c[0]), None]


def blocks(c, wide, per_row):
    """Elements [row][column] of each subgroup's block."""
    for g in range(c.n // 16):
        y, x = g // 4 * 8, g % 4 * wide
        yield [c[1][(y + r) * per_row + x:(y + r) * per_row + x + wide]
               for r in range(8)]


def spread(registers):
    """Component k of a lane's uint4 is its dword of register k."""
    return [registers[16 * k + lane] for lane in range(16) for k in range(4)]


@expects("block2d_vnni")
def vnni(c):
    """Two rows become one of dwords, the upper row in the lower half."""
    out = []
    for b in blocks(c, 16, 64):
        out += spread([b[2 * r][x] | b[2 * r + 1][x] << 16
                       for r in range(4) for x in range(16)])
    return [out, None]


@expects("block2d_transposed")
def transposed(c):
    """Columns one behind the other."""
    out = []
    for b in blocks(c, 8, 32):
        out += spread([b[y][x] for x in range(8) for y in range(8)])
    return [out, None]
