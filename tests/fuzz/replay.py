#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""replay.py TARGET PROGRAM COUNT: makes the seeds of a fuzz target and gives
them to its program built without libFuzzer, with COUNT mutations of each. Exit
code: the program's."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = HERE / "make_seeds.py"


def main():
    """Command line."""
    target, program, count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name in set(re.findall(r'"(fuzz_\w+)"', SEEDS.read_text())):
            (Path(folder) / name).mkdir()
        subprocess.run([sys.executable, SEEDS, folder], check=True)
        seeds = sorted((Path(folder) / target).iterdir())
        return subprocess.run([program, count, *seeds], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
