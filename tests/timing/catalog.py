#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""catalog.py XK: kernels of the structure that entries of oneDNN's GEMM catalog
have (uxlfoundation/oneDNN at 3f27bec21f, selector/db/kernel.db), each on the
timing model, beside the time that the catalog's coefficient Ef says a multiply-add
takes, which was fitted on hardware. These are all of xehpc of f16 (HHS) and int8
(OOI) whose matrices lie by columns (NN), and go from memory to registers by 2D
blocks, without copies. Their tile, group, K of a load, prefetch distance and
registers are the catalog's; the order within a step is ours, and slices of K are
not added up, which Ef does not contain either.

The rate is the slope between two K. Prints a line an entry, then the rank
correlation of the rates, nominally and with each other value of a hypothesis.
Exit 1: a kernel multiplies wrongly, or the nominal correlation is below 0.9."""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import gemm_blocks  # noqa: E402

GRID = (8, 7)  # groups; one a core, times as many as fit
XVES, THREADS = 8, 8
CATALOG = (64, 2000)  # cores and MHz: so its best kernels are below the peak
WANTED = 0.9
# type, tile (the catalog's m and n: our columns and rows), group (likewise, and slices
# of K), K of a step (the longer of both loads), prefetched so far ahead, registers, Ef
# in fs a multiply-add
ENTRIES = [
    ("f16", (64, 40), (4, 8, 1), 32, 64, 256, 4.02),
    ("f16", (64, 32), (4, 8, 1), 32, 64, 256, 4.03),
    ("f16", (32, 48), (8, 4, 1), 64, 64, 256, 4.41),
    ("f16", (32, 64), (8, 2, 2), 32, 64, 256, 5.57),  # its 64 would not fit ours
    ("f16", (32, 32), (4, 4, 2), 32, 32, 256, 7.43),
    ("f16", (32, 16), (4, 8, 1), 32, 64, 256, 8.29),
    ("f16", (64, 8), (2, 8, 2), 32, 32, 256, 9.74),
    ("f16", (32, 8), (4, 8, 1), 32, 32, 256, 15.36),
    ("f16", (32, 8), (2, 4, 4), 32, 32, 256, 19.93),
    ("f16", (32, 8), (2, 4, 4), 64, 32, 256, 22.26),
    ("f16", (16, 8), (4, 8, 1), 64, 64, 256, 23.09),
    ("f16", (16, 8), (2, 4, 4), 32, 32, 256, 29.84),
    ("f16", (16, 4), (4, 8, 1), 32, 64, 256, 37.51),
    ("f16", (64, 2), (2, 8, 1), 32, 32, 128, 38.39),
    ("f16", (64, 4), (8, 2, 1), 32, 32, 128, 53.16),
    ("int8", (64, 40), (4, 8, 1), 64, 96, 256, 2.02),
    ("int8", (64, 32), (4, 8, 1), 64, 128, 256, 2.05),
    ("int8", (64, 24), (4, 8, 1), 64, 64, 256, 2.36),
    ("int8", (32, 32), (4, 2, 4), 64, 64, 256, 5.34),
    ("int8", (32, 16), (2, 4, 4), 128, 128, 256, 6.90),
    ("int8", (32, 8), (2, 4, 4), 128, 128, 256, 10.91),
    ("int8", (64, 4), (8, 2, 1), 64, 64, 128, 27.10),
]


def shape(entry):
    dtype, (columns, rows), (along_n, along_m, slices), step, ahead, grf, _ = entry
    return gemm_blocks.Shape(rows, columns, (along_m, along_n, slices), step, ahead,
                             grf, "f16" if dtype == "f16" else "s8")


def run(xk, folder, s, size, buffers, timing="max1550"):
    """Its timing as JSON."""
    m, n, k = size
    group_m, group_n = s.group()
    threads = s.threads[0] * s.threads[1] * s.threads[2]
    (folder / "a.asm").write_text(gemm_blocks.text(s, m, n, k))
    subprocess.run([xk, "asm", "-p", "xehpc", "-o", folder / "a.bin",
                    folder / "a.asm"], check=True)
    done = subprocess.run(
        [xk, "run", "--json", f"--timing={timing}", "-p", "xehpc", f"--grf={s.grf}",
         "--inline=32", f"--groups={n // group_n},{m // group_m}",
         f"--local={16 * threads}", folder / "a.bin", "code", *buffers],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{s}: {done.stdout}")
    return json.loads(done.stdout)[0]["timing"]


def multiplies(xk, folder, s):
    """Two groups, three steps, small whole numbers."""
    m, n = 2 * s.group()[0], s.group()[1]
    slices = s.threads[2]
    k = 3 * s.step * slices
    a = [(7 * i + i // k) % 5 - 2 for i in range(m * k)]
    b = [(3 * i + i // n) % 7 - 3 for i in range(k * n)]
    letter, out = ("e", "f") if s.dtype == "f16" else ("b", "i")
    for name, values in (("a", a), ("b", b)):
        (folder / name).write_bytes(struct.pack(f"{len(values)}{letter}", *values))
    run(xk, folder, s, (m, n, k), [
        f"buf:{folder / 'a'}", f"buf:{folder / 'b'}",
        f"buf:zero:{4 * m * n * slices}", f"--out=2:{folder / 'c'}"])
    c = struct.unpack(f"{m * n * slices}{out}", (folder / "c").read_bytes())
    return all(sum(c[i + q * m * n] for q in range(slices)) ==
               sum(a[i // n * k + p] * b[p * n + i % n] for p in range(k))
               for i in range(0, m * n, 37))


def slopes(xk, folder, s):
    """fs a multiply-add, nominally and by each other value; the machine."""
    fit = XVES * (THREADS if s.grf == 128 else THREADS // 2)
    more = max(1, fit // (s.threads[0] * s.threads[1] * s.threads[2]))
    m, n = GRID[0] * s.group()[0] * more, GRID[1] * s.group()[1]
    least = s.step * s.threads[2]
    times = []
    for k in (least * max(2, 256 // least), least * max(6, 768 // least)):
        t = run(xk, folder, s, (m, n, k),
                [f"buf:zero:{s.elem_b * m * k}", f"buf:zero:{s.elem_b * k * n}",
                 f"buf:zero:{4 * m * n * s.threads[2]}"], "max1550:all")
        times.append((k, {"nominal": t["time_us"], **{
            f"{a['hypothesis']}={a['value']}": a["time_us"]
            for a in t["alternatives"]}}))
    (k0, first), (k1, second) = times
    return {"cores": t["cores"], "mhz": t["clock_mhz"],
            "fs": {name: (second[name] - first[name]) * 1e9 / (m * n * (k1 - k0))
                   for name in first}}


def peak_fs(s, cores, mhz):
    """A multiply-add of the machine at least: dpas 8x8 takes 8 cycles of an XVE."""
    return 1e9 / (cores * XVES * 16 * s.unit * mhz)


def ranks(values):
    """Equal ones share theirs."""
    return [sum(o < v for o in values) + (sum(o == v for o in values) + 1) / 2
            for v in values]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    n, mean = len(a), (len(a) + 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return product / (sum((x - mean) ** 2 for x in a) *
                      sum((y - mean) ** 2 for y in b)) ** 0.5 if n > 1 else 0


def compare(xk):
    """Prints; how many kernels are wrong, and correlations too small."""
    rows, bad = [], 0
    print("rates in hundredths of the peak; the catalog's of 64 cores at 2 GHz")
    with tempfile.TemporaryDirectory() as name:
        for entry in ENTRIES:
            s = shape(entry)
            right = multiplies(xk, Path(name), s)
            bad += not right
            got = slopes(xk, Path(name), s)
            rows.append((entry[0], entry[-1], got["fs"]))
            dtype, tile, group, step, _, grf, ef = entry
            ours = [100 * peak_fs(s, got["cores"], got["mhz"]) / x for x in
                    (got["fs"]["nominal"], max(got["fs"].values()), min(got["fs"].values()))]
            theirs = 100 * peak_fs(s, *CATALOG) / ef
            print(f"{dtype:5} {tile[0]}x{tile[1]:<3} group "
                  f"{'x'.join(map(str, group)):7} k {step:3} {grf}: {ours[0]:5.1f} "
                  f"({ours[1]:.1f} .. {ours[2]:.1f}), catalog {theirs:5.1f}, ratio "
                  f"{ours[0] / theirs:.2f}{'' if right else ', WRONG'}", flush=True)
    print(f"\nrank correlation (at least {WANTED} wanted): f16, int8, all")
    for word in rows[0][2]:
        each = []
        for dtypes in (("f16",), ("int8",), ("f16", "int8")):
            some = [(ef, got[word]) for dtype, ef, got in rows if dtype in dtypes]
            each.append(spearman(*zip(*some)))
        missed = word == "nominal" and min(each) < WANTED
        bad += missed
        print(f"{word:20} " + " ".join(f"{x:6.3f}" for x in each) +
              ("  MISSED" if missed else ""))
    return bad


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]) > 0)
