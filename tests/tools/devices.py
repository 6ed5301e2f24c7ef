#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""devices.py XKBENCH XK: kernels for one device. A workaround that some of a platform's
products have stands in their kernels and not in those of the others; lint of each kernel
under its own device finds nothing, and under another device it finds what is missing.
Which devices have a row is written down here by hand, from docs/reference/workarounds.md
(W07, W23, W15). TAP."""
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

# W07 and W23: DG2-G10 from C0 on, DG2-G11 from B0 on, DG2-G12. Product words are what
# was sold of them.
WITHOUT = ["dg2-g10-b0", "dg2-g11-a0"]
WITH = ["dg2-g10", "dg2-g10-c0", "dg2-g10-c1", "dg2-g11", "dg2-g11-b0", "dg2-g11-b1",
        "dg2-g11-c0", "dg2-g12", "dg2-g12-a0", "dg2-g12-a1"]
# W04, W15, W59, W63, 3.11: these two have kernels of their own, by the old data ports.
OLD = ["dg2-g10-a0", "dg2-g10-a1"]
# What uses each kind of message there: blocks, gathers of four and of eight dwords, bytes,
# SLM, stores of scattered lanes; each with its schedule.
OLD_KERNELS = [
    ("", ["--dt=f32", "mb1ic16ih7oc32kh3ph1"]),
    ("", ["--dt=f16", "--stag=axb", "--dtag=axb", "mb1ic64ih14oc64kh3ph1"]),
    ("", ["--dt=u8s8", "--stag=abx", "--dtag=abx", "mb2ic20ih9oc20kh3sh2"]),
    ("", ["--dt=f16", "--dir=BWD_W", "--stag=axb", "--dtag=axb", "mb2ic32ih7oc32kh3ph1"]),
    ("", ["--dt=f32", "--dir=BWD_W", "mb4ic16ih28oc32kh3ph1"]),  # others add atomically
    ("slm=2", ["--dt=f16", "mb1ic64ih14oc64kh3ph1"]),
    ("addr=a64", ["--dt=f16", "--attr-post-ops=sum", "mb1ic64ih14oc64kh3ph1"]),
    ("addr=a64", ["--dt=u8s8", "--stag=abx", "--dtag=abx", "mb2ic20ih9oc20kh3sh2"]),
]
# Their messages: the old data ports', the gateway's, and LSC's fences as ocloc writes them
# for revision 0 (tests/opencl: local.cl).
OLD_SENDS = re.compile(r"send\.(dc[01]|gtwy|slm .* 0x0210011F|ugm .* 0x0214031F)\b")
# A row, a kernel that needs it, what the action looks like.
ROWS = [
    ("wa_eot_csel", ["--dt=f16", "mb1ic64ih56oc64oh56kh3ph1"], r"^\S* *csel "),
    ("wa_rs_dpas_fused", ["--dt=f16", "--stag=axb", "--dtag=axb",
                          "mb1ic3ih224oc64oh112kh7sh2ph3"], r"^\(W\) +dpas\S+ \S+ r\d+:f null"),
]
# IP versions of NEO's AOT::PRODUCT_CONFIG, for the devices whose revision several that
# were sold have, or one that was and this one was not, or that is 0; the driver then
# takes the file for that one alone.
IP_VERSIONS = {"dg2-g10-b0": 0x030dc004, "dg2-g10-c0": 0x030dc008, "dg2-g11-a0": 0x030e0000,
               "dg2-g11-c0": 0x030e0008, "dg2-g12-a0": 0x030e4000}
FORMULA = "A: f32[8,8]; B: f32[8,8]; C[m,n] += A[m,k] * B[k,n]"
IR = "kernel none simd 8 (p: ptr.global) {\n}\n"


def told_device(word):
    """What lint's last line says: a product alone is for all that was sold."""
    product, _, stepping = word.removeprefix("dg2-").partition("-")
    return f"(DG2-{product.upper()} {stepping.upper()};" if stepping else \
        "(all steppings sold;"


def ip_version(path):
    """Note 6 of a zebin; None: it has none."""
    file = Path(path).read_bytes()
    at = file.find(struct.pack("<3I", 8, 4, 6) + b"IntelGT\0")
    return struct.unpack_from("<I", file, at + 20)[0] if at >= 0 else None


def judge_old(tap, device, run, bench, tool, path):
    """Kernels for a device that forbids LSC's messages."""
    for schedule, problem in OLD_KERNELS:
        env = dict(os.environ, XK_SCHEDULE=schedule)
        name = f"{device}: {' '.join(problem)} {schedule}"
        done = run(tool, "gen", f"--device={device}", "-o", path, *problem, env=env)
        tap.check(done.returncode == 0, f"{name}: is made", done.stderr)
        judged = run(tool, "lint", path)
        tap.check(judged.returncode == 0 and told_device(device) in judged.stdout,
                  f"{name}: lint", judged.stdout)
        sends = re.findall(r"send.*", run(tool, "dis", path).stdout)
        other = [s for s in sends if not OLD_SENDS.match(s)]
        tap.check(sends and not other, f"{name}: messages", "\n".join(other[:5]))
        done = run(bench, f"--device={device}", *problem, env=env)
        tap.check(":PASSED" in done.stdout, f"{name}: runs", done.stdout)


