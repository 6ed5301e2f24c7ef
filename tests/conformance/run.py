#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py XK BUILD [NAME...]: binaries of OpenCL-CTS, built by the user in the
folder BUILD, on the virtual GPU. table.txt says which, how and where; NAME keeps
the rows whose binary contains it, a platform's name the rows on that platform.
Nothing of the suite is in this tree. XK_CONFORMANCE_JOBS rows run at a time (2).
XK_CONFORMANCE_PATIENCE multiplies the limits beside much other work (1).
XK_CONFORMANCE_TABLES names another folder of the two tables, XK_CONFORMANCE_LOGS a
folder that keeps what each row says, as it says it. A row's verdict is printed when the
row ends. SIGINT and SIGTERM end the rows that run; what they came to until then, and
the sums, are printed."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
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
# Set by the signal that ends this program, and by nothing.
STOPPED, NEVER = threading.Event(), threading.Event()
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


def wait(p, limit_s, stop):
    """The exit status, None if the limit or the event came first, and the seconds of
    processor time of the program and of all that it has waited for."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end and not stop.is_set():
        pid, how, usage = os.wait4(p.pid, os.WNOHANG)
        if pid:
            p.returncode = os.waitstatus_to_exitcode(how)
            return p.returncode, usage.ru_utime + usage.ru_stime
        stop.wait(0.05)
    return None, 0


def execute(words, limit_s, more=None, log=None):
    """The output, the exit status, None if it was ended after limit_s or by a signal
    to us, and the seconds of processor time. The output goes to a file, which a child
    that outlives its parent cannot hold up; then the whole group is ended."""
    env = dict(os.environ, CL_WIMPY_MODE="1", **(more or {}))
    with open(log, "w+b") if log else tempfile.TemporaryFile() as out:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, env=env, stdout=out,
                              stderr=subprocess.STDOUT, start_new_session=True) as p:
            status, cpu_s = wait(p, limit_s, STOPPED)
            if status is None:
                end_group(p, signal.SIGTERM)
                cpu_s = wait(p, 10, NEVER)[1]
            end_group(p, signal.SIGKILL)
        out.seek(0)
        return out.read().decode(errors="replace"), status, cpu_s


def judge(out, status):
    """What the row came to, and its subtests that failed."""
    failed = {n for n, how in ENDS.findall(out) if how == "FAILED"}
    if status is None and STOPPED.is_set():
        return "interrupted", failed
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


def log_of(letter, name):
    """The file for what the row says, for who wants to know more."""
    folder = os.environ.get("XK_CONFORMANCE_LOGS")
    name = f"{PLATFORMS[letter]}-{Path(name).name}.txt"
    return Path(folder, name) if folder else None


def subtests(path, words):
    """The words with patterns (*) as the binary's subtests that fit, and without
    those behind a !, which alone means all others; None if a pattern fits nothing."""
    if not any(c in w for w in words for c in "*!"):
        return words
    out = execute([path, "--list"], 60)[0]
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
    """One row on one platform: what is said about it, the subtests that failed."""
    xk, path, letter, row = job
    start = time.monotonic()
    words = None if STOPPED.is_set() else subtests(path, row[3].split())
    if STOPPED.is_set():
        return "interrupted; not begun", []
    if words is None:
        return "a pattern fits no subtest", ["(pattern)"]
    out, status, cpu_s = execute([xk, "vgpu", "-q", "-p", PLATFORMS[letter], "--",
                                  str(path)] + words, int(row[1]) * PATIENCE,
                                 ENVIRONMENT.get(letter), log_of(letter, row[2]))
    how, failed = judge(out, status)
    ends = [e for _, e in ENDS.findall(out)]
    said = (f"{how}; {ends.count('passed')} passed, {ends.count('FAILED')} failed, "
            f"{ends.count('skipped')} skipped, {time.monotonic() - start:.0f} s, "
            f"{cpu_s:.0f} s of CPU")
    return said, sorted(failed)


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


def verdicts(jobs):
    """The letter, the binary, what is said and what failed, as the rows end."""
    at_a_time = int(os.environ.get("XK_CONFORMANCE_JOBS", "2"))
    with ThreadPoolExecutor(at_a_time) as pool:
        rows = {pool.submit(run_row, job): job for job in jobs}
        for done in as_completed(rows):
            _, _, letter, row = rows[done]
            yield letter, row[2], *done.result()


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: STOPPED.set())
    excuses, by_chance = read_excuses()
    used, ran, count, cut = set(), set(), [0, 0, 0], 0
    jobs = list(jobs_of(sys.argv[1], Path(sys.argv[2]), sys.argv[3:], count))
    for letter, binary, said, failed in verdicts(jobs):
        keys = {(letter, binary, name) for name in failed}
        left = sorted(name for _, _, name in keys - excuses)
        print(f"{PLATFORMS[letter]} {binary}: {said}", *left, flush=True)
        used |= keys & excuses
        if said.startswith("interrupted") and not left:
            cut += 1
            continue
        count[1 if left else 0] += 1
        if not said.startswith("interrupted"):
            ran.add((letter, binary))
    for key in sorted(excuses - used - by_chance):
        if key[:2] in ran:
            print("excuse that fits nothing:", *key)
            count[1] += 1
    print(f"{count[0]} passed, {count[1]} failed, {count[2]} skipped" +
          (f", {cut} interrupted" if STOPPED.is_set() else ""))
    return 1 if count[1] or cut or not count[0] else 0


if __name__ == "__main__":
    sys.exit(main())
