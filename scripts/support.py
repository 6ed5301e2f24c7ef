#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""support.py [--check] README XKBENCH XK: the table of what works, written between
the markers of the README, from what the programs answer. A word of a row is asked
alone: a kernel that was generated puts it under "works", UNIMPLEMENTED under "not
yet", and any other answer ends the script. --check compares, and writes TAP."""
import re
import subprocess
import sys
from pathlib import Path

BEGIN = "<!-- written by scripts/support.py: make readme -->"
END = "<!-- end -->"
PROBLEM = "mb2ic16ih8oc16kh3ph1"

# Row, words; each word with what xkbench is asked.
ROWS = [
    ("platforms of the generator", [
        (p, [f"--platform={p}", PROBLEM]) for p in ("xelp", "xehpg", "xehpc")]),
    ("direction", [
        (d, [f"--dir={d}", PROBLEM])
        for d in ("FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB")]),
    ("deconvolution", [
        (d, ["--deconv", f"--dir={d}", PROBLEM])
        for d in ("FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB")] + [
        ("groups", ["--deconv", "g2mb1ic16ih8oc16kh4sh2ph1"]),
        ("depthwise", ["--deconv", "g16mb1ic16ih8oc16kh4sh2ph1"]),
        ("sum+add:f32:15+relu",
         ["--deconv", "--attr-post-ops=sum+add:f32:15+relu", PROBLEM]),
        ("scales of src, wei, dst",
         ["--deconv", "--dt=u8s8",
          "--attr-scales=src:common+wei:per_oc+dst:common", PROBLEM]),
        ("zero points of src, wei, dst",
         ["--deconv", "--dt=u8s8",
          "--attr-zero-points=src:common:2+wei:common+dst:per_oc", PROBLEM]),
        ("f8_e5m2", ["--deconv", "--dt=f8_e5m2", PROBLEM]),
        ("u8:s4:f32", ["--deconv", "--dt=u8:s4:f32", PROBLEM]),
        ("f64", ["--deconv", "--dt=f64", PROBLEM])]),
    ("gradients", [
        (f"{d} of {t}", [f"--dir={d}", f"--dt={t}", PROBLEM])
        for d, t in (("BWD_D", "u8:s8:s8"), ("BWD_D", "f8_e4m3"),
                     ("BWD_W", "bf16:f32:bf16"), ("BWD_WB", "f8_e5m2"),
                     ("BWD_W", "s8:s4:s8"))]),
    ("dimensions", [
        ("1D", ["mb1ic16ih1iw8oc16kh1kw3pw1ph0"]), ("2D", [PROBLEM]),
        ("3D", ["mb1ic16id4oc16kd3pd1"])]),
    ("shapes", [
        ("stride", ["mb1ic16ih8oc16kh3sh2ph1"]),
        ("dilation", ["mb1ic16ih8oc16kh3dh1ph2"]),
        ("any padding", ["mb1ic16ih8oc16oh9kh3ph2"]),
        ("odd channels", ["mb1ic3ih8oc5kh3ph1"]),
        ("groups", ["g2mb1ic16ih8oc16kh3ph1"]),
        ("depthwise", ["g16mb1ic16ih8oc16kh3ph1"])]),
    ("types", [
        (t, [f"--dt={t}", PROBLEM]) for t in (
            "f32", "f16", "f16:f16:f32", "u8s8", "s8s8", "u8:s8:s32",
            "u8:s8:f32", "bf16", "u8:s8:bf16", "f32:f32:s8", "f32:f32:f16",
            "f8_e5m2", "f4_e2m1:f4_e2m1:f32", "u8:u4:f32", "f64")]),
    ("tensors above 2 GiB", [
        (d, [f"--dir={d}", "--stag=axb", "mb192ic64ih256oc64kh3ph1"])
        for d in ("FWD_B", "BWD_D", "BWD_W", "BWD_WB")] + [
        ("an image of 1x1", ["mb1ic64ih8192oc64kh1"]),
        ("an image that meets padding", ["mb1ic64ih8192oc1kh3ph1"])]),
    ("options", [
        (o, [f"--{o}", PROBLEM]) for o in (
            "alg=direct", "alg=auto", "alg=wino", "attr-fpmath=tf32",
            "attr-rounding-mode=dst:stochastic", "attr-dropout=0.5:12345")] + [
        ("attr-acc-mode=f16 of f16", ["--dt=f16", "--attr-acc-mode=f16", PROBLEM]),
        ("strides with gaps", ["--strides=2048x128x16x2::", PROBLEM]),
        ("mb=0", ["mb0ic16ih8oc16kh3ph1"])]),
    ("source's layout", [
        (t, [f"--stag={t}", PROBLEM])
        for t in ("any", "nhwc", "nchw", "aBcd16b", "bax")]),
    ("weights' layout", [
        (t, [f"--wtag={t}", PROBLEM])
        for t in ("any", "oihw", "ohwi", "hwio", "aBcd16b")]),
    ("epilogue", [
        (o, [f"--attr-post-ops={o}", PROBLEM])
        for o in ("relu", "sum", "sum+relu", "relu:0.5", "tanh",
                  "add:f32:per_oc", "mul:bf16:per_tensor", "sum+add:u8:8+sum",
                  "prelu:per_oc", "gelu_erf", "swish:1", "pow:1:0.5", "add:f8_e5m2:per_oc")] + [
        ("32 post-ops", ["--attr-post-ops=" + "+".join(["relu"] * 32), PROBLEM]),
        ("dw:k3s1p1", ["--attr-post-ops=dw:k3s1p1", PROBLEM]),
        ("select:f32:per_oc", ["--attr-post-ops=select:f32:per_oc", PROBLEM]),
        ("common scale", ["--attr-oscale=common:2", PROBLEM]),
        ("scales of src, wei, dst at run time",
         ["--attr-scales=src:common+wei:per_oc+dst:host_scalar:2", PROBLEM])]),
    ("zero points", [
        ("dst", ["--attr-zero-points=dst:per_oc", PROBLEM]),
        ("src", ["--dt=u8s8", "--attr-zero-points=src:common:2", PROBLEM]),
        ("src per channel", ["--dt=u8s8", "--attr-zero-points=src:per_dim_1", PROBLEM]),
        ("wei", ["--dt=u8s8", "--attr-zero-points=wei:common:2", PROBLEM]),
        ("wei per channel", ["--dt=u8s8", "--attr-zero-points=wei:per_oc", PROBLEM])]),
]
ANSWERS = {"INITIALIZED": True, "UNIMPLEMENTED": False}


