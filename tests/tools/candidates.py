#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""candidates.py XK: what the search offers, read from XK_DUMP=schedule, so that
no kind of schedule is lost from it silently. A row: a problem, fields that one
candidate at least must have, and fields that none may have. The best with A in
SLM, with tiles of 64 columns and with packed filter taps is also forced, and must be
what --info prints then. TAP: one line for each kind of each row, and one for each that
is forced."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

BUFFERED = r"slm=[123]"
SLICED = r"slices=[2-9]"
PACK = "walk=o:xp"
OFFERED = "walk=o:xp slots"  # not forced: the first need not fit
PACKED_WITH = "walk=o:xp .*(prefetch=1|slm=[123])"
PREFETCH = "slm=0 .*prefetch=1"
ASKED_FOR = "walk=o:x?p .*prefetch=1|slm=[123] .*prefetch=1"
WIDE = "n=64"
# 12 images are no whole number of eight rows, so they are not inside the pixels.
# Options and problem, what is among the candidates, what must not be.
ROWS = [
    (["--dt=f16"], "mb12ic64ih56oc64kh3ph1",
     [BUFFERED, "slm=0", SLICED, PREFETCH], [ASKED_FOR]),
    (["--dt=f16"], "mb16ic64ih56oc64kh3ph1",
     [BUFFERED, "slm=0", SLICED],
     []),
    (["--dt=f16"], "mb1ic64ih56oc64kh3ph1",
     [BUFFERED, SLICED], []),
    (["--dt=f16"], "mb16ic64ih56oc64kh3", [SLICED], []),
    (["--dt=f16", "--stag=axb", "--dtag=axb"], "mb16ic128ih28oc128kh3ph1",
     [BUFFERED, "slm=0", SLICED, WIDE], []),
    (["--dt=u8s8"], "mb12ic64ih56oc64kh3ph1",
     [BUFFERED, "slm=0"], []),
    (["--dt=u8s8"], "mb16ic64ih56oc64kh3ph1",
     [BUFFERED, "slm=0"], []),
    (["--dt=u8s8", "--stag=Bcda32b"], "mb8ic64ih56oc64kh3ph1",
     ["slm=0"], []),
    (["--dt=f16"], "mb16ic1024ih14oc256kh1",
     [BUFFERED, "slm=0", SLICED], []),
    (["--dt=f16", "--stag=axb", "--dtag=axb"], "mb16ic256ih28oc64kh1",
     [BUFFERED, "slm=0", SLICED], []),
    (["--dt=u8s8"], "mb16ic1024ih14oc256kh1",
     [BUFFERED, "slm=0", SLICED], []),
    (["--dt=f16"], "mb16ic3ih112oc64kh7ph3", [PACK], [PACKED_WITH]),
    (["--dt=u8s8"], "mb8ic4ih56oc64kh3ph1", [PACK], [PACKED_WITH]),
    (["--dt=u8s8", "--stag=Bcda4b"], "mb8ic4ih56oc64kh3ph1", [PACK], []),
    (["--dt=f16"], "mb12ic3ih112oc64kh7ph3", [OFFERED], [PACKED_WITH]),
    (["--dt=f16", "--stag=axb"], "mb16ic3ih112oc64kh7ph3",
     [OFFERED], [PACKED_WITH]),
    (["--dt=u8s8", "--stag=axb"], "mb16ic3ih112oc64kh7ph3",
     ["n=64 .*walk=o:xp"], ["m=16 n=32 .*walk=o:xp"]),
    (["--dt=f16", "--stag=axb"], "mb16ic3ih112oc64kh3ph1", ["walk=o:p"], [PACK]),
    (["--dt=f16", "--stag=abx"], "mb16ic3ih112oc64kh7ph3", ["walk=o:p"], [PACK]),
    (["--dt=f16", "--wtag=axb"], "mb16ic3ih112oc64kh7ph3", ["walk=o:p"],
     [PACK]),
    (["--dt=f16"], "mb16ic5ih112oc64kh7ph3", ["walk=o:p"], [PACK]),
    (["--dt=f16"], "mb16ic3ih112iw112oc64kh7kw1ph3pw0", ["walk=o:p"], [PACK]),
    (["--dt=f32", "--stag=axb", "--dtag=axb"], "mb16ic64ih56oc64kh3ph1",
     ["fma=mad", SLICED, PREFETCH], [WIDE, ASKED_FOR]),
]


def candidates(xk, words):
    """Each as a line, in the order of the search."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([xk, "gen", "-o", os.devnull, *words], check=True,
                       env={**os.environ, "XK_DUMP": "schedule",
                            "XK_DUMP_DIR": folder})
        (path,) = Path(folder).rglob("*-schedule.txt")
        return path.read_text(encoding="ascii").splitlines()


def generated(xk, words, schedule):
    """The schedule that --info prints of what was forced, or the refusal."""
    done = subprocess.run([xk, "gen", "--info", "-o", os.devnull, *words],
                          env={**os.environ, "XK_SCHEDULE": schedule},
                          text=True, capture_output=True, check=False)
    line = re.search(r"^schedule (.*)$", done.stdout, re.MULTILINE)
    return line.group(1) if line else done.stderr


def main():
    lines = []
    for options, problem, wanted, unwanted in ROWS:
        words = [*options, problem]
        found = candidates(sys.argv[1], words)
        for kind in wanted + unwanted:
            n = [re.search(rf"\b{kind}\b", c) is not None for c in found]
            lines.append(((sum(n) > 0) == (kind in wanted),
                          f"{' '.join(words)}: {sum(n)} of {len(found)} have "
                          f"{kind}", "expected some" if kind in wanted else "expected none"))
        forced = (BUFFERED, WIDE, PACK)
        for kind in (k for k in forced if k in wanted):
            best = next((c for c in found if re.search(rf"\b{kind}\b", c)), "")
            best = best.split(" score=")[0]
            out = generated(sys.argv[1], words, best)
            lines.append((best and out == best, f"{words[-1]}: {best} forced", out))
    tap = Tap()
    for line in lines:
        tap.check(*line)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
