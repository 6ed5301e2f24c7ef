#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_bytes.py KERNELS.PY XKBENCH XK: scripts/kernels.py on a list of two problems,
of which one is not implemented. Each kernel is there once in each setting with the hash
of its code, which is computed here from xk's file; what differs is told. TAP."""
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

LIST = """# two problems
g1mb2_ic3ih32iw32_oc16oh16ow16_kh3kw3_sh2sw2_ph1pw1_dh0dw0_n"one"
g1mb2_ic512ih2048iw2048_oc16oh1024ow1024_kh3kw3_sh2sw2_ph1pw1_dh0dw0_n"large"
"""


def code_of(zebin):
    """The section .text.xk_conv of an ELF file of 64 bits."""
    at, = struct.unpack_from("<Q", zebin, 0x28)
    size, n, names = struct.unpack_from("<HHH", zebin, 0x3a)
    rows = [struct.unpack_from("<IIQQQQ", zebin, at + i * size) for i in range(n)]
    strings = rows[names][4]
    for name, _, _, _, offset, n_b in rows:
        end = zebin.index(b"\0", strings + name)
        if zebin[strings + name:end] == b".text.xk_conv":
            return zebin[offset:offset + n_b]
    return b""


def fnv1a(data):
    """64 bits, as text."""
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 % 2**64
    return f"{h:016x}"


def run(*words):
    """Exit code and output."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def main():
    script, xkbench, xk = sys.argv[1:]
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.txt").write_text(LIST, encoding="ascii")
        one, other = folder / "one.out", folder / "other.out"
        code, out = run(sys.executable, script, xkbench, name, str(one), "--time")
        rows = [r.split("|") for r in one.read_text().splitlines()]
        tap.check(code == 0 and out.count("unimplemented:1 ") == 6,
                  "the other problem is counted in each setting",
                  f"exit {code}\n{out}")
        tap.equal([r[0] for r in rows], [
            f"{t} {layout}" for t in ("f32", "f16", "u8s8")
            for layout in ("nhwc", "any")], "one row a setting")
        for row in rows:
            dtype, layout = row[0].split()
            tag = {"nhwc": "axb"}.get(layout, layout)
            _, info = run(xk, "gen", "--info", f"--dt={dtype}", f"--stag={tag}", f"--dtag={tag}",
                          "-o", str(folder / "k"), row[1])
            n_b = int(re.search(r": (\d+) bytes of code", info).group(1))
            code = code_of((folder / "k").read_bytes())[:n_b]  # zeros behind it
            tap.equal(row[2], fnv1a(code), f"{row[0]}: hash of the code")
            tap.check(code and float(row[4]) > 0, f"{row[0]}: {row[4]} ms",
                      f"{len(code)} bytes of code")
        code, out = run(sys.executable, script, "--compare", str(one), str(one))
        tap.check(code == 0 and out.startswith("6 identical, 0 differing\n")
                  and "geometric mean 1.000000" in out, "equal files", f"exit {code}\n{out}")
        twice = f"{2 * float(rows[1][4]):.9g}"
        changed = [*rows[0]], [*rows[1]]
        changed[1][2], changed[1][4] = "0" * 16, twice
        other.write_text("".join("|".join(r) + "\n" for r in
                                 [*changed, *rows[3:]]), encoding="ascii")
        code, out = run(sys.executable, script, "--compare", str(one), str(other))
        tap.check(code == 1 and out.startswith("4 identical, 1 differing\nf32 any ")
                  and "only in the first: f16 nhwc" in out
                  and f"{rows[1][4]} to {twice} ms" in out
                  and "worst 2.0000 (f32 any" in out, "what differs is told",
                  f"exit {code}\n{out}")
        code, out = run(sys.executable, script, xkbench, name, str(folder / "new.out"),
                        f"--time={other}")
        tap.check(code == 0 and (folder / "new.out").read_text() ==
                  one.read_text(), "times of other code are modelled again",
                  f"exit {code}\n{out}\n{(folder / 'new.out').read_text()}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
