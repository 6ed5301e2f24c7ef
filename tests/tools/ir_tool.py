#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ir_tool.py XK: xk opt and xk gen --from, with texts that are right and wrong.
The kernel adds 2 to 13 floats; its result is compared."""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

TEXT = """kernel plus simd 8 (src: ptr.global, src_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 2) {
    index i 13
    view A = src f32[13] a [i]
    view C = dst f32[13] a [i]
    walk m = i
    tile a = f32 [m8]
    let m0: s32 = g * 8
    alloc r: grf[32] align 32
    tile.load.A.a(&r[0], m0)
    load x: f32x8 = &r[0]
    store &r[0] = x + bcast.8(2.0)
    tile.store.C.a(&r[0], m0)
}
"""

# Arguments, the exit code, what stands in the output or the error.
ROWS = [
    (["opt", "k.ir"], 0, "tile.load.A.a(&r[0], m0)"),
    (["opt", "--passes=expand", "k.ir"], 0, "send.load.global.surface0.d32x1"),
    (["opt", "--passes=split(m=4)", "k.ir"], 0, "tile.load.A.a[m 4+4]"),
    (["opt", "--passes=fold", "k.ir"], 1, "'fold' is none of expand, simplify"),
    (["opt", "--passes=split(m=4", "k.ir"], 1, "have no end"),
    (["opt", "--passes=split(x=4)", "k.ir"], 1, "'x' is no role"),
    (["opt", "--spare=999", "k.ir"], 2, "spare=999"),
    (["opt", "--platform=arc", "k.ir"], 2, "arc"),
    (["opt", "none.ir"], 1, "none.ir"),
    (["opt", "bad.ir"], 1, "line 1, column"),
    (["opt", "zero.ir"], 1, "is no text"),
    (["opt"], 2, "no file given"),
    (["opt", "k.ir", "k.ir"], 2, "second file"),
    (["gen", "--from=k.ir"], 0, "kernel plus:"),
    (["gen", "--from=k.ir", "--platform=xelp"], 1, "XK_EUNSUPPORTED"),
    (["gen", "--from=k.ir", "--platform=xehpc"], 1, "XK_EUNSUPPORTED"),
    (["gen", "--from=k.ir", "--registers=100"], 1, "grf_count=100"),
    (["gen", "--from=k.ir", "ic16oc16ih5"], 2, "stands beside --from"),
    (["gen", "--passes=expand", "ic16oc16ih5"], 2, "nothing without --from"),
    (["gen", "--spare=5", "ic16oc16ih5"], 2, "spare: does nothing without"),
    (["gen", "--from=open.ir"], 1, "parameter g needs its extent"),
    (["gen", "--from=none.ir"], 1, "none.ir"),
]


def call(xk, args, folder):
    return subprocess.run([xk, *args], cwd=folder, capture_output=True,
                          text=True, check=False)


def runs(xk, folder):
    """Whether the kernel, made and run, adds 2."""
    source = [0.5 * i for i in range(13)]
    (folder / "src").write_bytes(struct.pack("13f", *source))
    made = call(xk, ["gen", "--from=k.ir", "-o", "k.zebin"], folder)
    ran = call(xk, ["run", "--check=all", "k.zebin", "src=buf:src",
                    "dst=buf:zero:52", "--out=dst:out"], folder)
    if made.returncode or ran.returncode:
        return made.stderr + ran.stdout + ran.stderr
    got = struct.unpack("13f", (folder / "out").read_bytes())
    return "" if list(got) == [x + 2 for x in source] else str(got)


def main():
    xk = str(Path(sys.argv[1]).resolve())
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "k.ir").write_text(TEXT)
        (folder / "open.ir").write_text(TEXT.replace("group_x < 2", "group_x"))
        (folder / "bad.ir").write_text("no kernel")
        (folder / "zero.ir").write_bytes(b"kernel\0")
        for i, (args, code, text) in enumerate(ROWS, 1):
            done = call(xk, args, folder)
            good = done.returncode == code and text in done.stdout + done.stderr
            bad += not good
            print(f"{'ok' if good else 'not ok'} {i} - xk {' '.join(args)}")
            if not good:
                print(f"# exit {done.returncode}: {done.stderr}")
        why = runs(xk, folder)
        bad += bool(why)
        print(f"{'not ok' if why else 'ok'} {len(ROWS) + 1} - it runs")
        for line in why.splitlines():
            print("# " + line)
    print(f"1..{len(ROWS) + 1}")
    return bad > 0


sys.exit(main())
