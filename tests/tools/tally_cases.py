#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tally_cases.py SCRIPT: the sum that make check ends with. Failures must not
get lost: crashes, timeouts, lines missing from a plan, broken builds. TAP."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def test(result, stdout, name="t"):
    """One line of meson's testlog.json."""
    return json.dumps({"name": name, "result": result, "stdout": stdout})


# What goes in (a suffix and a text, or a word), the sum, the exit code.
CASES = [
    ([(".tap", "1..2\nok 1 - a\nok 2 - b\n")], (2, 0, 0), 0),
    ([(".tap", "ok 1 - a\nnot ok 2 - b\n1..2\n")], (1, 1, 0), 1),
    ([(".tap", "1..3\nok 1 - a\n")], (1, 2, 0), 1),
    ([(".tap", "ok 1 - a # SKIP no driver\nok 2\n1..2\n")], (1, 0, 1), 0),
    ([(".tap", "")], (0, 1, 0), 1),
    ([(".json", test("OK", "ok 1\nok 2\n1..2\n"))], (2, 0, 0), 0),
    ([(".json", test("OK", "no TAP here"))], (1, 0, 0), 0),
    ([(".json", test("FAIL", "no TAP here"))], (0, 1, 0), 1),
    ([(".json", test("ERROR", "1..2\nok 1\nnot ok 2\n"))], (1, 1, 0), 1),
    ([(".json", test("ERROR", "1..2\nok 1\nok 2\n"))], (2, 1, 0), 1),
    ([(".json", test("TIMEOUT", "1..9\nok 1\n"))], (1, 8, 0), 1),
    ([(".json", test("SKIP", "1..0 # SKIP no device"))], (0, 0, 1), 1),
    ([(".json", test("SKIP", "") + "\n" + test("OK", ""))], (1, 0, 1), 0),
    ([(".json", test("OK", "")), "broken:b"], (1, 1, 0), 1),
    (["/no/such/file.json"], (0, 1, 0), 1),
]


# What a failed test wrote, the reason that is printed.
REASONS = [
    ("ok 1\n# no\nnot ok 2 - a\n# 3 is not 4\nok 3\n# no\n1..3\n",
     ["not ok 2 - a", "# 3 is not 4"]),
    ("one\ntwo\n", ["one", "two"]),
    ("", ["wrote nothing; exit code None"]),
]


def reason_is_told(number, stdout, lines, folder, script):
    """Between "failed: t" and the sum stand these lines."""
    path = Path(folder) / "reason.json"
    path.write_text(test("FAIL", stdout))
    done = subprocess.run([sys.executable, script, str(path)],
                          capture_output=True, text=True, check=False)
    said = [line.strip() for line in done.stdout.splitlines()[1:-1]]
    print(f"{'ok' if said == lines else 'not ok'} {number} - the reason")
    if said != lines:
        print(f"# {said}")
    return said == lines


def failed_line_is_on_stderr(number):
    """meson shows nothing but stderr of a test that speaks TAP."""
    tests = Path(__file__).resolve().parents[1]
    program = (f"import sys; sys.path.insert(0, {str(tests)!r}); import tap\n"
               "print('ok 1 - a\\n# of a\\nnot ok 2 - b')\nprint('# why b')\n"
               "t = tap.Tap(); t.check(False, 'c', 'why c'); t.check(True, 'd', 'e')")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True,
                          text=True, check=False)
    good = done.stderr == "not ok 2 - b\n# why b\nnot ok 1 - c\n# why c\n"
    print(f"{'ok' if good else 'not ok'} {number} - what failed is on stderr, too")
    if not good:
        print(f"# {done.stderr!r}")
    return good


def main():
    bad = 0
    count = len(CASES) + len(REASONS)
    print(f"1..{count + 1}")
    with tempfile.TemporaryDirectory() as folder:
        for number, (inputs, counts, code) in enumerate(CASES, 1):
            args = []
            for index, entry in enumerate(inputs):
                if isinstance(entry, tuple):
                    path = Path(folder) / f"{number}-{index}{entry[0]}"
                    path.write_text(entry[1])
                    entry = str(path)
                args.append(entry)
            done = subprocess.run([sys.executable, sys.argv[1]] + args,
                                  capture_output=True, text=True, check=False)
            last = done.stdout.splitlines()[-1] if done.stdout else ""
            good = (last == "%d passed, %d failed, %d skipped" % counts
                    and done.returncode == code)
            bad += not good
            print(f"{'ok' if good else 'not ok'} {number} - {counts}")
            if not good:
                print(f"# exit {done.returncode}: {last} {done.stderr}")
        for number, row in enumerate(REASONS, len(CASES) + 1):
            bad += not reason_is_told(number, *row, folder, sys.argv[1])
    bad += not failed_line_is_on_stderr(count + 1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
