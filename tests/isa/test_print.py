#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_print.py TOOL FOLDER [--corpus CACHE]: our text against iga64's.

TOOL is tests/isa/print_tool.c, FOLDER the project's tests. Kernels compiled by
ocloc for three platforms at two widths, the instructions of FOLDER/isa/*.asm,
random ones (XK_TEST_SEED) and sends crafted from every message of the LSC ports
are disassembled by iga64 and by us, by default and with messages spelled out;
the lines must be equal, white space and comments apart, and iga64 must assemble
ours to the same bytes.
With --corpus the kernels of tests/corpus/compile.py's cache are compared too.
Writes TAP. Exit 77: iga64 is not installed."""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

sys.dont_write_bytecode = True

from iga_batch import code_sections

# ours: iga64's, ocloc's, SIMD widths, OpenCL C
PLATFORMS = {"xelp": ("12p1", "tgllp", (8, 16), "CL3.0"),
             "xehpg": ("12p71", "dg2", (8, 16), "CL3.0"),
             "xehpc": ("12p72", "pvc", (16, 32), "CL2.0")}
SOURCES = {"xelp": ("opencl/flow.cl", "opencl/memory.cl"),
           "xehpg": ("opencl/flow.cl", "opencl/memory.cl", "isa/kernels.cl"),
           "xehpc": ("opencl/flow.cl", "opencl/memory.cl")}
SEED = int(os.environ.get("XK_TEST_SEED", "20260101"))
# Registers whose subregisters iga64 counts in a unit of their own, and what it
# leaves out or rounds.
FORMS = """mov (1|M0) r1.0<1>:ud fc0.1<0;1,0>:ud
mov (1|M0) r1.0<1>:uw fc0.2<0;1,0>:uw
mov (1|M0) msg2.0<1>:ud ce<0;1,0>:ud
mov (1|M0) r1.0<1>:ud ip<0;1,0>:ud
mov (8|M0) r1.0<1>:f 3.14159274:f
mov (8|M0) r1.0<1>:f 1e-40:f
mov (8|M0) r1.0<1>:f 0xFFC00001:f
mov (8|M0) r1.0<1>:f -0.0:f
mov (8|M0) r1.0<1>:hf 0.333251953125:hf
mov (8|M0) r1.0<1>:f 0x30405060:vf
(W) mov (1|M0) a0.3<1>:uw 0xFFFF:uw
(~f1.1) sel (8|M8) r1.0<1>:w r2.7<16;8,2>:w -32768:w
L9:
(W&f0.1) while (16|M0) L9
call (8|M0) r7.0 L9
sync.allwr ($0,$15)
"""
MODES = {"default": [], "ldst": ["-Xprint-ldst"]}


def run(command, **more):
    """Standard output; what fails says why."""
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: exit {done.returncode}\n"
                           f"{(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def lines_of(text):
    """Lines without comments and white space."""
    text = re.sub(r"/\*.*?\*/|//.*", "", text)
    squeezed = (re.sub(r"\s+", "", line) for line in text.split("\n"))
    return [line for line in squeezed if line]


def compile_source(source, platform, simd, folder):
    """Files of code, one a kernel."""
    _, device, _, standard = PLATFORMS[platform]
    name = f"{source.stem}-{platform}-{simd}"
    run(["ocloc", "compile", "-file", source, "-device", device, "--format",
         "zebin", "-output", name, "-out_dir", folder, "-output_no_suffix",
         "-options", f"-cl-std={standard} -D XK_{device.upper()} "
         f"-D XK_SIMD={simd}"],
        env=os.environ | {"IGC_ForceOCLSIMDWidth": str(simd)})
    paths = []
    for k, code in enumerate(code_sections((folder / name).read_bytes())):
        paths.append(folder / f"{name}-{k}.bin")
        paths[-1].write_bytes(code)
    return paths


def compiled(tests, platform, folder):
    """Code of all sources at all widths."""
    jobs = [(tests / s, platform, simd, folder)
            for s in SOURCES[platform] for simd in PLATFORMS[platform][2]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda job: compile_source(*job), jobs), [])


