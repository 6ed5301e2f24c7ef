# SPDX-License-Identifier: Apache-2.0
"""What of the instruction set's tables was executed, from the lines of
coverage.c."""
import collections

KINDS = {"opcode": "opcodes", "types": "types of operands",
         "math": "math functions", "sync": "sync functions",
         "message": "kinds of messages", "operation": "atomic operations",
         "data": "LSC data sizes", "vector": "LSC vectors",
         "address": "LSC addresses"}


class Executed:
    """Items per platform and kind."""

    def __init__(self, lines):
        self.seen, self.all = collections.Counter(), collections.Counter()
        self.missing = collections.defaultdict(list)
        self.n = 0
        for line in lines:
            how, rest = line.split(" ", 1)
            if how == "end":
                self.n = int(rest)
                continue
            platform, kind, name = rest.split(" ", 2)
            if how == "foreign":
                continue
            self.all[platform, kind] += 1
            self.seen[platform, kind] += how == "seen"
            if how == "unseen":
                self.missing[platform, kind].append(name)

    def platforms(self):
        """In the order of their age."""
        there = {p for p, _ in self.all}
        return [p for p in ("xelp", "xehpg", "xehpc") if p in there]

    def report(self):
        """Prints a line a platform."""
        for p in self.platforms():
            print(f"# {p}: executed " + ", ".join(
                f"{k} {self.seen[p, k]}/{self.all[p, k]}"
                for k in KINDS if self.all[p, k]))
        print(f"# {self.n} instructions executed")

    def markdown(self, tally):
        """A table for the documentation."""
        ps = self.platforms()
        rows = [["", *ps], ["---"] * (1 + len(ps)),
                ["launches", *(tally.run[p] for p in ps)],
                ["passed, compared with PoCL",
                 *(tally.passed[p, "PoCL"] for p in ps)],
                ["passed, compared with tests/corpus/expected_*.py",
                 *(tally.passed[p, "expected"] for p in ps)],
                ["not run (tests/corpus/excuses.txt)",
                 *(sum(n for (q, _), n in tally.not_run.items() if p == q)
                   for p in ps)]]
        for kind, title in KINDS.items():
            rows.append([title + " executed", *(
                f"{self.seen[p, kind]} of {self.all[p, kind]}"
                if self.all[p, kind] else "-" for p in ps)])
        text = "".join("| " + " | ".join(map(str, r)) + " |\n" for r in rows)
        for kind in ("opcode", "message"):
            for p in ps:
                names = " ".join(sorted(self.missing[p, kind]))
                text += f"\n{KINDS[kind].capitalize()} of {p} that no kernel" \
                    f" executes: {names or 'none'}.\n"
        return text
