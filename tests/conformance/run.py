#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py XK BUILD [NAME...]: binaries of OpenCL-CTS, built by the user in the
folder BUILD, on the virtual GPU. table.txt says which, how and where; NAME keeps
the rows whose binary contains it, a platform's name the rows on that platform.
Nothing of the suite is in this tree. XK_CONFORMANCE_JOBS rows run at a time (2).
XK_CONFORMANCE_PATIENCE multiplies the limits beside much other work (1).
XK_CONFORMANCE_TABLES names another folder of the two tables, XK_CONFORMANCE_LOGS a
folder that keeps what each row said."""
import os
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(os.environ.get("XK_CONFORMANCE_TABLES") or
            Path(__file__).resolve().parent)
PATIENCE = float(os.environ.get("XK_CONFORMANCE_PATIENCE", "1"))
PLATFORMS = {"G": "xehpg", "L": "xelp", "C": "xehpc"}
# Debian's compiler cannot compile OpenCL C 3.0 for a device without images ("use
# of type image2d_t requires __opencl_c_images", opencl-c.h): asked to, the driver
# says that the device has 2.1, and the suite compiles 2.0.
ENVIRONMENT = {"C": {"ForceOCLVersion": "21"}}
# The harness says one such line a subtest.
ENDS = re.compile(r"^(\w+) (passed|FAILED|skipped)\b", re.M)
# It counts what was asked for; a run without this line was cut short.
TOTAL = re.compile(r"^(?:PASSED|FAILED|SKIPPED) .*\btests?\.", re.M)
# Whatever xk says is about a launch, a command or a client that came to nothing.
DROPPED = re.compile(r"^xk(?: vgpu)?: .*", re.M)


def lines(name):
    """The fields of a table's lines, comments left out."""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [field.strip() for field in line.split("|")]


def end_group(p, number):
    """Sends a signal to the program and to all that it has started."""
    try:
        os.killpg(p.pid, number)
    except ProcessLookupError:
        pass


def execute(words, limit_s, more=None):
    """The output and the exit status, None if it was ended after limit_s. A child
    that outlives its parent holds the pipe, so the whole group is ended."""
    env = dict(os.environ, CL_WIMPY_MODE="1", **(more or {}))
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace", start_new_session=True) as p:
        try:
            return p.communicate(timeout=limit_s)[0], p.returncode
        except subprocess.TimeoutExpired:
            end_group(p, signal.SIGTERM)
        try:
            return p.communicate(timeout=10)[0], None
        except subprocess.TimeoutExpired:
            end_group(p, signal.SIGKILL)
            return p.communicate()[0], None


def judge(out, status):
    """What the row came to, and its subtests that failed."""
    failed = {n for n, how in ENDS.findall(out) if how == "FAILED"}
    if status is None:
        return "hang", failed | {"(hang)"}
    if DROPPED.search(out):
        return f"xk said: {DROPPED.search(out)[0]}", failed | {"(dropped)"}
    if status >= 126 or not TOTAL.search(out):
        return f"ended early, status {status}", failed | {"(crash)"}
    if failed or status:
        return "fail", failed or {"(status)"}
    if not ENDS.search(out):
        return "no subtest ran", {"(nothing)"}
    return "pass", failed


def cpu_s():
    """Seconds of processor time of all programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def keep(letter, name, out):
    """What the row said, for who wants to know more."""
    folder = os.environ.get("XK_CONFORMANCE_LOGS")
    if folder:
        name = f"{PLATFORMS[letter]}-{Path(name).name}.txt"
        Path(folder, name).write_text(out, encoding="utf-8")


def subtests(path, words):
    """The words with patterns (*) as the binary's subtests that fit, and without
    those behind a !, which alone means all others; None if a pattern fits nothing."""
    if not any(c in w for w in words for c in "*!"):
        return words
    out, _ = execute([path, "--list"], 60)
    names = [line.strip() for line in out.splitlines() if line.startswith("\t")]
    fits = {w: [n for n in names if fnmatchcase(n, w.lstrip("!"))] for w in words
            if "*" in w or w.startswith("!")}
    if not all(fits.values()):
        return None
    options = [w for w in words if w not in fits]
    away = {n for w, f in fits.items() if w.startswith("!") for n in f}
    asked = {n for w, f in fits.items() if not w.startswith("!") for n in f}
    return options + [n for n in names if n not in away and
                      (n in asked or all(w.startswith("!") for w in fits))]


def run_row(job):
    """One row on one platform: its letter and binary, its line, the subtests that
    failed."""
    xk, path, letter, row = job
    start, cpu = time.monotonic(), cpu_s()
    words = subtests(path, row[3].split())
    if words is None:
        return letter, row[2], "a pattern fits no subtest", ["(pattern)"]
    out, status = execute([xk, "vgpu", "-q", "-p", PLATFORMS[letter], "--",
                           str(path)] + words, int(row[1]) * PATIENCE,
                          ENVIRONMENT.get(letter))
    keep(letter, row[2], out or "")
    how, failed = judge(out or "", status)
    ends = [e for _, e in ENDS.findall(out or "")]
    said = (f"{how}; {ends.count('passed')} passed, {ends.count('FAILED')} failed, "
            f"{ends.count('skipped')} skipped, {time.monotonic() - start:.0f} s, "
            f"{cpu_s() - cpu:.0f} s of CPU")
    return letter, row[2], said, sorted(failed)


def read_excuses():
    """The excuses, and which of them are for what fails by chance only."""
    excuses, by_chance = set(), set()
    for e in lines("excuses.txt"):
        if len(e) != 5:
            sys.exit(f"excuses.txt: {len(e)} fields, not 5: {' | '.join(e)}")
        for name in e[2].split():
            keys = {(letter, e[1], name) for letter in e[0].rstrip("?")}
            excuses |= keys
            if e[0].endswith("?"):
                by_chance |= keys
    return excuses, by_chance


def jobs_of(xk, build, chosen, count):
    """What is to run; says what is not built."""
    platforms = {k for k, n in PLATFORMS.items() if n in chosen}
    names = [n for n in chosen if n not in PLATFORMS.values()]
    for row in lines("table.txt"):
        if names and not any(n in row[2] for n in names):
            continue
        path = build / "test_conformance" / row[2]
        for letter in row[0]:
            if platforms and letter not in platforms:
                continue
            if path.exists():
                yield xk, path, letter, row
            else:
                print(f"{PLATFORMS[letter]} {row[2]}: skip, not built")
                count[2] += 1


def main():
    excuses, by_chance = read_excuses()
    used, ran, count = set(), set(), [0, 0, 0]
    jobs = list(jobs_of(sys.argv[1], Path(sys.argv[2]), sys.argv[3:], count))
    at_a_time = int(os.environ.get("XK_CONFORMANCE_JOBS", "2"))
    with ProcessPoolExecutor(at_a_time) as pool:
        for letter, binary, said, failed in pool.map(run_row, jobs):
            keys = {(letter, binary, name) for name in failed}
            left = sorted(name for _, _, name in keys - excuses)
            ran.add((letter, binary))
            used |= keys & excuses
            print(f"{PLATFORMS[letter]} {binary}: {said}", *left, flush=True)
            count[1 if left else 0] += 1
    for key in sorted(excuses - used - by_chance):
        if key[:2] in ran:
            print("excuse that fits nothing:", *key)
            count[1] += 1
    print(f"{count[0]} passed, {count[1]} failed, {count[2]} skipped")
    return 1 if count[1] or not count[0] else 0


if __name__ == "__main__":
    sys.exit(main())
