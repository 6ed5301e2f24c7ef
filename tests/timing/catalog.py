#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""catalog.py XK: kernels of the structure that entries of oneDNN's GEMM catalog
have (uxlfoundation/oneDNN at 3f27bec21f, selector/db/kernel.db), each on the
timing model, beside the time that the catalog's coefficient Ef says a multiply-add
takes, which was fitted on hardware. Entries are those of f16 (HHS) and int8 (OOI,
OOS) of layout NN
  xehpc  that go from memory to registers by 2D blocks, without copies (the two
         that repeat another one's tile, group and step left out);
  xehpg  that copy both matrices through local memory for dpasw, and those that copy
         the catalog's A (our columns) alone and load the other one to registers.
Tile, group, K of a step, buffers or prefetch distance, and registers are the
catalog's. The order within a step is oneDNN's on xehpg, and ours on xehpc. Matrices lie so
that nothing has to be moved between registers, and slices of K are not added up, which Ef
does not contain either.

The rate is the slope between two K. Prints a line an entry, then the rank
correlation of the rates, nominally and with each other value of a hypothesis.
Then rates with half of the threads, and products of n=1024 and n=2048.
Exit 1: a kernel multiplies wrongly, a nominal correlation is below 0.9 without a
reason given here, or a product misses what is published."""
import functools
import json
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

sys.dont_write_bytecode = True
import gemm_blocks  # noqa: E402
import gemm_slm  # noqa: E402

WANTED = 0.9
SLM_B = 131072  # of a core


@dataclass(frozen=True)
class Family:
    """Entries of a machine, and where it differs from the catalog's."""
    machine: str
    kernels: ModuleType
    grid: tuple      # of groups, one a core, or a multiple
    xves: int        # of a core
    macs: int        # of an XVE and cycle, for a unit of K
    cores: int       # the catalog's; its nominal clock is near 2 GHz
    why: str         # a correlation is missed
    # type, tile (the catalog's m and n: our columns and rows), group (likewise, and
    # slices of K), K of a step (the longer of both loads), K prefetched ahead, or what
    # gemm_slm.Shape says of loads, registers, Ef in fs a multiply-add; C1 in ns a group,
    # if K has no slices; the part of the rate that one group a core has where two fit,
    # 0: not told
    entries: list


XEHPC = Family("max1550", gemm_blocks, (8, 7), 8, 16, 64, "", [
    ("f16", (64, 40), (4, 8, 1), 32, 64, 256, 4.02, 698, 0),
    ("f16", (64, 32), (4, 8, 1), 32, 64, 256, 4.03, 741, 0),
    ("f16", (32, 48), (8, 4, 1), 64, 64, 256, 4.41, 564, 0),
    ("f16", (32, 64), (8, 2, 2), 32, 64, 256, 5.57, 0, 0),  # its 64 would not fit ours
    ("f16", (32, 32), (4, 4, 2), 32, 32, 256, 7.43, 0, 0),
    ("f16", (32, 16), (4, 8, 1), 32, 64, 256, 8.29, 434, 0),
    ("f16", (64, 8), (2, 8, 2), 32, 32, 256, 9.74, 0, 0),
    ("f16", (32, 8), (4, 8, 1), 32, 32, 256, 15.36, 392, 0),
    ("f16", (32, 8), (2, 4, 4), 32, 32, 256, 19.93, 0, 0),
    ("f16", (32, 8), (2, 4, 4), 64, 32, 256, 22.26, 0, 0),
    ("f16", (16, 8), (4, 8, 1), 64, 64, 256, 23.09, 389, 0),
    ("f16", (16, 8), (2, 4, 4), 32, 32, 256, 29.84, 0, 0),
    ("f16", (16, 4), (4, 8, 1), 32, 64, 256, 37.51, 373, 0),
    ("f16", (64, 2), (2, 8, 1), 32, 32, 128, 38.39, 108, 0),
    ("f16", (64, 4), (8, 2, 1), 32, 32, 128, 53.16, 470, 0),
    ("int8", (64, 40), (4, 8, 1), 64, 96, 256, 2.02, 680, 0),
    ("int8", (64, 32), (4, 8, 1), 64, 128, 256, 2.05, 628, 0),
    ("int8", (64, 24), (4, 8, 1), 64, 64, 256, 2.36, 542, 0),
    ("int8", (32, 32), (4, 2, 4), 64, 64, 256, 5.34, 0, 0),
    ("int8", (32, 16), (2, 4, 4), 128, 128, 256, 6.90, 0, 0),
    ("int8", (32, 8), (2, 4, 4), 128, 128, 256, 10.91, 0, 0),
    ("int8", (64, 4), (8, 2, 1), 64, 64, 128, 27.10, 337, 0),
])
XEHPG = Family("a770", gemm_slm, (8, 4), 16, 4, 32, "", [
    ("f16", (32, 32), (8, 4, 1), 16, "16 16 cab4x2 xaf st", 256, 17.18, 567, 0.5),
    ("f16", (32, 24), (4, 8, 1), 32, "16 16 cab3x2 xaf", 256, 19.41, 584, 0.52),
    ("f16", (32, 32), (8, 8, 1), 16, "16 16 cab4", 256, 19.67, 1354, 0),
    ("f16", (32, 16), (4, 8, 1), 32, "16 16 cab4x2 xaf", 256, 23.26, 516, 0.57),
    ("f16", (32, 16), (4, 8, 1), 16, "16x2 16x2 cab4", 256, 27.37, 499, 0.47),
    ("f16", (32, 16), (4, 4, 2), 16, "16x2 16x2 cab4", 256, 33.35, 0, 0),
    ("f16", (16, 8), (8, 8, 1), 32, "16 32 cab4x2 xaf", 256, 52.74, 1310, 0),
    ("f16", (16, 8), (2, 8, 2), 32, "32 16 cab4", 256, 67.59, 0, 0),
    ("f16", (16, 4), (2, 16, 1), 64, "16 32 cab4", 256, 82.59, 565, 0.43),
    ("f16", (16, 4), (2, 8, 4), 32, "16x2 16x2 cab4", 128, 103.23, 0, 0),
    ("f16", (16, 4), (2, 8, 2), 32, "16 16 cab4", 256, 111.86, 0, 0),
    ("f16", (8, 4), (4, 8, 1), 64, "64 16 cab4", 256, 132.11, 608, 0.3),
    ("f16", (8, 16), (2, 4, 2), 16, "16 16 cab4", 256, 135.47, 0, 0),
    ("f16", (32, 2), (2, 8, 1), 16, "16 16 cab4", 256, 171.27, 253, 0),
    ("f16", (8, 2), (2, 16, 1), 64, "16 64 cab4x2", 256, 210.66, 549, 0.44),
    ("int8", (32, 24), (4, 8, 1), 64, "64 32 cab3 xaf", 256, 10.8, 541, 0.47),
    ("int8", (32, 8), (4, 16, 1), 64, "32 32 cab4x2 xaf st", 256, 20.71, 1354, 0),
    ("int8", (16, 16), (8, 8, 1), 32, "32 32 cab4", 256, 21.6, 1125, 0),
    ("int8", (32, 8), (4, 8, 2), 32, "32 32 cab4", 128, 25.21, 0, 0),
    ("int8", (16, 16), (8, 4, 2), 32, "32 32 cab4", 128, 27.65, 0, 0),
    ("int8", (32, 4), (4, 16, 1), 64, "32 64 cab4", 256, 37.4, 1094, 0),
    ("int8", (16, 4), (4, 16, 1), 128, "128 32 cab4", 256, 45.94, 1086, 0),
    ("int8", (8, 16), (2, 8, 2), 32, "32x2 32x2 cab4", 256, 64.15, 0, 0),
    ("int8", (16, 2), (2, 16, 1), 128, "64 32 cab4", 256, 83.71, 471, 0.36),
    ("int8", (32, 2), (2, 8, 1), 32, "32 32 cab4", 256, 86.32, 218, 0),
    ("f16", (32, 16), (2, 8, 2), 64, "16 32x2 ca4x2 xaf", 256, 22.56, 0, 0),
    ("int8", (64, 16), (2, 16, 1), 128, "32 32 ca4 xaf", 256, 9.96, 514, 0.28),
    ("int8", (64, 16), (2, 16, 1), 64, "32 32x2 ca3 xaf", 256, 9.97, 514, 0.48),
    ("int8", (64, 16), (2, 8, 2), 64, "32 32 ca3", 256, 11.63, 0, 0),
    ("int8", (32, 16), (4, 8, 1), 128, "32 64x2 ca4 xaf st", 256, 12.24, 477, 0.41),
    ("int8", (32, 16), (4, 16, 1), 64, "32 32 ca3 xaf st", 256, 14.13, 799, 0),
])


HALF_WITHIN = 0.1
FIXED_WITHIN = 0.3
STORES = re.compile(r"^.*send\.ugm \(1\|M0\) null r\d+ r\d+:.*\n", re.MULTILINE)
PRODUCT_WITHIN = 0.15
LOOKUPS = "large int8 tiles wait for lookups of lines"
CLOCK = ("0.72 of the peak at Aurora's 1500 MHz, where int8 has 0.77; the clock under load is a "
         "hypothesis (xmx-clock=low)")
# machine, type, entries, m x n x k, published TOPS (0: only as a part of another),
# why it is missed. f16 and bf16 of a770: torch-performance-test-data#182; int8: what the
# catalog's own coefficients make of its best NN kernels; Max: one stack, ALCF
# 2026-01-12, of its own sizes (glennklockwood.com/garden/processors/pvc has 263 for f16).
# K of Max is no multiple of 4096 bytes, for L1 is not hashed here.
PRODUCTS = [
    (XEHPG, "f16", (0, 2, 3), (1024, 1024, 1024), 0, ""),
    (XEHPG, "f16", (0, 2, 3), (2048, 2048, 2048), 78.2, ""),
    (XEHPG, "bf16", (0, 2, 3), (2048, 2048, 2048), 81.4, ""),
    (XEHPG, "int8", (26, 27), (2048, 2048, 2048), 129, ""),
    (XEHPC, "f16", (1,), (1792, 2048, 4128), 247, CLOCK),
    (XEHPC, "int8", (16,), (1792, 2048, 4160), 529, LOOKUPS),
    (XEHPC, "int8", (15,), (2240, 2048, 4160), 529, ""),
]


def shape(family, entry):
    dtype, (columns, rows), (along_n, along_m, slices), step, more, grf, *_ = entry
    return family.kernels.Shape(rows, columns, (along_m, along_n, slices), step, more,
                                grf, dtype.replace("int8", "s8"))


class Run:
    """A shape's kernel on the simulator, files in a folder."""

    def __init__(self, xk, folder, family, s):
        self.xk, self.folder, self.family, self.s = xk, folder, family, s
        self.threads = s.threads[0] * s.threads[1] * s.threads[2]
        self.text = family.kernels.text

    def timing(self, size, buffers, values="", stores=True, check="none"):
        """As JSON, of A, B and C in `buffers`."""
        f, s, (m, n, _) = self.family, self.s, size
        opts, more = f.kernels.options(s)
        asm, code = self.folder / "a.asm", self.folder / "a.bin"
        text = self.text(s, *size)
        asm.write_text(text if stores else STORES.sub("", text))
        subprocess.run([self.xk, "asm", "-p", f.kernels.PLATFORM, "-o", code, asm],
                       check=True)
        done = subprocess.run(
            [self.xk, "run", "--json", f"--check={check}", f"--timing={f.machine}{values}", "-p",
             f.kernels.PLATFORM, f"--grf={s.grf}", "--inline=32", *opts,
             f"--simd={f.kernels.LANES}", f"--local={f.kernels.LANES * self.threads}",
             f"--groups={n // s.group()[1]},{m // s.group()[0]}", code, "code",
             *buffers, *more], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{s}: {done.stdout}")
        return json.loads(done.stdout)[0]["timing"]

    def multiplies(self):
        """Two groups, three steps, small whole numbers."""
        s, kernels = self.s, self.family.kernels
        m, n = 2 * s.group()[0], s.group()[1]
        k = 2 * getattr(s, "loop", 2 * s.step) * s.threads[2]
        read = range(kernels.read_k(s, k))
        a = [[(7 * i + 3 * p + i * p) % 5 - 2 for p in read] for i in range(m)]
        b = [[(3 * j + 2 * p + j * p) % 7 - 3 for p in read] for j in range(n)]
        for name, data in zip("ab", kernels.pack(s, a, b)):
            (self.folder / name).write_bytes(data)
        self.timing((m, n, k), [
            f"buf:{self.folder / 'a'}", f"buf:{self.folder / 'b'}",
            f"buf:zero:{4 * m * n * s.threads[2]}", f"--out=2:{self.folder / 'c'}"],
            check="all")
        c = struct.unpack(f"{m * n * s.threads[2]}{'f' if s.dtype == 'f16' else 'i'}",
                          (self.folder / "c").read_bytes())
        got = kernels.unpack(s, c, n)
        return len(got) == m * n and all(
            got[i, j] == sum(x * y for x, y in zip(a[i][:k], b[j]))
            for i in range(m) for j in range(n) if (i * n + j) % 37 == 0)

    def groups_of_a_core(self):
        s = self.s
        fit = self.family.xves * (8 if s.grf == 128 else 4) // self.threads
        return max(1, min(fit, SLM_B // getattr(s, "slm_b", 1)))

    def times(self, groups, k, values, stores=True):
        """{"nominal": us, "hypothesis=value": us} of so many groups a core, the same in
        cycles, and the report."""
        s, grid = self.s, self.family.grid
        m, n = grid[0] * s.group()[0] * groups, grid[1] * s.group()[1]
        read = s.elem_b * self.family.kernels.read_k(s, k)
        t = self.timing((m, n, k), [
            f"buf:zero:{m * read}", f"buf:zero:{n * read}",
            f"buf:zero:{4 * m * n * s.threads[2]}"], values, stores)
        all_of = {"nominal": t, **{f"{a['hypothesis']}={a['value']}": a
                                   for a in t.get("alternatives", ())}}
        return (*({name: x[key] for name, x in all_of.items()}
                  for key in ("time_us", "cycles")), t)

    def slopes(self, at_once=0, values=":all", ends=(256, 768)):
        """fs a multiply-add at the peak; nominally and by each other value. at_once:
        groups a core; ends: K."""
        s, f, groups = self.s, self.family, at_once or self.groups_of_a_core()
        least = s.step * s.threads[2]
        k0, k1 = (least * max(most, k // least) for k, most in zip(ends, (2, 6)))
        first, *_ = self.times(groups, k0, values)
        second, _, t = self.times(groups, k1, values)
        peak = t["cores"] * f.xves * f.macs * s.unit
        each = (f.grid[0] * s.group()[0] * groups * f.grid[1] * s.group()[1] *
                (k1 - k0))
        return 1e9 / (peak * t["clock_mhz"]), {
            name: (second[name] - first[name]) * 1e9 / each for name in first}

    def fixed(self, values=""):
        """Cycles that a group of a core costs without its loop and without what it
        stores: how many more there are for K -> 0 with twice the groups that fit."""
        fit, least = self.groups_of_a_core(), self.s.step
        k0, k1 = least * max(2, 256 // least), least * max(6, 768 // least)
        rest = []
        for groups in (fit, 2 * fit):
            first, second = (self.times(groups, k, values, False)[1]["nominal"]
                             for k in (k0, k1))
            rest.append(first - k0 * (second - first) / (k1 - k0))
        return (rest[1] - rest[0]) / fit


def ranks(values):
    """Equal ones share theirs."""
    return [sum(o < v for o in values) + (sum(o == v for o in values) + 1) / 2
            for v in values]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) + 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return product / (sum((x - mean) ** 2 for x in a) *
                      sum((y - mean) ** 2 for y in b)) ** 0.5


def peak_of(family, entry):
    """The part of the peak that the catalog's Ef is, at 2 GHz."""
    unit = 16 if entry[0] == "f16" else 32
    return 1e9 / (family.cores * family.xves * family.macs * unit * 2000) / entry[6]


def tell(family, entry, peak, fs, right):
    grf = entry[5]
    ours = [100 * peak / x for x in (fs["nominal"], max(fs.values()), min(fs.values()))]
    theirs = 100 * peak_of(family, entry)
    print(f"{named(entry)} {grf}: {ours[0]:5.1f} ({ours[1]:.1f} .. {ours[2]:.1f}), catalog "
          f"{theirs:5.1f}, ratio {ours[0] / theirs:.2f}{'' if right else ', WRONG'}",
          flush=True)


def correlations(family, rows):
    """Prints them; how many nominal ones are too small without a reason."""
    bad = 0
    print(f"rank correlation (at least {WANTED} wanted): f16, int8, all")
    for word in rows[0][2]:
        each = [spearman(*zip(*((ef, fs[word]) for dtype, ef, fs in rows
                                if dtype in types)))
                for types in (("f16",), ("int8",), ("f16", "int8"))]
        missed = word == "nominal" and min(each) < WANTED
        bad += missed and not family.why
        print(f"{word:20} " + " ".join(f"{x:6.3f}" for x in each) +
              (f"  MISSED {family.why}" if missed else ""))
    return bad


def named(entry):
    return (f"{entry[0]:5} {entry[1][0]}x{entry[1][1]:<3} group "
            f"{'x'.join(map(str, entry[2])):7} k {entry[3]:3}")


def near(rows, within, off):
    """Prints for each value how many of (catalog's, {value: model's}) are near."""
    print("by value: within, median difference")
    for word in rows[0][1]:
        each = [off(model[word], want) for want, model in rows]
        print(f"{word:20} {sum(abs(x) <= within for x in each):2} of {len(each)}, "
              f"{statistics.median(each):+.2f}")


def residency(xk, folder):
    """One group a core beside two. The slope is a long one, since a single group's steps
    are not equally long in the model."""
    print("\nparts of the peak of one group a core, of two, and the ratio: model; catalog's")
    rows = []
    for entry in (e for e in XEHPG.entries if e[8] >= 0.5):
        run = Run(xk, folder, XEHPG, shape(XEHPG, entry))
        (peak, one), (_, two) = (run.slopes(n, ends=(512, 3072)) for n in (1, 2))
        rows.append((entry[8], {word: two[word] / one[word] for word in one}))
        got, want = rows[-1][1]["nominal"], entry[8]
        full = peak_of(XEHPG, entry)
        print(f"{named(entry)}: {peak / one['nominal']:.2f}, "
              f"{peak / two['nominal']:.2f}, {got:.2f}; {full * want:.2f}, {full:.2f}, "
              f"{want:.2f}{'' if abs(got - want) <= HALF_WITHIN else '  MISSED'}",
              flush=True)
    near(rows, HALF_WITHIN, lambda got, want: got - want)


def fixed(xk, folder):
    """What a group costs besides its loop."""
    for family in (XEHPC, XEHPG):
        rows = []
        print(f"\n{family.machine}: cycles of a group without its loop: model, catalog's "
              "C1 at 2 GHz")
        for entry in (e for e in family.entries if e[7]):
            run = Run(xk, folder, family, shape(family, entry))
            got = {word: run.fixed(":" * (word != "nominal") + word.replace("nominal", ""))
                   for word in ("nominal", "start=16", "start=35")}
            want = 2 * entry[7]
            rows.append((want, got))
            part = got["nominal"] / want
            print(f"{named(entry)}: {got['nominal']:.0f}, {want}, {part:.2f}"
                  f"{'' if abs(part - 1) <= FIXED_WITHIN else '  MISSED'}", flush=True)
        near(rows, FIXED_WITHIN, lambda got, want: got / want - 1)


def product(xk, folder, family, dtype, entries, size):
    """TOPS of the best of these kernels, by each value of a hypothesis."""
    best = {}
    for entry in entries:
        s = shape(family, (dtype, *family.entries[entry][1:]))
        m, n, k = size
        read = s.elem_b * family.kernels.read_k(s, k)
        t = Run(xk, folder, family, s).timing(size, [
            f"buf:zero:{m * read}", f"buf:zero:{n * read}", f"buf:zero:{4 * m * n}"],
            ":all")
        for word, us in [("nominal", t["time_us"]), *(
                (f"{a['hypothesis']}={a['value']}", a["time_us"])
                for a in t["alternatives"])]:
            best[word] = max(best.get(word, 0), 2 * m * n * k / us / 1e6)
    return best


def products(xk, folder):
    """Whole products beside published ones; how many figures miss."""
    print("\nproducts, TOPS of the best of these kernels: model, published; by hypothesis")
    bad, got = 0, {}
    for family, dtype, entries, size, want, why in PRODUCTS:
        by = product(xk, folder, family, dtype, entries, size)
        rate = got[dtype, size[0]] = by["nominal"]
        if not want:
            continue
        met = abs(rate / want - 1) <= PRODUCT_WITHIN
        bad += not met and not why
        print(f"{dtype:5} {'x'.join(map(str, size)):16} {family.machine}: {rate:.1f}, "
              f"{want}, {rate / want:.2f}{'' if met else '  MISSED ' + why}; " +
              ", ".join(f"{word} {x:.1f}" for word, x in by.items()
                        if abs(x / rate - 1) > 0.01), flush=True)
    part = got["f16", 1024] / got["f16", 2048]
    missed = not 0.6 <= part <= 0.75
    print(f"f16 n=1024 on a770: {got['f16', 1024]:.1f}, {part:.2f} of n=2048 (0.6 to 0.75 "
          f"wanted){missed * '  MISSED'}")
    return bad + missed


def compare(xk):
    """Prints; how many kernels are wrong, and correlations too small."""
    bad = 0
    for family in (XEHPC, XEHPG):
        rows = []
        print(f"\n{family.machine}: rates in hundredths of the peak; the catalog's are "
              f"of {family.cores} cores at 2 GHz")
        with tempfile.TemporaryDirectory() as name:
            for entry in family.entries:
                run = Run(xk, Path(name), family, shape(family, entry))
                right = run.multiplies()
                bad += not right
                peak, fs = run.slopes()
                rows.append((entry[0], entry[6], fs))
                tell(family, entry, peak, fs, right)
        bad += correlations(family, rows)
    with tempfile.TemporaryDirectory() as name:
        residency(xk, Path(name))
        fixed(xk, Path(name))
        bad += products(xk, Path(name))
    return bad


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]) > 0)