def lsc_messages():
    """(port, exec size, exdesc, desc): each operation with each data size,
    vector, address size, surface and cache control that goes with it; lengths
    are computed by nobody here, they are any."""
    ops = {"load": (0x00, 0x01), "store": (0x04, 0x05, 0x1c),
           "cmask": (0x02, 0x06, 0x20), "2d": (0x03, 0x07),
           "atomic": tuple(range(0x08, 0x1b))}
    lengths = 2 << 20 | 4 << 25
    for size in range(6):
        for vector in range(8 if size < 4 else 1):
            for op in ops["load"][:1] + ops["store"][:1]:
                yield "ugm", 16, 0, lengths | op | 3 << 7 | size << 9 | \
                    vector << 12
    for size in (2, 3):
        for vector in range(8):
            for op in (0x00, 0x04):
                yield "ugm", 1, 0, lengths | op | 3 << 7 | size << 9 | \
                    vector << 12 | 1 << 15
                yield "slm", 1, 0, lengths | op | 2 << 7 | size << 9 | \
                    vector << 12 | 1 << 15
    for cache in range(8):
        for op in (0x00, 0x02, 0x04, 0x06, 0x0c):
            if op == 0x0c and cache > 2:
                continue  # iga64 prints what it then cannot read
            extra = 3 << 12 if op in (2, 6) else 0
            yield "ugm", 16, 0, lengths | op | 3 << 7 | 2 << 9 | extra | \
                cache << 17
    for mask in range(1, 16):
        for op in (0x02, 0x06):
            for port, address in ("ugm", 3), ("slm", 2):
                yield port, 16, 0, lengths | op | address << 7 | 2 << 9 | \
                    mask << 12
            yield "tgm", 8, 5 << 24, lengths | op | 2 << 7 | 2 << 9 | \
                mask << 12 | 3 << 29
    for op in ops["atomic"]:
        for port, exec_size, address in ("ugm", 16, 3), ("slm", 16, 2):
            for size in (2, 3, 5):
                for back in (0, 2):
                    yield port, exec_size, 0, back << 20 | 4 << 25 | op | \
                        address << 7 | size << 9
    for kind, surface in (1, "a0.2"), (2, "a0.4"), (3, 7 << 24), (3, 255 << 24):
        for op in (0x00, 0x04, 0x02, 0x06, 0x0c):
            extra = 15 << 12 if op in (2, 6) else 0
            for address in (2, 3):
                yield "ugm", 16, surface, lengths | op | address << 7 | \
                    2 << 9 | extra | kind << 29
    for op in (0x1f, 0x1b):
        yield "ugm", 16, 0, 1 << 20 | 4 << 25 | op | 3 << 7 | 2 << 9


def block2d_messages():
    """2D blocks, a platform without them leaves them raw."""
    for size in range(4):
        for cache in (0, 1, 4):
            yield "ugm", 1, 0, 0x02400003 | size << 9 | cache << 17
            yield "ugm", 1, 0, 0x02000007 | size << 9 | cache << 17
        yield "ugm", 1, 0, 0x02400003 | size << 9 | 1 << 7
        yield "ugm", 1, 0, 0x02400003 | size << 9 | 1 << 15


def crafted_messages(platform):
    """The messages that the platform has."""
    yield from lsc_messages()
    if platform == "xehpc":
        yield from block2d_messages()


def random_messages(rng, count):
    """Descriptors of the LSC ports of any bits, most of them legal in most."""
    for _ in range(count):
        port = rng.choice(("ugm", "ugm", "ugml", "slm", "tgm"))
        op = rng.choice((0, 0, 0, 1, 2, 3, 4, 4, 4, 6, 7, 0x1c,
                         rng.randrange(64)))
        if rng.random() < 0.3:
            op = rng.randrange(8, 0x1b)
        desc = op | rng.randrange(1, 4) << 7
        desc |= rng.choice((2, 2, 3, 4, 5, 6, 7)) << 9
        desc |= rng.choice((0, 0, 1, rng.randrange(8))) << 12
        desc |= rng.choice((0, 0, 0, 1)) << 15
        cache = rng.choice((0, 0, 1, rng.randrange(8)))
        if port != "slm":  # there iga64 drops it
            desc |= cache << 17
        desc |= rng.choice((0, 1, 2)) << 20 | rng.choice((1, 2, 4)) << 25
        surface = 0 if port == "slm" else rng.choice((0, 0, 1, 2, 3))
        desc |= surface << 29
        if rng.random() < 0.1 and port != "slm":
            desc ^= 1 << rng.randrange(32)
        exdesc = 0
        if surface or rng.random() < 0.05:
            exdesc = rng.choice((0, 0, "a0.2", 255 << 24,
                                 rng.randrange(1 << 14) << 12))
        yield port, rng.choice((1, 8, 16, 16)), exdesc, desc


