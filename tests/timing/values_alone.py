#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""values_alone.py XKBENCH: what --timing=:all tells of a program of several launches is
what --timing=:NAME=VALUE tells of each value alone: its time, the least and the
greatest of all launches together under one value, and which value that is. TAP."""
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

PROBLEMS = [
    ["--dir=BWD_WB", "--dt=f16", "mb1ic64ih14oc64oh14kh3ph1"],
    ["--dir=BWD_D", "--dt=f32", "mb2ic32ih14oc32oh7kh3sh2ph1"],
    ["--dir=FWD_D", "--dt=f16", "mb2ic64ih14oc64oh14kh3ph1"],
]


def told(xkbench, timing, problem):
    """[fields] of the one line."""
    done = subprocess.run(
        [xkbench, "--mode=P", "--time-only=0", "--timing=" + timing,
         "--perf-template=@%-ptime%|%0ptime%|%+ptime%|%worst%|%hypotheses%|",
         *problem], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split("\n@")[1].split("|")[:5]


def same(a, b):
    """In ms, as printed."""
    return abs(a - b) <= 1e-4 * max(a, b)


def main():
    tap, xkbench = Tap(), sys.argv[1]
    for problem in PROBLEMS:
        text = " ".join(problem)
        least, nominal, most, worst, rest = told(xkbench, ":all", problem)
        values = dict(word.rsplit(":", 1) for word in rest.split())
        alone = {"nominal": float(told(xkbench, "", problem)[1])}
        for word in values:
            alone[word] = float(told(xkbench, ":" + word, problem)[1])
        tap.check(same(alone["nominal"], float(nominal)), f"{text}: nominal",
                  f"{nominal}, alone {alone['nominal']} ms")
        wrong = [f"{word} {us} us, alone {alone[word]} ms" for word, us in values.items()
                 if not same(float(us) / 1e3, alone[word])]
        tap.check(len(values) > 10 and not wrong, f"{text}: {len(values)} values",
                  "; ".join(wrong) or "expected more than ten")
        tap.check(same(min(alone.values()), float(least)), f"{text}: least {least}",
                  f"alone {min(alone.values())}")
        tap.check(same(max(alone.values()), float(most)) and
                  same(alone.get(worst, 0), float(most)), f"{text}: most {most}, {worst}",
                  f"alone {max(alone.values())}, {worst} {alone.get(worst)}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
