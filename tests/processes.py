# SPDX-License-Identifier: Apache-2.0
"""What tests of runners ask about processes."""
import time
from pathlib import Path


def waits(condition):
    """Whether the condition holds within ten seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def alive(group):
    """Whether the group has a process that is not merely unreaped. Debian's smallest
    installation has no ps."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        # The name, in parentheses, may hold anything; then state, parent, group.
        state, _, its_group = text.rpartition(")")[2].split()[:3]
        if its_group == group and state != "Z":
            return True
    return False