def sends(messages):
    """Assembler text."""
    for k, (port, size, exdesc, desc) in enumerate(messages):
        second = "null:0" if desc & 0x3f in (0, 1, 2, 3, 0x1f, 0x1b) else "r9:2"
        if desc & 0x3f in (0x04, 0x05, 0x06, 0x07, 0x1c, 0x20):
            desc &= ~(31 << 20)
        first = f"r{1 + k % 100}" if desc >> 20 & 31 else "null"
        if isinstance(exdesc, str):
            second = second.split(":")[0]
        else:
            exdesc = f"0x{exdesc:X}"
        mask = "(W) " if size == 1 else "(~f0.1) " if k % 3 == 0 else ""
        yield (f"{mask}send.{port} ({size}|M0) {first} r{20 + k % 80} {second}"
               f" {exdesc} 0x{desc:08X} {{${k % 16}}}")


class Checker:
    """Compares, counts, writes TAP."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.n, self.failed = 0, 0
        self.slowest = 0.0
        self.unreadable = 0

    def report(self, ok, what, detail=""):
        """One TAP line."""
        self.n += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'not ok'} {self.n} - {what}")
        for line in detail.split("\n") if detail else []:
            print(f"# {line}")

    def assemble(self, platform, text, name):
        """iga64's bytes of a text."""
        source, out = self.folder / f"{name}.asm", self.folder / f"{name}.out"
        source.write_text(text, encoding="utf-8")
        run(["iga64", "-a", "-Xldst-syntax", f"-p={PLATFORMS[platform][0]}",
             source, "-o", out])
        return out.read_bytes()

    def same_bytes(self, platform, text, path, mode):
        """iga64 reads our text back to the bytes of the file."""
        code = path.read_bytes()
        again = self.assemble(platform, text, f"{path.stem}-{mode}-again")
        if code[-8:] == bytes(8) and \
                len(again) == len(code) - 8:
            code = code[:-8]  # no text stands for half an instruction
        return "" if again == code else f"{path.name}: other bytes"

    def difference(self, platform, path, mode, theirs):
        """The first difference in words, and how many lines there are."""
        ours, ms = run([self.tool, platform, mode, path]).rsplit("=== ", 1)
        size = path.stat().st_size
        if size >= 8192:
            self.slowest = max(self.slowest, float(ms) / size * 60 * 1024)
        a, b = lines_of(theirs), lines_of(ours)
        for k, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return f"{path.name} line {k}:\n  iga  {x}\n  ours {y}", len(a)
        if len(a) != len(b):
            return f"{path.name}: {len(a)} lines, ours {len(b)}", len(a)
        if mode == "ldst" and any("{ExBSO" in x and "a0." not in x for x in a):
            self.unreadable += 1  # by iga64, which wrote the same
            return "", len(a)
        return self.same_bytes(platform, ours, path, mode), len(a)

    def compare_random(self, platform, count):
        """Messages of any bits: iga64 reads ours back, and what we spell out
        it spells so. It spells more: what loses bits on the way back, and what
        no hardware has."""
        rng = random.Random(SEED)
        iga = PLATFORMS[platform][0]
        path = self.folder / f"{platform}-random.bin"
        path.write_bytes(self.assemble(
            platform, "\n".join(sends(random_messages(rng, count))) + "\n",
            path.stem))
        theirs = [line for line in run(["iga64", "-d", f"-p={iga}",
                                        "-Xprint-ldst", path]).split("\n")
                  if line.strip()]
        ours = run([self.tool, platform, "ldst", path]).rsplit("=== ", 1)[0]
        wrong = [self.same_bytes(platform, ours, path, "ldst")]
        mine = lines_of(ours)
        other = [k for k, line in enumerate(theirs)
                 if lines_of(line) != [mine[k]]]
        wrong += [f"{theirs[k]}: {mine[k]}" for k in other
                  if "send." not in mine[k]]
        wrong = [w for w in wrong if w]
        spelled = sum("send." not in line for line in mine)
        self.report(not wrong and spelled > count / 5,
                    f"{platform} ldst: {count} random messages, {spelled} "
                    f"spelled out, {len(other)} by iga64 only",
                    "\n".join(wrong[:5]))

    def compare_one(self, platform, path, mode, theirs):
        """What is wrong, and the number of lines."""
        if theirs is None:
            theirs = run(["iga64", "-d", f"-p={PLATFORMS[platform][0]}",
                          *MODES[mode], path])
        try:
            return self.difference(platform, path, mode, theirs)
        except RuntimeError as failure:
            return str(failure), 0

    def compare(self, platform, paths, what, texts=None, modes=tuple(MODES)):
        """All files in all modes."""
        for mode in modes:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                results = list(pool.map(
                    lambda path, m=mode: self.compare_one(
                        platform, path, m,
                        texts[path][m].read_text() if texts else None), paths))
            total = sum(n for _, n in results)
            wrong = [bad for bad, _ in results if bad]
            self.report(not wrong and total > 0,
                        f"{platform} {mode}: {what}, {len(paths)} files, "
                        f"{total} lines", "\n".join(wrong[:5]))


