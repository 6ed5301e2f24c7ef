#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_run.py: the runner of OpenCL-CTS with a binary and an xk that are made
here: one that passes, fails, hangs, is dropped, crashes or ends without its total
must be told apart, and an excuse counts only for what it names. A signal loses no
verdict and leaves no process. TAP."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import tap  # noqa: E402,F401
from processes import alive, waits  # noqa: E402

RUN = Path(__file__).resolve().parent / "run.py"
# xk vgpu -q -p PLATFORM -- BINARY ARG...
XK = '#!/bin/sh\nshift 5\n"$@"\n'
TOTAL = "echo 'PASSED 2 of 2 tests.'\n"
LOST = "echo 'FAILED 1 of 2 tests.'\n"
# A child that does not die of SIGTERM and holds the pipe.
HANG = "echo 'a passed'\n(trap '' TERM; sleep 60 & wait; sleep 60) & wait\n"
# vgpu_summary.c says sentences in this form.
DROP = "echo 'xk vgpu: a client was dropped: a message says that it has 9'\n"

# As the harness lists its subtests.
LISTS = ("[ \"$1\" = --list ] && "
         "printf '\\ta_int\\n\\tb_int\\n\\tb_x\\n\\tc_int\\n\\tc_x\\n' && "
         "exit 0\n")

# name, the binary's script, excuses, exit code, what stdout says, arguments (-w)
CASES = [
    ("all passed", "echo 'a passed'\necho 'b passed'\n" + TOTAL, "", 0,
     ["xehpg t/test_t: pass; 2 passed, 0 failed, 0 skipped",
      "1 passed, 0 failed, 0 skipped"]),
    ("a skip is counted", "echo 'a passed'\necho 'b skipped'\n" + TOTAL, "", 0,
     ["pass; 1 passed, 0 failed, 1 skipped"]),
    ("a failure is named", "echo 'a passed'\necho 'b FAILED'\n" + LOST
     + "exit 1\n", "", 1, ["fail; 1 passed, 1 failed", "of CPU b\n"]),
    ("a status without a failed subtest", TOTAL + "exit 3\n", "", 1,
     ["fail; ", "(status)"]),
    ("an excused failure", "echo 'b FAILED'\n" + LOST + "exit 1\n",
     "G | t/test_t | b | theirs | xelp\n", 0, ["1 passed, 0 failed"]),
    ("an excuse of another subtest", "echo 'b FAILED'\n" + LOST + "exit 1\n",
     "G | t/test_t | c | theirs | xelp\n", 1,
     ["excuse that fits nothing: G t/test_t c", "0 passed, 2 failed"]),
    ("an excuse of another platform", "echo 'b FAILED'\n" + LOST + "exit 1\n",
     "L | t/test_t | b | theirs | xelp\n", 1, ["0 passed, 1 failed"]),
    ("an excuse without need", "echo 'b passed'\n" + TOTAL,
     "G | t/test_t | b | theirs | xelp\n", 1, ["excuse that fits nothing"]),
    ("a failure by chance that stays away", "echo 'b passed'\n" + TOTAL,
     "G? | t/test_t | b | theirs | xelp\n", 0, ["1 passed, 0 failed"]),
    ("a failure by chance", "echo 'b FAILED'\n" + LOST + "exit 1\n",
     "G? | t/test_t | b | theirs | xelp\n", 0, ["1 passed, 0 failed"]),
    ("one excuse for two subtests",
     "echo 'b FAILED'\necho 'c FAILED'\n" + LOST + "exit 2\n",
     "G | t/test_t | b c | theirs | xelp\n", 0, ["1 passed, 0 failed"]),
    ("an excuse without a proof", TOTAL, "G | t/test_t | b | theirs\n", 1, []),
    ("a hang", HANG, "", 1, ["hang; 1 passed", "(hang)"]),
    ("a slow one, with patience", "sleep 3\necho 'a passed'\n" + TOTAL, "", 0,
     ["pass; 1 passed"], "-w", "10"),
    ("a dropped client", "echo 'a passed'\n" + DROP + TOTAL, "", 1,
     ["xk said: xk vgpu: a client was dropped", "(dropped)"]),
    ("a crash", "echo 'a passed'\nkill -SEGV $$\n", "", 1,
     ["ended early", "(crash)"]),
    ("subtests by patterns", LISTS + "echo \"$*\" >&2\nfor n in \"$@\"; do "
     "echo \"$n passed\"; done\n" + TOTAL, "", 0,
     ["pass; 3 passed"], "-w *_int !b_int c_x"),
    ("all but those by patterns", LISTS + "for n in \"$@\"; do "
     "echo \"$n passed\"; done\n" + TOTAL, "", 0,
     ["pass; 2 passed"], "!b* !c_x"),
    ("a pattern without a subtest", LISTS + "echo 'a passed'\n" + TOTAL, "", 1,
     ["a pattern fits no subtest", "(pattern)"], "a_* d_*"),
    ("a total of nothing", TOTAL, "", 1, ["no subtest ran", "(nothing)"]),
    ("the rows of a platform", "echo 'a passed'\n" + TOTAL, "", 0,
     ["xehpg t/test_t: pass", "1 passed, 0 failed, 0 skipped"]),
    ("an end without a total", "echo 'a passed'\n", "", 1,
     ["ended early, status 0", "(crash)"]),
]


