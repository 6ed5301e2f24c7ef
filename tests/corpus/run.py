#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py SOURCES CACHE PROGRAM ARG...: brings compile.py's cache up to date and
runs PROGRAM CACHE ARG...; exit 77 if a tool that the corpus needs is absent."""
import subprocess
import sys
from pathlib import Path

import compile as corpus


def main():
    """Command line."""
    if corpus.missing():
        print(f"# {corpus.missing()} is not installed: no corpus")
        return 77
    sources, cache = (Path(a).absolute() for a in sys.argv[1:3])
    _, complaints = corpus.build(sources, cache)
    for complaint in complaints:
        print("# " + complaint.replace("\n", "\n# "))
    done = subprocess.run([sys.argv[3], str(cache)] + sys.argv[4:],
                          check=False)
    return 1 if complaints else done.returncode


if __name__ == "__main__":
    sys.exit(main())
