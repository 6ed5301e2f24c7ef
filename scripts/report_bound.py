# SPDX-License-Identifier: Apache-2.0
"""The least time that any kernel can take in the timing model, whatever its
schedule: memory gives what it gives (sim/timing/timing_table.def: 560 GB/s, of which 75 %
arrive). Not counted are padding, which need not be multiplied, the first loads, the
last stores and tiles that do not divide evenly."""
import re

BYTES_A_CYCLE = 0.75 * 560e9 / 2.1e9
SIZE = {"f32": (4, 4), "f16": (2, 2), "u8s8": (1, 1)}  # of source, destination


def fields(desc):
    """{"ic": 64, ...} of a problem as xkbench prints it."""
    return {k: int(v) for k, v in re.findall(r"([a-z]+)(\d+)", desc.split('n"')[0])}


def bound(desc, dtype, ideal_cycles):
    """The part of the arithmetic's limit that can be reached at most;
    ideal_cycles: those of the multiply-adds that touch no padding."""
    f = fields(desc)
    pixels = f["ih"] * f["iw"]
    if f["kh"] == f["kw"] == 1:
        pixels = f["oh"] * f["ow"]
    size, out_size = SIZE[dtype]
    size_b = (f["mb"] * pixels * f["ic"] * size
              + f["oc"] * f["ic"] * f["kh"] * f["kw"] * size
              + f["mb"] * f["oc"] * f["oh"] * f["ow"] * out_size)
    least = max(ideal_cycles, size_b / BYTES_A_CYCLE)
    return ideal_cycles / least
