#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random schedules for random small convolutions: one to six fields and their values are drawn
from the table of fields, the search completes them, and xkbench compares with oneDNN with all
checkers on. What breaks a rule, or whose plan does not fit, is refused with a
sentence and another one is tried; it must be a refusal, never a wrong result. The first few go by
XK_SCHEDULE, then many to one process. Some values want problems of a certain kind; each kind of
problem has the field for which it is made among those that are drawn. TAP: one line a schedule
that ran, one for each field, which must have been drawn, of 400 and more
one time in 20; and of these one for each word that a field has for these types."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

from random_problems import POST_OPS, SCALES, Tap, problem, text
from schedule_table import draw, fields, parsed

# Words that no schedule of these types has, or that nothing loads or stores with.
NEVER = {"f32": ["fma=dpas", "fma=dpasw", "fma=dp4a", "walk=o:xp",
                 "store=packed", "store=columns"],
         "f16": ["fma=mad", "fma=dp4a", "store=block", "store=scattered"],
         "u8s8": ["fma=mad"]}
NEVER["s8u8"] = NEVER["u8s8"]
NOWHERE = ["fma=lanes"]
# Activations with images inside their pixels, in blocks of channels.
IMAGES = ["Bxa4b", "Bxa16b", "Bxa32b"]
DEPTH = {"f32": 4, "f16": 16, "u8s8": 32, "s8u8": 32}  # whole steps of K
MAX_TAPS = 9  # innermost
MAX_ROWS = 1500
BY_ENVIRONMENT = 20  # of the tries
REFUSED = re.compile(r"INVALID_ARGUMENTS \(((?:XK_SCHEDULE|schedule):.*?)\) __")
SHARE, FEW = 20, 400  # one in so many has a field, of so many schedules; else one


def is_small(p):
    """Whether filter taps fit a loop's body, and rows a test."""
    rows = p["mb"] * p["oh"] * p["ow"] * p.get("od", 1)
    return p["kh"] * p["kw"] * p.get("kd", 1) <= MAX_TAPS and rows <= MAX_ROWS


def any_axes(rng):
    return "dhw" if rng.random() < 0.2 else "hw"


def plain(rng, dtype):
    """Mostly with whole steps of K, and images inside a pixel now and then."""
    p = problem(rng)
    if rng.random() < 0.7:
        p["ic"] = DEPTH[dtype] * rng.choice([1, 2, 3, 4, 4, 8])
    if rng.random() < 0.15:
        p["mb"] = max(p["mb"], 8)
    return p


def with_lines(rng, dtype):
    """8 images or more, and taps along lines that read neighbours' pixels; mostly
    lines are whole threads, so that threads can share rows evenly."""
    while True:
        p = problem(rng)
        steps = {"sw": 1, "dw": 0} if rng.random() < 0.7 else {"sw": 2, "dw": 1}
        p.update(steps, mb=rng.choice([8, 16, 16, 32]), kw=rng.choice([2, 3, 3, 5]),
                 ow=rng.choice([2, 4]) * rng.choice([1, 2, 3])
                 + (rng.random() < 0.1))
        p["pw"] = rng.randint(0, p["kw"] - 1)
        p["iw"] = max(1, (p["ow"] + p["kw"] - 2) * p["sw"] + 1 - p["pw"]
                      - rng.randint(0, p["kw"] - 1))
        p["ic"] = DEPTH[dtype] * rng.choice([1, 2, 2, 4])
        if is_small(p):
            return p


def with_few(rng, dtype):
    """Few channels, whose filter taps can be packed."""
    del dtype
    p = problem(rng, any_axes(rng))
    while p["kw"] < 2 or not is_small(p):
        p = problem(rng, any_axes(rng))
        p["mb"] = rng.choice([1, 2, 5, 8, 8, 16])
    p["ic"] = rng.choice([1, 2, 3, 3, 4])
    return p


def deep(rng, dtype):
    """Long K of one or few taps, for its slices."""
    p = problem(rng)
    while p["kh"] * p["kw"] > 3 or not is_small(p):
        p = problem(rng)
    p["ic"] = DEPTH[dtype] * rng.choice([2, 4, 4, 8, 16])
    return p


# A kind of problem, the fields of which one is drawn with it (None: all), tags of src,
# and of 100 how many.
KINDS = [
    (plain, None, ["any", "any", "axb", "axb", "axb", "abx", *IMAGES], 34),
    (with_lines, ["holds"], ["any", "any", "axb", "axb", "Bxa16b", "Bxa32b"], 18),
    (with_few, ["walk"], ["any", "any", "axb", "aBx4b", "Bxa4b"], 10),
    (deep, ["slices", "slots", "slm"], ["any", "axb", "axb"], 16),
    (plain, ["fma"], ["any", "axb"], 4),
]


def possible(field, dtype):
    """The field's values that a schedule of these types may have."""
    never = NEVER[dtype] + NOWHERE
    return [v for v in field.values if f"{field.name}={v}" not in never]


