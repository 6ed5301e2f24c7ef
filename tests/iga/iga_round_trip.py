#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""iga_round_trip.py XK RANDOM LIST...: Debian's iga64 disassembles without a
word the code of each kernel of the first list in all types and layouts, and by
dp4a in all pairs of 8-bit types, of the other lists in all types, and of random problems with bias and relu (RANDOM
--list), and re-assembles it to the same bytes. TAP. The control at the
end spoils one kernel and must notice."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

PLATFORM = "-p=12p71"  # xehpg
TYPES = ["f16", "u8:s8:u8"]  # with each of these layouts; f32 with its own
TAGS = ["any", "axb", "abx"]
PAIRS = ["u8:s8:u8", "s8:s8:s8", "s8:u8:s32", "u8:u8:f32"]
DOTS = ("XK_SCHEDULE=fma=dp4a simd=16 m=16 n=32 nsub=32 k=4 tg=2x2 slots=1,1 "
        "slm=0 grf=128")


def text_sections(elf):
    """Bytes of the .text.* sections of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size)
               for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, offset, length in headers:
        at = strings + name
        if elf[at:elf.index(b"\0", at)].startswith(b".text."):
            yield elf[offset:offset + length]


def iga(mode, source, target):
    """Complaints of one iga64 run, empty if there are none."""
    done = subprocess.run(["iga64", mode, PLATFORM, str(source), "-o",
                           str(target)], capture_output=True, text=True,
                          check=False)
    talk = (done.stdout + done.stderr).strip()
    return talk or ("" if done.returncode == 0 else f"exit {done.returncode}")


def round_trip(code, folder):
    """What is wrong with code, or an empty text."""
    raw, asm, back = (folder / n for n in ("code.krn", "code.asm", "back.krn"))
    raw.write_bytes(code)
    complaint = iga("-d", raw, asm)
    if not complaint:  # padding behind the end of thread may be anything
        body, end, _ = asm.read_text(encoding="utf-8").partition("EOT")
        if not end or "illegal" in body:
            complaint = "an illegal instruction, or no end of thread"
    if complaint:
        return "disassembly: " + complaint
    complaint = iga("-a", asm, back)
    if complaint:
        return "assembly: " + complaint
    again = back.read_bytes()
    if again != code:
        at = next((i for i, (a, b) in enumerate(zip(code, again)) if a != b),
                  min(len(code), len(again)))
        line = asm.read_text(encoding="utf-8").splitlines()
        return (f"byte {at} of {len(code)} differs (instruction {at // 16}; "
                f"{len(line)} lines of text)")
    return ""


def check_kernel(xk, arguments, folder):
    """(complaint, code) of one problem's kernel. Arguments NAME=... that are no
    options go into the environment."""
    zebin = folder / "kernel.zebin"
    env = dict(a.split("=", 1) for a in arguments if a.startswith("XK_"))
    done = subprocess.run([xk, "gen", "-o", str(zebin)] +
                          [a for a in arguments if not a.startswith("XK_")],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **env})
    if done.returncode:
        return f"xk gen: {done.stderr.strip()}", b""
    codes = list(text_sections(zebin.read_bytes()))
    if not codes:
        return "no .text section", b""
    for code in codes:
        complaint = round_trip(code, folder)
        if complaint:
            return complaint, b""
    return "", codes[0]


def report(number, complaint, name):
    """One TAP line; the number of failures in it."""
    print(f"{'not ok' if complaint else 'ok'} {number} - {name}")
    if complaint:
        print("# " + complaint.replace("\n", "\n# "))
    return bool(complaint)


def problems(path):
    """The list's problems that the generator has: no groups."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines
            if line.startswith("g1m")]


def main():
    if not shutil.which("iga64"):
        print("1..0 # SKIP iga64 is not installed")
        return 0
    xk, generator, *paths = sys.argv[1:]
    some = subprocess.run([sys.executable, generator, "--list", "--count=60"],
                          capture_output=True, text=True, check=True).stdout
    lists = [problems(path) for path in paths]
    lines = lists[0]
    kernels = [["--dir=FWD_D", "--mb=1", line] for line in lines]
    kernels += [["--dir=FWD_B", "--mb=1", "--dt=" + dt, "--stag=" + tag,
                 "--dtag=" + tag, line]
                for dt in TYPES for tag in TAGS for line in lines]
    kernels += [["--mb=1", "--dt=" + dt, line] for dt in ["f32"] + TYPES
                for more in lists[1:] for line in more]
    kernels += [["--attr-post-ops=relu", line] for line in some.split()]
    kernels += [[DOTS, "--mb=1", "--attr-post-ops=sum+relu", "--dt=" + pair,
                 "--stag=axb", "--dtag=axb", line]
                for i, line in enumerate(lines) for pair in [PAIRS[i % 4]]]
    bad, number, code = 0, 0, b""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, kernel in enumerate(kernels, 1):
            complaint, code = check_kernel(xk, kernel, folder)
            bad += report(number, complaint,
                          "iga64 agrees on " + " ".join(kernel))
        number += 1
        spoilt = b"\x7f" + code[1:]  # no such opcode
        noticed = code and round_trip(spoilt, folder)
        bad += report(number, "" if noticed else "not noticed",
                      "a spoilt opcode is noticed")
    print(f"1..{number}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
