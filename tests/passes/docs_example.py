#!/usr/bin/env python3
"""docs_example.py XK-OPT DOCS: runs the example of docs/passes.md. The block
that is marked ir is the kernel; each later block that is marked with a list of
passes must stand, line by line, in what they make of it."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401


def main():
    opt, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as f:
        blocks = re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", f.read(),
                            re.M | re.S)
    kernel = [text for mark, text in blocks if mark == "ir"]
    steps = [(mark, text) for mark, text in blocks if mark != "ir"]
    bad = len(kernel) != 1 or not steps
    print(f"{'not ok' if bad else 'ok'} 1 - one kernel and passes for it")
    if bad:
        print(f"# {len(kernel)} blocks of ir, {len(steps)} of passes in {path}")
    for i, (passes, wanted) in enumerate(steps, 2):
        done = subprocess.run([opt, passes], input=kernel[0],
                              capture_output=True, text=True, check=False)
        good = done.returncode == 0 and wanted in done.stdout
        bad |= not good
        print(f"{'ok' if good else 'not ok'} {i} - {passes}")
        if not good:
            for line in (done.stderr + done.stdout).splitlines():
                print("# " + line)
    print(f"1..{len(steps) + 1}")
    return bad


sys.exit(main())
