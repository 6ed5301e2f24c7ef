# SPDX-License-Identifier: Apache-2.0
"""The two that run kernels of the corpus, each a process that answers lines:
PoCL by reference.py, and the simulator by run_kernels.c."""
import json
import re
import select
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 60  # for one launch, or one compilation by PoCL


class Child:
    """A process that answers lines, started again when it dies."""

    def __init__(self, command):
        self.command, self.process = command, None

    def start(self):
        """Starts it and returns its first line if it greets."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, text):
        """Sends text; the first line of the answer, "" if it died or took too
        long."""
        if not self.process or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            return ""
        if not select.select([self.process.stdout], [], [], LIMIT_S)[0]:
            self.process.kill()
            self.process.wait()
            return ""
        return self.process.stdout.readline()

    def line(self):
        """One more line."""
        return self.process.stdout.readline()

    def stop(self):
        """Ends it. What it still has to say (coverage) is read: it would wait
        for ever on a full pipe."""
        if self.process:
            self.process.stdin.close()
            self.process.stdout.read()
            self.process.wait()


class PoCL(Child):
    """reference.py, with results kept."""

    def __init__(self):
        super().__init__([sys.executable, str(HERE / "reference.py")])
        self.known = {}

    def start(self):
        super().start()
        self.greeting = json.loads(self.process.stdout.readline())

    def absent(self):
        """Starts it; why there is no reference, or None."""
        self.start()
        return self.greeting.get("absent")

    def run(self, source, options, kernel, args):
        """Buffers after the launch, or a sentence."""
        key = (kernel["file"], kernel["name"], options)
        if key not in self.known:
            self.known[key] = self.try_sources(source, options, kernel, args)
        return self.known[key]

    def try_sources(self, source, options, kernel, args):
        """The whole file; if that does not compile, less and less of it."""
        why = ""
        for text, level in texts(source, kernel["name"]):
            line = self.ask(json.dumps({
                "source": text, "options": f"-cl-std={level} {options}",
                "kernel": kernel["name"],
                "global": kernel["global"], "local": kernel["local"],
                "dims": max([k + 1 for k, n in enumerate(kernel["global"])
                             if n > 1], default=1),
                "args": [a.request() for a in args]}) + "\n")
            answer = json.loads(line) if line else {"error": "it crashed"}
            if "bufs" in answer:
                return [bytes.fromhex(b) for b in answer["bufs"]]
            why = answer["error"]
        return "PoCL: " + " ".join(why.split())[:160]


def closing(text, at, pair):
    """Index behind the bracket that closes the first one from `at` on."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == pair[0]) - (text[k] == pair[1])
        if text[k] == pair[1] and depth == 0:
            return k + 1
    return len(text)


def without(text, name):
    """The text without a kernel, written out or made by a macro."""
    found = re.search(rf"(?m)^(?:\w+[ \n])?kernel void {name}\(", text)
    if found:
        body = text.index("{", found.start())
        return text[:found.start()] + text[closing(text, body, "{}"):]
    found = re.search(rf"(?m)^[A-Z]\w*\({name}\b", text)
    if found:
        return text[:found.start()] + \
            text[closing(text, found.start(), "()"):]
    return text


def texts(source, name):
    """What to try: the file, this kernel alone, and alone as OpenCL 3.0, whose
    atomics PoCL has while it lacks all of 2.0."""
    alone = source.text
    for other in source.kernels:
        if other != name:
            alone = without(alone, other)
    yield source.text, "CL2.0"
    yield alone, "CL2.0"
    yield alone, "CL3.0"


class Simulator(Child):
    """run_kernels; findings: what the checkers said of the last launch."""

    def launch(self, row, kernel, args):
        """The first line of the answer to a launch."""
        groups = [g // l for g, l in zip(kernel["global"], kernel["local"])]
        return self.ask(" ".join(map(str, (
            row["platform"], row["zebin"], row["bin"], kernel["name"], *groups,
            *kernel["local"], len(args)))) + "\n" +
            "".join(a.line() + "\n" for a in args))

    def run(self, row, kernel, args):
        """Buffers after the launch, or a sentence."""
        first = self.launch(row, kernel, args)
        self.findings = []
        if not first.startswith("ok"):
            return first.strip()[4:] or \
                f"the program died, or had no end in {LIMIT_S} s"
        self.findings = [self.line().strip()
                         for _ in range(int(first.split()[1]))]
        return [bytes.fromhex(self.line().strip())
                for a in args if a.kind in ("in", "out", "io")]

    def finish(self):
        """Ends it; what coverage_print says of all launches, as lines, and the
        number of instructions at the end."""
        rest, _ = self.process.communicate()
        return rest.splitlines()
