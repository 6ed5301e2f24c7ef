# SPDX-License-Identifier: Apache-2.0
"""What Python tests print: numbered TAP lines, and why a test failed. Importing it
copies a failed line, and the comments behind it, to stderr: meson shows only that of a
test that speaks TAP."""
import re
import sys

WHY_LINES = 40


class Copy:
    """Standard output whose failed lines also go to another stream."""

    def __init__(self, out, other):
        self.out, self.other = out, other
        self.line, self.behind = "", False

    def __getattr__(self, name):
        return getattr(self.out, name)

    def write(self, text):
        """As a stream's."""
        self.line += text
        *whole, self.line = self.line.split("\n")
        for line in whole:
            self.behind = line.startswith("not ok") or (
                self.behind and line.startswith("#"))
            if self.behind:
                print(line, file=self.other)
        return self.out.write(text)


if not sys.stdout.isatty():
    sys.stdout = Copy(sys.stdout, sys.stderr)


class Tap:
    """Counts and prints; end() is the exit code."""

    def __init__(self):
        self.count = 0
        self.bad = 0

    def check(self, good, name, why=""):
        """One line; why explains a failure, its last lines do."""
        self.count += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            for line in str(why).strip().splitlines()[-WHY_LINES:]:
                print("# " + line[:2000])

    def equal(self, got, want, name):
        """One line; a failure shows both, lists from where they differ."""
        why = f"{got!r}, expected {want!r}"
        if isinstance(got, (tuple, list, bytes)) and isinstance(want, type(got)):
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b),
                      min(len(got), len(want)))
            why = (f"{len(got)} elements, expected {len(want)}; from element {at}: "
                   f"{got[at:at + 8]!r}, expected {want[at:at + 8]!r}")
        self.check(got == want, name, why)

    def line(self, complaint, name):
        """One line; complaint is empty if all is well."""
        self.check(not complaint, name, complaint)

    def skip(self, name, why):
        """One line for what cannot be tried here."""
        self.check(True, f"{name} # SKIP {why}", "")

    def judge(self, name, done, code, pattern):
        """A finished process: its exit code, and what stderr must match."""
        complaint = ""
        if done.returncode != code:
            complaint = f"exit {done.returncode}, expected {code}\n"
        if not re.search(pattern, done.stderr):
            complaint += f"no match for {pattern}\n{done.stderr}"
        self.line(complaint, name)

    def end(self):
        """The plan; 1 if a line failed or there was none."""
        print(f"1..{self.count}")
        return 1 if self.bad or not self.count else 0
