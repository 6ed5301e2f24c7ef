#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""yardstick.py: how slow this machine is now, as a ratio.

Two processes at once, one a core, count and index a table as the simulator
does; the ratio is their CPU seconds by what the machine of make check's budget
took (NOMINAL_S, two idle cores). 2.00 is a machine of half the speed.
"""
import os
import sys

NOMINAL_S = 0.6
PROCESSES = 2
ROUNDS = 9_000_000
TABLE = [i * 7 & 255 for i in range(256)]


def work():
    """What one process does; the loop must not be known to be empty."""
    total = 0
    table = TABLE
    for i in range(ROUNDS):
        total += table[i & 255] + (i >> 8 & 1)
    return total > 0


def main():
    before = os.times()
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child == 0:
            os._exit(0 if work() else 1)
        children.append(child)
    if any(os.waitpid(child, 0)[1] != 0 for child in children):
        sys.exit("yardstick.py: a process did not end well")
    after = os.times()
    used = (after.children_user + after.children_system -
            before.children_user - before.children_system)
    print(f"{used / PROCESSES / NOMINAL_S:.2f}")


if __name__ == "__main__":
    main()
