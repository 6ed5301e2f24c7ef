#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exit_codes.py XKBENCH XK [no-clients]: the same kind of mistake ends every tool with the same
exit code, as the table of docs/run.md says: 2 while the command line is read, 1
behind that. With no-clients, nothing is started under xk vgpu. TAP."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"
MATMUL = "A: f16[64,32]; B: f16[32,16]; C[m,n] += A[m,k] * B[k,n]"

# Each verb with words that are fine, {} being its input; "" is xkbench.
FILES = {"": ["--mode=L", "--batch={}"], "gen": ["--from={}"], "opt": ["{}"],
         "asm": ["-p", "xehpg", "-o", "out", "{}"], "dis": ["{}"], "lint": ["{}"],
         "diff": ["{}", "k.zebin"], "run": ["{}", "wei=buf:zero", "src=buf:zero", "bia=buf:zero"]}
GOOD = {"": "good.txt", "gen": "k.ir", "opt": "k.ir", "asm": "k.asm", "dis": "k.zebin",
        "lint": "k.zebin", "diff": "k.zebin", "run": "k.zebin"}
VGPU = {"vgpu": ["--", "true"]}

# What is wrong with an input; /dev/null has nothing in it.
INPUTS = [("is absent", "no-such"), ("is a folder", "folder"), ("is empty", "/dev/null"),
          ("is binary nonsense", "noise")]

# An option with a word that it cannot have, or beside which it does nothing.
WORDS = {
    "": [["--mode=X", FINE], ["--dt=f33", FINE], ["--engine=ze:x", FINE], ["--match=[", FINE],
         ["--perf-template=%x%", FINE], ["--batch="], ["--hash", "--mode=L", FINE]],
    "gen": [["--dt=f33", FINE], ["--device=vax", FINE], ["-p", "vax", FINE], [FINE, FINE],
            ["--formula", MATMUL, FINE], ["--spare=9", FINE], ["-o", "a", "-o", "b", FINE]],
    "opt": [["--spare=x", "k.ir"], ["k.ir", "k.ir"]],
    "asm": [["-p", "vax", "k.asm"], ["-p", "xehpg", "k.asm"]],
    "dis": [["-p", "vax", "k.zebin"], ["-o", "k.zebin", "k.zebin"]],
    "lint": [["--device=vax", "k.zebin"], ["-p", "vax", "k.zebin"]],
    "diff": [["-p", "vax", "k.zebin", "k.zebin"], ["k.zebin"]],
    "run": [["--timing=vax", "k.zebin"], ["--out=x", "k.zebin"], ["--seed=1", "k.zebin"],
            ["--grf=7", "k.zebin", "xk_conv"]],
    "vgpu": [["--check=x", "--", "true"], ["--timing=max1550", "--", "true"],
             ["--port=x", "--", "true"]],
}

# What only the problem, the file or the launch can tell.
LATER = {
    "": [["nonsense"], ["mb1ic3ih5oc4kh9"], ["--schedule=m=0", FINE], ["--stag=vax", FINE],
         ["--device=tgl", FINE], ["--dt=f64", FINE], ["--mode=P", "--timing=max1550", FINE]],
    "gen": [["nonsense"], ["mb1ic3ih5oc4kh9"], ["--stag=vax", FINE], ["--device=tgl", FINE],
            ["--dt=f64", FINE], ["--formula", "A["], ["--from=k.ir", "--passes=vax"],
            ["-o", "folder", FINE]],
    "opt": [["--passes=vax", "k.ir"]],
    "asm": [["-p", "xehpg", "k.asm", "-o", "folder"]],
    "dis": [["-k", "nobody", "k.zebin"], ["-p", "xelp", "k.zebin"], ["-o", "folder", "k.zebin"]],
    "lint": [["-k", "nobody", "k.zebin"], ["--device=tgl", "k.zebin"]],
    "diff": [["-k", "nobody", "k.zebin", "k.zebin"]],
    "run": [["k.zebin", "nobody"], ["k.zebin"], ["k.zebin", "vax=buf:zero"],
            ["k.zebin", "src=vax"], ["k.zebin", "xk_conv"], ["k.zebin", "xk_conv", "vax:1"],
            ["--simd=8", "k.zebin", "xk_conv"], ["k.zebin", "src=buf:no-such"],
            ["--timing=max1550", "k.zebin", "src=buf:zero", "wei=buf:zero", "bia=buf:zero"]],
    "vgpu": [["-o", "folder", "--", "true"]],
}


def rows():
    """(verb, arguments, exit code, kind)"""
    for verb, words in {**FILES, **VGPU}.items():
        fine = [w.format(GOOD.get(verb)) for w in words]
        yield verb, fine, 0, "all is well"
        yield verb, ["--dance"] + fine, 2, "no such option"
        yield verb, ["--help"], 0, "help"
        yield verb, ["--help", "extra"], 2, "words behind --help"
        yield verb, [], 2, "nothing to do"
    for verb, words in FILES.items():
        for kind, name in INPUTS:
            yield verb, [w.format(name) for w in words], 1, "an input " + kind
    for table, code in ((WORDS, 2), (LATER, 1)):
        for verb, lists in table.items():
            for args in lists:
                yield verb, args, code, ("a word of the command line" if code == 2
                                         else "what a word means")
    yield "dance", [], 2, "no such verb"


def prepare(xk):
    """The inputs that the rows name."""
    os.mkdir("folder")
    Path("good.txt").write_text(FINE + "\n")
    Path("noise").write_bytes(bytes(range(256)) * 4)
    Path("k.asm").write_text("(W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud\n"
                             "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n")
    Path("k.ir").write_bytes(
        (Path(__file__).resolve().parents[1] / "passes/hoist/masks.ir").read_bytes())
    subprocess.run([xk, "gen", "-o", "k.zebin", FINE], check=True)


def main():
    xkbench, xk = map(os.path.abspath, sys.argv[1:3])
    clients = "no-clients" not in sys.argv[3:]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(xk)
        for verb, args, code, kind in rows():
            command = [xk, verb] + args if verb else [xkbench] + args
            words = ["xk", verb] + args if verb else ["xkbench"] + args
            name = f"{kind}: {' '.join(words)}: {code}"
            if verb == "vgpu" and not code and args[0] != "--help" and not clients:
                tap.skip(name, "a sanitizer's library must be loaded before ours")
                continue
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=60)
            said = done.stderr + (done.stdout if code else "")
            bad = f"exit code {done.returncode}, not {code}: {said[-300:]}"
            if done.returncode == code and (not code or said.strip()):
                bad = ""
            tap.line(bad, name)
        os.chdir("/")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