def one_try(rng, table, dtype):
    """(schedule, options and problem)."""
    make, of, tags, _ = rng.choices(KINDS, [k[3] for k in KINDS])[0]
    p, always = make(rng, dtype), {}
    if of:
        field = table[rng.choice([f for f in of if f in table])]
        values = possible(field, dtype)
        pair = f"{rng.choice(values)}{field.between}{rng.choice(values)}"
        always = {field.name: pair if field.between else rng.choice(values)}
    return draw(rng, table, always=always), [
        "--dir=" + rng.choice(["FWD_D", "FWD_B"]), "--dt=" + dtype,
        "--attr-oscale=" + rng.choice(SCALES),
        "--attr-post-ops=" + rng.choice(POST_OPS),
        "--wtag=" + rng.choice(["any", "any", "any", "axb"]),
        "--stag=" + rng.choice(tags),
        "--dtag=" + rng.choice(["any", "axb", "axb", "abx", *IMAGES]), text(p)]


def judge(out):
    """What one problem's line says: True or False; None: refused."""
    return None if REFUSED.search(out) else "0:PASSED" in out


TEMPLATE = "--perf-template=is %sched%"


def try_one(xkbench, schedule, command):
    """By the environment: what judge() says, the output, the whole schedule."""
    done = subprocess.run([xkbench, TEMPLATE, *command], text=True, check=False,
                          stdout=subprocess.PIPE,
                          env={**os.environ, "XK_SCHEDULE": schedule})
    good, whole = judge(done.stdout), re.search(r"^is (.*)", done.stdout, re.MULTILINE)
    return (good and done.returncode == 0 if good else good, done.stdout,
            whole.group(1) if whole else "")


def try_all(xkbench, tries):
    """The same of each (schedule, command), in one process. If it ends early, all
    without an answer are bad."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        for schedule, command in tries:
            word = "--schedule=" + schedule.replace(" ", "+")
            batch.write(" ".join([word, *command]) + "\n")
        batch.flush()
        done = subprocess.run([xkbench, TEMPLATE, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False)
    parts = re.split(r"^(?=\d+:[A-Z_]+)", done.stdout, flags=re.MULTILINE)
    # What is printed of a problem may come before its line or behind it.
    wholes = re.findall(r"^is (.*)$", done.stdout, re.MULTILINE)
    lines = [re.match(r"\d+:(.*)", p).group(1) for p in parts
             if re.match(r"\d+:[A-Z_]+", p)]
    lines += [f"no answer, exit code {done.returncode}"] * (len(tries) - len(lines))
    passed, out = iter(wholes), []
    for line in lines:
        good = judge("0:" + line)
        out.append((good, line, next(passed, "") if good else ""))
    return out


class Seen:
    """What ran: how often each field was drawn, and each word was there."""

    def __init__(self, table, dtype):
        self.table, self.drawn, self.words, self.n = table, {}, {}, 0
        self.never = NEVER[dtype] + NOWHERE

    def add(self, schedule, whole):
        self.n += 1
        for name in parsed(schedule):
            self.drawn[name] = self.drawn.get(name, 0) + 1
        for word in set(whole.split()):
            self.words[word] = self.words.get(word, 0) + 1

    def lines(self):
        """(good, text) of each field, and each word."""
        for name, field in self.table.items():
            n = self.drawn.get(name, 0)
            can = sum(w.startswith(name + "=") for w in self.words) > 1
            share = SHARE if self.n >= FEW else self.n
            yield not can or share * n >= self.n, f"{n} of {self.n} were asked for {name}"
            for v in field.values if field.words and self.n >= FEW else []:
                word = f"{name}={v}"
                if word not in self.never:
                    yield self.words.get(word, 0) > 0, (
                        f"{self.words.get(word, 0)} of {self.n} have {word}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--types", choices=DEPTH, default="f16")
    parser.add_argument("--seed", type=int, default=20261121)
    args = parser.parse_args()
    rng = random.Random(f"{args.seed} {args.types}")
    table = fields(args.xkbench)
    tap, seen, tries = Tap(), Seen(table, args.types), 0
    print(f"# seed {args.seed}, {args.count} schedules, {args.types}")
    while seen.n < args.count and tries < 40 * args.count:
        n = 2 * max(args.count - seen.n, 20) if tries else BY_ENVIRONMENT
        some = [one_try(rng, table, args.types) for _ in range(n)]
        answers = (try_all(args.xkbench, some) if tries else
                   [try_one(args.xkbench, *row) for row in some])
        tries += n
        for (schedule, command), (good, out, whole) in zip(some, answers):
            if good is None:
                continue
            seen.add(schedule, whole)
            tap.check(good, f"XK_SCHEDULE='{schedule}' {' '.join(command)}", out)
    for good, what in seen.lines():
        tap.check(good, what, "too few of the schedules that ran have it")
    tap.check(seen.n >= args.count, f"{seen.n} ran of {tries} tried", f"expected {args.count}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