def output(command):
    """(stdout, stderr) of a command, whatever its exit code."""
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return done.stdout, done.stderr


def generated(xkbench, words):
    """Was there a kernel? Any answer but yes and no is an error."""
    text = output([xkbench, "--mode=I"] + words)
    found = re.search(r"^0:(\w+)", text[0], re.M)
    if not found or found.group(1) not in ANSWERS:
        sys.exit(f"support: {' '.join(words)}: {''.join(text)}")
    return ANSWERS[found.group(1)]


def known(command, unknown):
    """Does a tool not say that it does not know a word?"""
    return not re.search(unknown, output(command)[1])


def rows(xkbench, xk):
    """(name, words that work, words that do not)."""
    for name, words in ROWS:
        asked = [(word, generated(xkbench, args)) for word, args in words]
        yield name, asked
    yield "platforms of asm, dis, lint, run, vgpu", [
        (p, known([xk, "asm", "-p", p, "-o", "-", "/dev/null"],
                  r"platform=\w+:"))
        for p in ("xelp", "xehpg", "xehpc", "xe2", "xe3")]
    yield "machines of the timing model", [
        (m, known([xk, "run", f"--timing={m}"], r"timing=\w"))
        for m in ("a770", "max1550", "iris-xe", "b580")]
    yield "devices", [
        (e, known([xkbench, "--mode=L", f"--engine={e}", PROBLEM], r"engine="))
        for e in ("sim", "ze", "ocl")]


def table(xkbench, xk):
    """The table's lines."""
    lines = ["| | works | not yet |", "|---|---|---|"]
    for name, asked in rows(xkbench, xk):
        cells = [", ".join(w for w, good in asked if good == wanted)
                 for wanted in (True, False)]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main():
    check = sys.argv[1] == "--check"
    readme, xkbench, xk = sys.argv[1 + check:4 + check]
    text = Path(readme).read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    fresh = f"{text[:begin]}\n{table(xkbench, xk)}\n{text[end:]}"
    if check:
        print("1..1\n" + ("ok" if fresh == text else "not ok") +
              " 1 - README's table of what works is what the programs say")
        if fresh != text:
            print("# make readme writes it:\n# " +
                  fresh[begin:fresh.index(END)].replace("\n", "\n# "))
        return int(fresh != text)
    Path(readme).write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
