# SPDX-License-Identifier: Apache-2.0
"""What earlier runs of a long measurement have found, in a file of JSON lines: a run can
be stopped and continued. The first line says what the findings are of: the library by its
hash, and the options. A file that is of anything else is refused."""
import hashlib
import json
import sys
from pathlib import Path


def library_hash(xkbench):
    """SHA-256 of xkbench and of the library that it loads."""
    bench = Path(xkbench).resolve()
    code = hashlib.sha256(bench.read_bytes())
    for library in sorted(bench.parent.parent.glob("libxekern.so.0")):
        code.update(library.read_bytes())
    return code.hexdigest()


class Kept:
    """{case: found}; without a path it is only of this run."""

    def __init__(self, path, head):
        self.path, self.found = path, {}
        if not self.path:
            return
        if self.path.exists():
            first, *rest = map(json.loads, self.path.read_text().splitlines())
            if first != head:
                sys.exit(f"{self.path} is of {first}, wanted {head}")
            self.found = {r["case"]: r["found"] for r in rest}
        else:
            self.path.write_text(json.dumps(head) + "\n")

    def add(self, case, found):
        """Also writes it."""
        self.found[case] = found
        if self.path:
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(json.dumps({"case": case, "found": found}) + "\n")