def write(path, text):
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def runs(folder, script, excuses, arguments="-w", patience="1"):
    """run.py's result on a table of one row, and its seconds."""
    write(folder / "xk", XK)
    if script is not None:
        write(folder / "test_conformance/t/test_t", "#!/bin/sh\n" + script)
    write(folder / "table.txt", f"GL | 2 | t/test_t | {arguments}\n")
    write(folder / "excuses.txt", excuses)
    env = dict(os.environ, XK_CONFORMANCE_TABLES=str(folder),
               XK_CONFORMANCE_PATIENCE=patience)
    start = time.monotonic()
    done = subprocess.run([RUN, folder / "xk", folder, "xehpg"], env=env, text=True,
                          capture_output=True, timeout=50, check=False)
    return done, time.monotonic() - start


def three_rows(folder):
    """A row that passes, one that stays after two subtests, one not begun."""
    # The group of the last row that was begun.
    write(folder / "xk", XK.replace("shift", f"echo $$ >{folder}/pid\nshift"))
    for name, script in (("a", "echo 'a1 passed'\n" + TOTAL),
                         ("b", "echo 'b1 passed'\necho 'b2 skipped'\n" + HANG),
                         ("c", "echo 'c1 passed'\n" + TOTAL)):
        write(folder / f"test_conformance/{name}/test_{name}", "#!/bin/sh\n" + script)
    write(folder / "table.txt", "".join(f"G | 40 | {n}/test_{n} | -w\n"
                                        for n in "abc"))
    write(folder / "excuses.txt", "G | b/test_b | b3 | theirs | xelp\n")


def says(path, words):
    """Whether the file is there and says it."""
    return path.exists() and words in path.read_text()


def interrupted(folder, number):
    """What is wrong with the verdicts of a run that a signal ends."""
    three_rows(folder)
    env = dict(os.environ, XK_CONFORMANCE_TABLES=str(folder),
               XK_CONFORMANCE_LOGS=str(folder), XK_CONFORMANCE_JOBS="1")
    out, log = folder / "out", folder / "xehpg-test_b.txt"
    with open(out, "wb") as f, subprocess.Popen([RUN, folder / "xk", folder],
                                                env=env, stdout=f) as p:
        bad = [w for path, w in ((log, "b2 skipped"), (out, "a/test_a: pass"))
               if not waits(lambda p=path, w=w: says(p, w))]
        p.send_signal(number)
        status = p.wait(timeout=30)
    bad += [w for w in ("xehpg b/test_b: interrupted; 2 passed, 0 failed, 1 skipped",
                        "xehpg c/test_c: interrupted; not begun",
                        "\n1 passed, 0 failed, 0 skipped, 2 interrupted\n")
            if w not in out.read_text()]
    if alive((folder / "pid").read_text().strip()):
        bad.append("a process is left")
    return bad + ([f"status {status}"] if status != 1 else []), out.read_text()


def test_signal(k, number):
    """One TAP line; 1 if it is not ok."""
    with tempfile.TemporaryDirectory() as folder:
        bad, out = interrupted(Path(folder), number)
    print("not ok" if bad else "ok", k, "- a run that", number.name, "ends")
    if bad:
        print("#", *bad, out, sep="\n# ")
    return bool(bad)


def main():
    """All cases."""
    cases = CASES + [("a binary that is not built", None, "", 1,
                      ["skip, not built", "0 passed, 0 failed, 1 skipped"])]
    print(f"1..{len(cases) + 2}")
    n_bad = 0
    for k, (name, script, excuses, code, said, *more) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            done, seconds = runs(Path(folder), script, excuses, *more)
        good = done.returncode == code and seconds < 40 and \
            all(s in done.stdout for s in said)
        n_bad += not good
        print("ok" if good else "not ok", k, "-", name)
        if not good:
            print("#", done.returncode, f"{seconds:.0f} s", done.stdout,
                  done.stderr, sep="\n# ")
    for k, number in enumerate((signal.SIGINT, signal.SIGTERM), len(cases) + 1):
        n_bad += test_signal(k, number)
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
