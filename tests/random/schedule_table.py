# SPDX-License-Identifier: Apache-2.0
"""The fields of a schedule, as `xkbench --help` lists them, and random texts of some:
the search gives the other fields what goes with these. No field is named here."""
import re
import subprocess
from collections import namedtuple

# values: words or numbers worth a try, some more than once; between: the sign between
# the two numbers of a pair, else "".
Field = namedtuple("Field", "name words between values meaning")


def fields(xkbench):
    """{name: Field}, in the order in which a schedule prints."""
    text = subprocess.run([xkbench, "--help"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    section = re.search(r"^fields of --schedule:\n((?:  .*\n)+)", text,
                        re.MULTILINE).group(1)
    rows = re.findall(r"^  (\w+)=(WORD|N(?:(.)N)?)  (.*)\n      (.*)$", section,
                      re.MULTILINE)
    return {name: Field(name, kind == "WORD", between, values.split(), meaning)
            for name, kind, between, values, meaning in rows}


def value(rng, field):
    """One that its row has."""
    n = 2 if field.between else 1
    return (field.between or " ").join(rng.choice(field.values) for _ in range(n))


def draw(rng, table, most=6, always=()):
    """A text that fixes one to `most` fields, and `always`, {name: value}."""
    names = rng.sample(list(table), rng.randint(1, most))
    drawn = {name: value(rng, table[name]) for name in names}
    return " ".join(f"{k}={v}" for k, v in {**drawn, **dict(always)}.items())


def parsed(text):
    """{name: value} of a schedule's text."""
    return dict(word.split("=", 1) for word in text.replace("+", " ").split())
