#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""programs.py XK WRITE_MANY: xk gen --formula, and programs in files: run, lint,
dis. Expected values are plain loops in here. TAP."""
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

MATMUL = "A: f32[5,12]; B: f32[12,20]; T[m,n] += A[m,k] * B[k,n]"
NEXT = "T: f32[5,20]; D: f32[20,8]; C[m,n] += T[m,k] * D[k,n]"
# docs/contraction.md's first line, smaller.
CONV = ("I: f16[2,16,9,9]; W: f16[16,16,3,3]; "
        "O: f16[2,16,5,9]; "
        "O[n,o,h,w] += I[n,c,2*h+r-1,w+s-1] * W[o,c,r,s]")

# Arguments, exit code, what stderr must match; in a folder with one.zebin,
# two.zebin, conv.zebin, many.zebin, small (7 bytes) and raw.
BAD = [
    (["gen", "--formula"], 2, "--formula: needs"),
    (["gen", "--formula", "A["], 1, "position 3: expected a name"),
    (["gen", "--formula", MATMUL, "mb1ic3ih5oc4"], 2, "instead of a problem"),
    (["gen", "--formula", MATMUL, "--stag=axb"], 2, "stag: does nothing with"),
    (["gen", "--formula", "B: f33[4]; A[m] += B[m] * C[m]"], 1, "no such type"),
    (["gen", "--formula", "A[m,n] += B[m,k] * C[k,n]"], 1, "declare it"),
    (["gen", "--formula", MATMUL, "-p", "vax"], 2, "platform=vax"),
    (["gen", "--formula", MATMUL, "-p", "xehpc"], 1, "platform=xehpc"),
    (["gen", "--formula", "A: f64[4,4]; B: f64[4,4]; C[m,n] += A[m,k]*B[k,n]"],
     1, "f64"),
    (["gen", "--formula", MATMUL, "--formula", MATMUL], 1,
     "formula 2: tensor T: formula 1 makes it, too"),
    (["gen", "--formula", NEXT, "--formula", MATMUL], 1,
     "formula 2: tensor T: formula 1 reads it before"),
    (["gen", "--formula", MATMUL, "--formula", NEXT.replace("5,", "6,")], 1,
     "formula 2: tensor T: its type, dims or layout are not those of formula "
     "1"),
    (["gen", "--formula", MATMUL, "--formula", NEXT.replace("T[m", "T[n")], 1,
     r"formula 2: formula: "),
    (["gen"] + ["--formula", MATMUL] * 65, 2, "more than 64"),
    (["run", "two.zebin"], 1, "argument 0, 'A', a buffer: is not given"),
    (["run", "two.zebin", "A=buf:zero", "D=buf:zero"], 1, "'B', a buffer: is not"),
    (["run", "two.zebin", "Q=buf:zero"], 1,
     "Q=buf:zero: the program has no such argument, but A, B, D, C"),
    (["run", "two.zebin", "T=buf:zero"], 1, "no such argument"),
    (["run", "two.zebin", "A=buf:zero", "A=buf:zero"], 1,
     "argument 0, 'A': 'buf:zero' is given, and 'buf:zero'"),
    (["run", "two.zebin", "buf:zero", "A=buf:zero"], 1, "is given, and"),
    (["run", "two.zebin"] + ["buf:zero"] * 5, 1, "the program has 4 arguments"),
    (["run", "two.zebin", "A=f32:1"], 1, "'A': takes a buffer; 'f32:1' was given"),
    (["run", "two.zebin", "A=slm:64"], 1, "'A': takes a buffer; 'slm:64' was"),
    (["run", "two.zebin", "A=buf:small", "B=buf:zero", "D=buf:zero"], 1, "'A', has 7 bytes, need at least 240"),
    (["run", "two.zebin", "A=buf:rand:f99"], 1, "argument 0: type 'f99' is"),
    (["run", "two.zebin", "A=buf:rand:f32:x"], 1, "count 'x' is not of"),
    (["run", "two.zebin", "A=buf:no/such"], 1, "no/such"),
    (["run", "two.zebin", "--out", "Z:out"], 1, "out=Z: the program has no such"),
    (["run", "two.zebin", "--out", "9:out"], 1, "out=9: the program has no such"),
    (["run", "two.zebin", "--out", ":out"], 2, "out=:out: not N:FILE"),
    (["run", "two.zebin", "A=buf:small", "--out", "A:small"], 2,
     "out=small: is also an argument's file"),
    (["run", "two.zebin", "-g", "2"], 2, "groups: does nothing without a k"),
    (["run", "two.zebin", "-l", "16"], 2, "local: does nothing without a kern"),
    (["run", "two.zebin", "--simd=8"], 2, "simd: does nothing without a kern"),
    (["run", "two.zebin", "xk_C", "--out", "C:out"], 2, "out=C:out: not N:FILE"),
    (["run", "two.zebin", "xk_X"], 1, "kernel 'xk_X' is not in the file"),
    (["run", "raw", "-p", "xehpg", "buf:zero:64"], 1,
     "raw: no kernel given; that of raw code is called code"),
    (["run", "many.zebin", "x=f32:1"], 1, "'x': takes s32; 'f32:1' was given"),
    (["run", "many.zebin", "wide=s32:1"], 1, "'wide': takes s64; 's32:1' was"),
    (["run", "many.zebin", "y=buf:zero:4"], 1, "'y': takes f32; 'buf:zero:4'"),
    (["run", "many.zebin"] + ["buf:zero"] * 13, 1, "'x', s32: is not given"),
    (["lint", "--kernel=xk_X", "two.zebin"], 1, "kernel 'xk_X' is not in the file, which has xk_T, xk_C"),
    (["dis", "--kernel=xk_X", "two.zebin"], 1, "kernel 'xk_X' is not in the file, which has xk_T, xk_C"),
]


def floats(path):
    data = Path(path).read_bytes()
    return struct.unpack(f"<{len(data) // 4}f", data)


def halves(path):
    data = Path(path).read_bytes()
    return struct.unpack(f"<{len(data) // 2}e", data)


def write(path, form, values):
    Path(path).write_bytes(struct.pack(f"<{len(values)}{form}", *values))


def numbers(n, seed):
    """Small whole numbers, so that every sum is exact."""
    return [(i * 7 + seed * 13) % 11 - 5 for i in range(n)]


def product(a, b, rows, inner, columns):
    """a[rows][inner] times b[inner][columns]."""
    return tuple(float(sum(a[m * inner + k] * b[k * columns + n]
                           for k in range(inner)))
                 for m in range(rows) for n in range(columns))


def convolution(src, wei):
    """CONV by its text."""
    out = []
    for n, o, h, w in itertools.product(range(2), range(16), range(5), range(9)):
        total = 0
        for c, r, s in itertools.product(range(16), range(3), range(3)):
            y, x = 2 * h + r - 1, w + s - 1
            if 0 <= y < 9 and 0 <= x < 9:
                total += (src[((n * 16 + c) * 9 + y) * 9 + x] *
                          wei[((o * 16 + c) * 3 + r) * 3 + s])
        out.append(float(total))
    return tuple(out)


class Test:
    """xk in a folder."""

    def __init__(self, xk):
        self.xk = xk
        self.tap = Tap()

    def xk_run(self, args, name, code=0):
        """Runs xk, which must end with a code; its standard output."""
        done = subprocess.run([self.xk] + args, capture_output=True, text=True,
                              check=False)
        self.tap.line("" if done.returncode == code else
                      f"exit {done.returncode}\n{done.stdout}{done.stderr}",
                      name)
        return done.stdout

    def check(self, good, name, why):
        self.tap.check(good, name, why)

    def equal(self, got, want, name):
        self.tap.equal(got, want, name)


def one_formula(t):
    """A convolution as text: generated, run by name and by order."""
    t.xk_run(["gen", "--formula", CONV, "-o", "one.zebin"], "gen of a formula")
    src, wei = numbers(2 * 16 * 81, 1), numbers(16 * 16 * 9, 2)
    write("src", "e", src)
    write("wei", "e", wei)
    want = convolution(src, wei)
    t.xk_run(["run", "one.zebin", "--check=all", "W=buf:wei", "I=buf:src",
              "--out", "O:out"], "run, buffers by name")
    t.equal(halves("out"), want, "its result")
    t.xk_run(["run", "--check=all", "one.zebin", "buf:src", "buf:wei",
              "buf:zero", "--out", "2:out2"], "run, buffers by order")
    t.equal(halves("out2"), want, "its result by order")
    shown = t.xk_run(["gen", "--formula", CONV], "gen prints what follows")
    t.check(re.match(r"formula I: f16\[2,16,9,9\] abcd; W: f16\[16,16,3,3\] "
                     r"abcd; O: f16\[2,16,5,9\] abcd; n = 2; ", shown),
            "extents, dims and layouts", shown)
    again = re.match("formula (.*)", shown).group(1)
    t.xk_run(["gen", "--formula", again, "-o", "again.zebin"], "that again")
    t.equal(Path("one.zebin").read_bytes(), Path("again.zebin").read_bytes(),
            "gives the same zebin")


def two_formulas(t):
    """Two launches with scratch between them, in one file."""
    before = set(os.listdir())
    shown = t.xk_run(["gen", "--formula", MATMUL, "--formula", NEXT, "-o",
                      "two.zebin", "--info"], "gen of two formulas")
    t.check(set(os.listdir()) - before == {"two.zebin"}, "one file",
            os.listdir())
    t.check("scratch 400 bytes at a multiple of 128\n" in shown and
            re.findall("^kernel (.*?):", shown, re.M) == ["xk_T", "xk_C"],
            "gen tells scratch and kernels", shown)
    a, b, d = numbers(60, 1), numbers(240, 2), numbers(160, 3)
    for name, values in (("a", a), ("b", b), ("d", d)):
        write(name, "f", values)
    args = ["run", "two.zebin", "--check=all", "D=buf:d", "buf:a", "buf:b"]
    report = t.xk_run(args + ["--out=C:c", "--json"], "run of the program")
    t.equal(floats("c"), product(product(a, b, 5, 12, 20), d, 5, 20, 8),
            "its result")
    launches = json.loads(report)
    t.check([l["kernel"] for l in launches] == ["xk_T", "xk_C"] and
            all(l["stats"]["instructions"] > 0 and not l["findings"]
                for l in launches), "a record for each launch", report)
    text = t.xk_run(args + ["--stats", "--trace=trace", "--timing"],
                    "run with statistics, a trace and a prediction")
    t.check(re.search(r"(?s)^xk_T for .* opcodes.*\nxk_C for .* opcodes", text),
            "both are told", text)
    ends = re.findall("^end of .*", Path("trace").read_text(), re.M)
    t.check(ends == ["end of xk_T", "end of xk_C"], "and traced", ends)
    t.xk_run(["run", "two.zebin", "--check=all", "xk_T", "buf:a", "buf:b", "buf:zero:400", "--out", "2:t", "-g",
              groups_of(shown, "xk_T")], "one of its kernels alone")
    t.equal(floats("t"), product(a, b, 5, 12, 20), "its result")


def groups_of(shown, kernel):
    """The groups of a kernel in what gen --info prints, for -g."""
    found = re.search(rf"^kernel {kernel}:.*\ngroups (\d+) (\d+) (\d+),", shown,
                      re.M)
    return ",".join(found.groups())


def looking(t):
    """lint and dis of a file with two kernels."""
    text = t.xk_run(["dis", "two.zebin"], "dis of two kernels")
    heads = re.findall("^// kernel (.*?),", text, re.M)
    t.check(heads == ["xk_T", "xk_C"], "each by its name", heads)
    one = t.xk_run(["dis", "--kernel=xk_C", "two.zebin"], "dis of one of them")
    t.check(one.startswith("// kernel xk_C,") and text.endswith(one) and
            "xk_T" not in one, "only that", one[:200])
    listed = json.loads(t.xk_run(["dis", "--json", "two.zebin"], "dis --json"))
    t.equal([k["kernel"] for k in listed], ["xk_T", "xk_C"], "both in JSON")
    for args, n in (([], 2), (["--kernel=xk_T"], 1)):
        text = t.xk_run(["lint", "two.zebin"] + args, f"lint of {n}")
        t.check(text.startswith(f"0 findings in {n} kernel{'s' if n > 1 else ''} for "), "its sum", text)
    asm = t.xk_run(["gen", "--asm", "--formula", MATMUL, "--formula", NEXT],
                   "gen --asm")
    t.equal(re.findall("^// kernel (.*)", asm, re.M), ["xk_T", "xk_C"],
            "names its kernels")


def wrong_kernel(t):
    """A finding ends the program, and says in which launch."""
    data = bytearray(Path("two.zebin").read_bytes())
    text = b"scratch 400 at 0\n"
    at = data.index(text)
    data[at:at + len(text)] = b"scratch 100 at 0\n"
    Path("short.zebin").write_bytes(data)
    out = t.xk_run(["run", "short.zebin", "--check=mem", "A=buf:a", "B=buf:b",
                    "D=buf:d"], "scratch that is too small is a finding", 1)
    t.check(out.startswith("xk_T for") and "xk_C" not in out and "mem" in out,
            "of the first launch", out)
    data[at:at + 7] = b"scrotch"
    Path("short.zebin").write_bytes(data)
    done = subprocess.run([t.xk, "run", "short.zebin"], capture_output=True,
                          text=True, check=False)
    t.check(done.returncode == 1 and "line 7: 'scrotch'" in done.stderr,
            "an unknown line is an error", done.stderr)


def convolution_file(t):
    """A descriptor's kernel is a program, too."""
    t.xk_run(["gen", "mb1ic4ih1iw5oc8oh1ow5kh1kw1", "--stag=axb", "--dtag=axb",
              "--wtag=oihw", "--dir=FWD_D", "-o", "conv.zebin"], "gen")
    src, wei = numbers(20, 4), numbers(32, 5)
    write("src", "f", src)
    write("wei", "f", wei)
    t.xk_run(["run", "conv.zebin", "--check=all", "src=buf:src", "wei=buf:wei",
              "--out=dst:dst"], "run of a convolution by names")
    turned = [wei[o * 4 + i] for i in range(4) for o in range(8)]
    t.equal(floats("dst"), product(src, turned, 5, 4, 8), "its result")


