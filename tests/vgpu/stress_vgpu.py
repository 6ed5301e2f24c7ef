#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stress_vgpu.py XK STRESS_CLIENT [MINUTES [PLATFORM [CLIENTS]]]: ten clients of four
threads on one virtual device that looks for races, each comparing its results
(stress_client.c), for ten minutes, or XK_STRESS_MINUTES of the environment. Exits 1 if a result is wrong,
a client does not come to its end, does nothing, or the device has complained."""
import os
import re
import signal
import subprocess
import sys

GRACE_S = 1800  # to start, and to end, beside much other work


def shell(seconds, client, clients):
    """All clients, as children of one xk; each says its figure."""
    one = f'"{client}" {seconds} || echo "failed: $?"'
    return " & ".join([f"({one})"] * clients) + " & wait"


def main(xk, client, minutes=None, platform="xehpg", clients="10"):
    """Command line."""
    clients = int(clients)
    minutes = float(minutes or os.environ.get("XK_STRESS_MINUTES", "10"))
    seconds = int(minutes * 60)
    command = [xk, "vgpu", "-q", "-p", platform, "--check=race", "--", "sh", "-c",
               shell(seconds, client, clients)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=seconds + GRACE_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
        err += "clients did not end\n"
    figures = re.findall(r"^(\d+) rounds, (\d+) wrong$", out, re.M)
    rounds = sum(int(n) for n, _ in figures)
    wrong = sum(int(n) for _, n in figures)
    good = len(figures) == clients and not wrong and not err and \
        all(int(n) for n, _ in figures) and "failed" not in out
    print(f"{platform}: {len(figures)} of {clients} clients, {minutes:g} minutes: "
          f"{rounds} rounds, {wrong} wrong")
    if not good:
        print(out + err)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
