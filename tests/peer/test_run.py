#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_run.py: the runner of oneDNN's primitives with a peer and an xk that are made
here. Each verdict is there as soon as its process has ended, and a signal loses none
and leaves no process. TAP."""
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import tap  # noqa: E402,F401
from processes import alive, waits  # noqa: E402

RUN = Path(__file__).resolve().parent / "run.py"
BATCH = 16
# xk vgpu -p PLATFORM --check=all --json -o REPORT -- PEER TABLE
XK = """#!/bin/sh
echo $$ >"{folder}/pid"
report=$7
shift 8
"$@"
echo '{{"kernels": [{{"code": "{code}"}}], "launches": [], "said": []}}' >"$report"
"""
# The second process says one case and stays, with a child that does not die of SIGTERM.
PEER = """#!/bin/sh
n=0
while read -r line; do
    n=$((n + 1))
    echo "ok $n - $line"
    echo "# jit:none"
    if [ -e "{folder}/second" ]; then
        echo begun >"{folder}/begun"
        (trap '' TERM; sleep 60) & wait
    fi
done <"$1"
touch "{folder}/second"
"""


def write(path, text):
    """An executable file."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def interrupted(folder, number):
    """What is wrong with the verdicts of a run that a signal ends."""
    write(folder / "xk", XK.format(folder=folder, code="c0ffee"))
    write(folder / "peer", PEER.format(folder=folder))
    out = folder / "out"

    def told():
        return len(re.findall(r"^(?:not )?ok ", out.read_text(), re.M))

    with open(out, "wb") as f, subprocess.Popen(
            [RUN, folder / "xk", folder / "peer", "xehpc", "all"], stdout=f) as p:
        bad = [] if waits((folder / "begun").exists) else ["no second process"]
        if told() != BATCH:
            bad.append(f"{told()} verdicts before the signal")
        p.send_signal(number)
        status = p.wait(timeout=30)
    said = re.search(rf"^Bail out! {number.name} after {BATCH} of \d+ cases\n"
                     r"# xehpc: (\d+) passed, (\d+) failed, .* 1 kernel with code of different hashes",
                     out.read_text(), re.M)
    if not said or int(said[1]) + int(said[2]) != BATCH or told() != BATCH:
        bad.append("the sums are lost")
    if alive((folder / "pid").read_text().strip()):
        bad.append("a process is left")
    return bad + ([f"status {status}"] if status != 1 else []), out.read_text()


def main():
    """A run for each signal."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    print(f"1..{len(numbers)}")
    n_bad = 0
    for k, number in enumerate(numbers, 1):
        with tempfile.TemporaryDirectory() as folder:
            bad, out = interrupted(Path(folder), number)
        n_bad += bool(bad)
        print("not ok" if bad else "ok", k, "- a run that", number.name, "ends")
        if bad:
            print("#", *bad, *out.splitlines(), sep="\n# ")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