def many_arguments(t, write_many):
    """Values by name, arguments beyond the registers."""
    for way in ("surfaces", "addresses"):
        data = subprocess.run([write_many, way], stdout=subprocess.PIPE,
                              check=True).stdout
        Path("many.zebin").write_bytes(data)
        buffers = []
        for k in range(12):
            write(f"b{k}", "i", numbers(128, k))
            buffers.append(f"b{k}=buf:b{k}")
        t.xk_run(["run", "many.zebin", "--check=all", "z=s32:-7",
                  "wide=s64:100000"] + buffers + ["y=f32:-0.25", "x=s32:0x10",
                                                  "--out=dst:dst"],
                 f"run with values by name, {way}")
        want = tuple((sum(numbers(128, k)[e] for k in range(12)) + 16 + 100000 -
                      7 + 1000000) * -0.25 for e in range(128))
        t.equal(floats("dst"), want, "its result")


def main():
    xk, write_many = map(os.path.abspath, sys.argv[1:3])
    t = Test(xk)
    for name in ("XK_DUMP", "XK_DUMP_DIR", "XK_VERBOSE", "XK_SCHEDULE"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        one_formula(t)
        two_formulas(t)
        looking(t)
        wrong_kernel(t)
        convolution_file(t)
        many_arguments(t, write_many)
        Path("small").write_bytes(bytes(7))
        Path("raw").write_bytes(bytes(16))
        for args, code, pattern in BAD:
            t.tap.judge("xk " + " ".join(args).replace("#", "")[:90],
                        subprocess.run([xk] + args, capture_output=True,
                                       text=True, check=False), code, pattern)
        os.chdir("/")
    return t.tap.end()


if __name__ == "__main__":
    sys.exit(main())