def main():
    """The cases."""
    bench, tool = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "k.zebin")

        def run(*args, env=None):
            return subprocess.run(list(args), capture_output=True, text=True, check=False,
                                  env=env)

        def rules(*args):
            done = run(tool, "lint", *args, path)
            return sorted(set(re.findall(r": (wa_\w+)$", done.stdout, re.M))), done

        def code(device, problem):
            done = run(tool, "gen", f"--device={device}", "-o", path, *problem)
            if done.returncode:
                raise SystemExit(done.stderr)
            return run(tool, "dis", path).stdout

        for row, problem, action in ROWS:
            default = code("", problem)
            tap.check(re.search(action, default, re.M), f"{row}: without a device",
                      f"no instruction matches {action}")
            for device in WITH + WITHOUT:
                text = code(device, problem)
                own, done = rules(f"--device={device}")
                tap.check(not own and done.returncode == 0,
                          f"{row}: lint under {device}", done.stdout)
                own, done = rules()
                tap.check(not own and done.returncode == 0 and
                          told_device(device) in done.stdout,
                          f"{row}: the file of {device} says what it is for", done.stdout)
                other, done = rules("--device=dg2-g10-c0")
                tap.check(other == ([row] if device in WITHOUT else []),
                          f"{row}: {device} under dg2-g10-c0", done.stdout)
                tap.check(bool(re.search(action, text, re.M)) == (device in WITH),
                          f"{row}: {device} has it or not",
                          f"{'no' if device in WITH else 'an'} instruction matches {action}")
                tap.check((text == default) == (device in WITH),
                          f"{row}: {device} has the kernel of all or its own",
                          "its code differs" if device in WITH else "its code is the same")
        for device in WITH + WITHOUT:
            code(device, ROWS[0][1])
            tap.equal(ip_version(path), IP_VERSIONS.get(device),
                      f"{device}: the IP version in its file")
        code("", ROWS[0][1])
        tap.equal(ip_version(path), None, "no IP version without a device")
        tap.judge("lint, an empty device", run(tool, "lint", "--device=", path), 2,
                  "device=: no device; without the option lint judges for the file's")
        own, done = rules("--device=dg2-g10-a0")
        tap.check("wa_ugm_backup" in own, "lint knows what A0 needs", done.stdout)
        Path(folder, "k.ir").write_text(IR, encoding="utf-8")
        for device in OLD:
            judge_old(tap, device, run, bench, tool, path)
            for what in (["--formula", FORMULA], [f"--from={folder}/k.ir"]):
                done = run(tool, "gen", f"--device={device}", "-o", path, *what)
                own, judged = rules()
                tap.check(done.returncode == 0 and not own and
                          told_device(device) in judged.stdout,
                          f"{device}: {what[0]}", done.stderr + judged.stdout)
        many = dict(os.environ, XK_SCHEDULE="tg=8x16 simd=8 m=8 n=8")
        for device, code_of in (("", 0), *((device, 1) for device in OLD)):
            tap.judge(f"128 threads in a group, {device or 'any device'}",
                      run(tool, "gen", f"--device={device}", "-o", path,
                          "mb16ic64ih56oc1024kh1", env=many), code_of,
                      "zebin: 128 threads in a group, but the device takes at most 64"
                      if device else "")
        for word in ("dg2-g12-b0", "dg2-g10-", "DG2-G10", "dg2", "xehpg"):
            for verb in ([bench], [tool, "gen"]):
                tap.judge(f"{verb[-1]} {word}",
                          run(*verb, f"--device={word}", "mb1ic3ih5oc4kh3ph1"), 2,
                          f"device={word}: is none of tgl, tgl-a0, .*dg2-g10-c0")
            tap.judge(f"lint {word}", run(tool, "lint", f"--device={word}", path), 2,
                      f"device={word}: is none of tgl,")
        tap.judge("a device of another platform",
                  run(tool, "gen", "--device=pvc-xt-c0", "mb1ic3ih5oc4kh3ph1"), 1,
                  r"XK_EINVAL: device=pvc-xt-c0 is none of xehpg's: dg2-g10, .*dg2-g12-a1$")
        tap.judge("lint, a device of another platform",
                  run(tool, "lint", "--device=tgl", path), 1,
                  r"device=tgl is none of xehpg's: dg2-g10, ")
        done = run(bench, "--device=dg2-g10-b0", "--dt=f16", "mb1ic16ih5oc16kh3ph1")
        tap.check("PASSED" in done.stdout and "__REPRO: --device=dg2-g10-b0" in done.stdout,
                  "xkbench runs it, and its line has the device", done.stdout)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
