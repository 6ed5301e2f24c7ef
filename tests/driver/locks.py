#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""locks.py XK LOCKS.CL: what the check for races says of data that a lock protects,
and of data that it does not, in kernels that ocloc compiles for three platforms. Exit
77 without ocloc. TAP."""
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

GROUPS, ITEMS = 6, 64
# The kernels: what they count to without a report, or words of the report.
KERNELS = {"right": GROUPS, "right_xchg": GROUPS, "right_group": GROUPS,
           "right_threads": GROUPS * (ITEMS // 32), "right_atomics": ITEMS,
           "no_lock": "nothing orders them", "too_late": "another group",
           "sometimes": "another group", "two_locks": "another group",
           "no_barrier": "another group", "in_the_group": "another thread of the group"}
DEVICES = ("tgllp", "dg2-g10", "pvc")


def main():
    """The cases."""
    tool, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if not shutil.which("ocloc"):
        print("# ocloc is not installed")
        return 77
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for device in DEVICES:
            subprocess.run(["ocloc", "compile", "-file", source, "-device", device,
                            "-output", device, "-output_no_suffix", "-options",
                            "-cl-std=CL2.0"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            for kernel, said in KERNELS.items():
                done = subprocess.run(
                    [tool, "run", f"--groups={GROUPS}", f"--local={ITEMS}", "--check=race",
                     "--out=1:n", device, kernel, "buf:zero:64", "buf:zero:256"],
                    cwd=folder, capture_output=True, text=True, check=False)
                name = f"{device}: {kernel}"
                if isinstance(said, str):
                    tap.check(done.returncode == 1 and said in done.stdout,
                              f"{name} is accused", done.stdout + done.stderr)
                    continue
                tap.check(done.returncode == 0 and "race" not in done.stdout,
                          f"{name} is not accused", done.stdout + done.stderr)
                (n,) = struct.unpack_from("<I", Path(folder, "n").read_bytes())
                tap.check(n == said, f"{name} counts", str(n))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
