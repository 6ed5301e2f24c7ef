# SPDX-License-Identifier: Apache-2.0
"""What tests of runners ask about processes."""
import subprocess
import time


def waits(condition):
    """Whether the condition holds within ten seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def alive(group):
    """Whether the group has a process that is not merely unreaped."""
    listed = subprocess.run(["ps", "-e", "-o", "pgid=,stat="], text=True,
                            capture_output=True, check=True).stdout.splitlines()
    return any(line.split()[0] == group and line.split()[1][0] != "Z"
               for line in listed)
