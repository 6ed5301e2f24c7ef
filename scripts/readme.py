#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make readme: replaces the output below each "    $ COMMAND" line of README.md
by what the command prints now. Commands run in the source tree's root."""
import subprocess
import sys
from pathlib import Path

PROMPT = "    $ "


def refreshed(lines):
    """The lines with every command's output renewed."""
    skipping = False
    for line in lines:
        if line.startswith(PROMPT):
            yield line
            done = subprocess.run(["bash", "-c", line[len(PROMPT):]],
                                  stdout=subprocess.PIPE, text=True,
                                  check=True)
            for text in done.stdout.splitlines():
                yield "    " + text
            skipping = True
        elif not skipping or not line.startswith("    "):
            skipping = False
            yield line


def main():
    path = Path(sys.argv[1])
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(refreshed(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