def corpus_of(cache, platform):
    """Files and iga64's texts of the corpus cache."""
    texts = {}
    rows = (cache / "index.txt").read_text(encoding="utf-8").splitlines()
    names = rows[0].split("\t")
    for row in rows[1:]:
        r = dict(zip(names, row.split("\t")))
        if r["platform"] == platform:
            texts[Path(r["bin"])] = {"default": Path(r["asm"]),
                                     "ldst": Path(r["ldst"])}
    return texts


def check_platform(checker, platform, tests, cache):
    """Everything of one platform."""
    listing = tests / "isa" / f"{platform}.asm"
    if listing.exists():
        path = checker.folder / f"{platform}-forms.bin"
        path.write_bytes(checker.assemble(
            platform, listing.read_text(encoding="utf-8"), path.stem))
        checker.compare(platform, [path], "opcodes and forms",
                        modes=("default",))
    path = checker.folder / f"{platform}-more.bin"
    path.write_bytes(checker.assemble(platform, FORMS, path.stem))
    checker.compare(platform, [path], "registers and numbers",
                    modes=("default",))
    path = checker.folder / f"{platform}-any.bin"
    run([checker.tool, platform, "random", SEED, 10000, path])
    checker.compare(platform, [path], "random instructions",
                    modes=("default",))
    if platform != "xelp":
        path = checker.folder / f"{platform}-sends.bin"
        path.write_bytes(checker.assemble(
            platform, "\n".join(sends(crafted_messages(platform))) + "\n",
            path.stem))
        checker.compare(platform, [path], "crafted messages")
        checker.compare_random(platform, 3000)
    if shutil.which("ocloc"):
        checker.compare(platform, compiled(tests, platform, checker.folder),
                        "compiled kernels")
    if cache:
        texts = corpus_of(cache, platform)
        checker.compare(platform, list(texts), "corpus", texts)


def main():
    """Command line."""
    if not shutil.which("iga64"):
        print("1..0 # SKIP iga64 is not installed")
        return 77
    tool, tests = Path(sys.argv[1]), Path(sys.argv[2])
    cache = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if not shutil.which("ocloc"):
        print("# ocloc is not installed: no compiled kernels")
    with tempfile.TemporaryDirectory(prefix="xk_print_") as folder:
        checker = Checker(tool, Path(folder))
        for platform in PLATFORMS:
            check_platform(checker, platform, tests, cache)
    print(f"# 60 KB in {checker.slowest:.2f} ms at most")
    if checker.unreadable:
        print(f"# {checker.unreadable} texts that iga64 wrote too and does not "
              "read")
    print(f"1..{checker.n}")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
