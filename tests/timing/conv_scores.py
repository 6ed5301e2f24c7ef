#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conv_scores.py ONEDNN > conv_scores.txt: the table that conv_rank.py reads, from a
clone of uxlfoundation/oneDNN (the table's head says at which commit).

oneDNN has a table of tuned blockings of convolutions (lookup_table_data.cpp) and a
regressor for others, gradient-boosted trees that were fitted to times on hardware
(model.hpp, model_xehpg_common_data.cpp). For each line of the table that a kernel of
ours can have the structure of, this writes the regressor's score of the line's
blocking and of its neighbours: one or two changes of tile, group and slices
(rows or columns halved or doubled, the group turned, 1, 2 or 4 slices; a group that
fills a core is halved). Those that pad the output's width more than the tuned one are
left out."""
import itertools
import re
import struct
import subprocess
import sys
from pathlib import Path

FOLDER = "src/gpu/intel/conv/jit"
EUS, THREADS, FUSED_CORE = 512, 4, 16  # of xehpg, as model.hpp has them
TYPES = {"x16": ("f16", 2), "x8": ("u8s8", 1)}  # ours; its number, of both tensors
XEHPG = 1
MOST = 64  # threads of a core
SIZES = r"mb|ic|oc|ih|oh|iw|ow|kh|kw|sh|sw|ph|pw|id|od|kd|g"


class Stream:
    """Little-endian numbers."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]


class Trees:
    """The regressor."""

    def __init__(self, text):
        words = re.findall(r"0x[0-9a-f]{16}", text)
        s = Stream(b"".join(struct.pack("<Q", int(w, 16)) for w in words))
        self.rate = s.take("f")
        self.buckets = []
        for _ in range(s.take("Q")):
            n = s.take("Q")
            self.buckets.append(struct.unpack_from(f"<{n}f", s.data, s.at))
            s.at += 4 * n
        self.first, self.trees = s.take("f"), []
        for _ in range(s.take("Q")):
            s.take("4i")
            n = s.take("Q")
            self.trees.append(s.data[s.at:s.at + n])
            s.at += n
        assert 0 <= len(s.data) - s.at < 8, "the stream does not end where it should"

    def score(self, features):
        x = [next((i for i, limit in enumerate(b) if limit >= v), len(b))
             for b, v in zip(self.buckets, features)]
        return self.first + self.rate * sum(map(lambda t: leaf(t, x), self.trees))


def leaf(tree, x):
    at = 0
    while tree[at] != 0xFF:
        right = int.from_bytes(tree[at + 2:at + 4], "little")
        at = at + 4 if x[tree[at]] <= tree[at + 1] else right
    return struct.unpack_from("<f", tree, at + 1)[0]


def numbers(text):
    """{name: number} of "ic16oc32"."""
    return {k: int(v) for k, v in re.findall(rf"({SIZES})(\d+)", text)}


def up(x, by):
    return -(-x // by) * by


class Line:
    """A tuned blocking: of problem, group and tile."""
    FORM = re.compile(r'"xehpg dpas fwd (x\d+):\S+ mb(\d+)(b?) (\S+) simd=8 l=\S+ '
                      r'T=(\S+) i=(\S+)(?: bufs=(\d))?"')

    def __init__(self, match):
        self.kind, mb, blocked, desc, group, tile, bufs = match.groups()
        self.size, self.group = {"mb": int(mb), **numbers(desc)}, numbers(group)
        self.tile = numbers(tile)
        s = self.size
        for a, b in (("ih", "iw"), ("oh", "ow"), ("kh", "kw"), ("ph", "pw"),
                     ("sh", "sw")):
            if a in s:
                s.setdefault(b, s[a])
        for name in ("kh", "kw", "oh", "ow"):
            s.setdefault(name, 1)
        self.own = bufs == "0" and not blocked and self.fits()

    def fits(self):
        """Whether the library's kernels can be so: no groups, no packed taps, K in
        whole dpas, whole blocks of eight rows."""
        s, t = self.size, self.tile
        rows = t.get("mb", 1) * t.get("ow", 1)
        return (not {"g", "kw", "kh"} & set(t) and "od" not in s and
                s["ic"] % t["ic"] == 0 and rows % 8 == 0 and t["oc"] % 8 == 0)

    @staticmethod
    def along(block, m):
        """The part of a block along M, or N."""
        return block.get("mb", 1) * block.get("ow", 1) if m else block.get("oc", 1)

    def neighbours(self):
        """(tile's rows and columns, threads along M and N, slices)."""
        m, n = self.along(self.tile, True), self.along(self.tile, False)
        tm, tn = self.along(self.group, True), self.along(self.group, False)
        slices = self.group.get("ic", 1)
        own = ((m, n), (tm, tn), slices)
        singles = [((m2, n2), None, None) for m2, n2 in (
            (m // 2, n), (2 * m, n), (m, n // 2), (m, 2 * n))]
        singles += [(None, (tn, tm), None)] if tm != tn else []
        if tm * tn == MOST:  # too large for slices
            singles += [(None, (tm // 2, tn), None), (None, (tm, tn // 2), None)]
        singles += [(None, None, k) for k in (1, 2, 4) if k != slices]
        found = {own}
        for a, b in [(s, s) for s in singles] + [*itertools.combinations(singles, 2)]:
            if all(x is None or y is None or x == y for x, y in zip(a, b)):
                found.add(tuple(x or y or o for x, y, o in zip(a, b, own)))
        return [own] + sorted(p for p in found - {own} if self.possible(*p) and
                              self.padded(*p[:2]) == self.padded(*own[:2]))

    def padded(self, tile, group):
        """The width that groups work on. oneDNN's blocks lie in one row of the output;
        rows of our tiles run on in the next one, without padding, so that a blocking
        that pads more is another structure."""
        return up(self.size["ow"], tile[0] // self.tile.get("mb", 1) * group[0])

    def possible(self, tile, group, slices):
        k = self.size["ic"]
        return (tile[0] % 8 == 0 and tile[1] % 8 == 0 and max(tile) <= 64 and
                group[0] * group[1] * slices <= MOST and
                k % (self.tile["ic"] * slices) == 0)

    def features(self, tile, group, slices):
        """model.hpp's nineteen, and the operations with padding."""
        s, k_tile = self.size, self.tile["ic"]
        mb_tile = self.tile.get("mb", 1)
        mb = up(s["mb"], mb_tile)
        m = mb * s["oh"] * self.padded(tile, group)
        n, k = up(s["oc"], tile[1] * group[1]), s["ic"] * s["kh"] * s["kw"]
        k_loop = k // k_tile // slices
        threads = (m // tile[0]) * (n // tile[1]) * slices
        groups, most = threads // (group[0] * group[1] * slices), EUS * THREADS
        waves = -(-threads // most)
        type_id = TYPES[self.kind][1]
        ops = 2.0 * m * n * k
        grid = (m // (group[0] * tile[0])) * (n // (group[1] * tile[1]))
        pair = tile[0] % 2 == 0 and group[1] % 2 == 0
        return [XEHPG, min(1, threads / most), threads // (waves * most),
                min(1, groups / (EUS // FUSED_CORE * THREADS)), ops, grid, 1,
                group[0], group[1], slices, 1, tile[0], tile[1], k_tile, k_loop,
                1, float(pair), type_id, type_id], ops


def problem(line):
    s = line.size
    if "iw" not in s:
        return None
    height = f"ih{s['ih']}" if "ih" in s else "ih1"
    out = f"oh{s['oh']}ow{s['ow']}"
    return (f"mb{s['mb']}ic{s['ic']}{height}iw{s['iw']}oc{s['oc']}{out}kh{s['kh']}"
            f"kw{s['kw']}sh{s.get('sh', 1)}sw{s.get('sw', 1)}ph{s.get('ph', 0)}"
            f"pw{s.get('pw', 0)}")


def main():
    clone = Path(sys.argv[1])

    def show(name):
        return subprocess.run(["git", "-C", clone, "show", f"HEAD:{FOLDER}/{name}"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout

    commit = subprocess.run(["git", "-C", clone, "rev-parse", "HEAD"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout[:10]
    trees = Trees(show("model_xehpg_common_data.cpp"))
    lines = [Line(m) for m in Line.FORM.finditer(show("lookup_table_data.cpp"))]
    lines = [x for x in lines if x.own and problem(x)]
    print(f"# uxlfoundation/oneDNN at {commit} (Apache-2.0), {FOLDER}: problems and\n"
          "# blockings of lookup_table_data.cpp, the first of each problem, and times\n"
          "# (us) by the regressor of model_xehpg_common_data.cpp; made by\n"
          "# conv_scores.py. type problem, then: m n tg slices us")
    for line in lines:
        print(TYPES[line.kind][0], problem(line))
        for tile, group, slices in line.neighbours():
            features, ops = line.features(tile, group, slices)
            peak = 2.05e9 * EUS * (256 if line.kind == "x16" else 512)
            us = ops / (trees.score(features) * peak) * 1e6
            print(f"  {tile[0]} {tile[1]} {group[0]}x{group[1]} {slices} {us:.2f}")


if __name__ == "__main__":
    main()
