#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""accepted.py XKBENCH XK ROOT: words of benchdnn that cannot change a result
change none: the kernel has the same bytes, and the destination too. Each option
without effect has a row, so that a new one cannot be forgotten. TAP."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"

# Options of the problem (conv_option.def) and words that ask for nothing new.
SAME_KERNEL = {
    "platform": ["xehpg", "dg2"],
    "device": ["", "dg2-g10", "dg2-g12"],
    "dir": ["FWD_B", "fwd_b"],
    "dt": ["f32", "f32:f32:f32", "dnnl_f32"],
    "bia-dt": ["undef", "f32", "f16"],  # FWD_B has a bias of f32 anyway
    "stag": ["any"], "wtag": ["any"], "dtag": ["any"],
    "strides": ["::"],
    "alg": ["direct", "auto", "AUTO", "convolution_direct"],
    "attr-oscale": [""],
    "attr-scales": [""], "attr-zero-points": [""], "attr-post-ops": [""],
    "attr-precomputed-reductions": [""],
    "attr-scratchpad": ["library", "user"],
    "attr-fpmath": ["strict", "bf16", "f16", "tf32", "any", "TF32:true",
                    "bf16:0"],
    "attr-acc-mode": ["strict", "relaxed", "any", "f32", "Relaxed"],
    "attr-deterministic": ["true", "false", "1", "0"],
    "attr-dropout": ["0", "0:0", "0:0:any:0:false"],
    "attr-rounding-mode": ["dst:environment", "dst:environment:7", "src"],
    "ctx-init": ["auto", "4", "4:0:1"], "ctx-exe": ["auto", "2:1"],
    "mb": ["0", "1"],
}
# Options of testing (peer_option.def).
SAME_RESULT = {
    "impl": ["ref", "v2,jit:ir"], "skip-impl": ["ref"],
    "global-impl": ["x"], "global-skip-impl": ["x"],
    "allow-enum-tags-only": ["0", "true"], "canonical": ["1"],
    "mem-check": ["0"], "fast-ref": ["false"], "attr-same-pd-check": ["1"],
    "check-ref-impl": ["1"], "verbose": ["5"], "num-streams": ["1", "2"],
    "summary": ["no-failures", "failures+no-impl-csv"],
    "memory-kind": ["usm", "BUFFER"], "stream-kind": ["in_order"],
    "cpu-isa-hints": ["no_hints"], "execution-mode": ["direct"],
    "cold-cache": ["none", "all", "custom+tlb:1G"], "buffer-prefix": [""],
}
# Others of xkbench.
MORE = ["-v5", "--fix-times-per-prb=3", "--max-ms-per-prb=20",
        "--repeats-per-prb=1", "--start=0", "--mode-modifier=P",
        "--engine=gpu", "--engine=gpu:0", "--conv", "--mode=c"]


def names(root, path):
    """The options of a table."""
    text = (root / path).read_text(encoding="utf-8")
    return set(re.findall(r'^XK_\w+_OPTION\(\w+, *"([\w-]+)"', text, re.M))


def documented(root):
    """The options of the table in docs/problems.md, but for xkbench's own."""
    text = (root / "docs/problems.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`--.*?) \|", text, re.M)
    return {name for row in rows for name in re.findall(r"`--([\w-]+)`", row)}


def kernel(xk, args):
    """Bytes of the zebin."""
    return subprocess.run([xk, "gen", "-o", "-"] + args + [FINE],
                          capture_output=True, check=False).stdout


def result(xkbench, args):
    """Status and hash of the destination."""
    done = subprocess.run([xkbench, "--hash"] + args + [FINE],
                          capture_output=True, text=True, check=False)
    return re.findall(r"^0:(\w+) .* (hash:\w+)", done.stdout, re.M)


def main():
    xkbench, xk, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    tap = Tap()
    for path, rows in (("tools/problem/conv_option.def", SAME_KERNEL),
                       ("tools/xkbench/peer_option.def", SAME_RESULT)):
        missing = names(root, path) ^ set(rows)
        tap.line(" ".join(sorted(missing)), f"each option of {path} has a row")
    missing = documented(root) ^ (set(SAME_KERNEL) | {"schedule"})
    tap.line(" ".join(sorted(missing)), "docs/problems.md has each option")
    plain = kernel(xk, [])
    for name, words in SAME_KERNEL.items():
        for word in words:
            option = f"--{name}={word}"
            tap.line("" if plain and kernel(xk, [option]) == plain else
                     "other bytes", f"xk gen {option}: the same kernel")
    plain = result(xkbench, [])
    options = [f"--{name}={word}" for name, words in
               list(SAME_RESULT.items()) + list(SAME_KERNEL.items())
               for word in words]
    for option in options + MORE:
        got = result(xkbench, option.split(" "))
        tap.line("" if plain and got == plain else str(got),
                 f"xkbench {option}: the same result")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
