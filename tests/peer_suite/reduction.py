# SPDX-License-Identifier: Apache-2.0
"""The one rule by which a case of the peer's suite is made small enough to run.

- Channels, groups, kernel, stride, dilation and padding stay, in front and behind;
  so do types, layouts and attributes.
- mb becomes 2, or 1 where it is odd.
- While more than `most` multiplies are left, the longest output extent of those that
  can shrinks by 16, and its input by 16 strides. When none can, steps are of 8, 4, 2
  and 1. The remainder by 16 thus stays wherever a step of 16 is enough. An extent of
  either tensor is never below 1. Last, mb becomes 1.
- `most` is MOST where the caller says nothing else.

All cases of the sample end at MOST multiplies or fewer, which the test peer_suite
checks, so that every output of each is compared and none is sampled."""
import re

MOST = 100_000_000
STEPS = (16, 8, 4, 2, 1)
AXES = "dhw"
PROBLEM = re.compile(r"^(?P<options>(?:-\S+ )*)(?P<sizes>\w+?)(?P<name>_?n\".*)?$")
FIELD = re.compile(r"([a-z]+)(-?\d+)")


def split(line):
    """(options, {field: value} in order, name) of a canonical problem."""
    found = PROBLEM.match(line)
    fields = {k: int(v) for k, v in FIELD.findall(found["sizes"])}
    return found["options"], fields, found["name"] or ""


def join(options, fields, name):
    """The line again."""
    return options + "".join(f"{k}{v}" for k, v in fields.items()) + name


def multiplies(fields):
    """Those in the padding too."""
    n = fields["mb"] * fields["oc"] * (fields["ic"] // fields.get("g", 1))
    for a in AXES:
        n *= fields.get("o" + a, 1) * fields.get("k" + a, 1)
    return n


def behind(fields, a):
    """Padding behind along an axis; negative: input that no tap reaches."""
    reach = (fields["k" + a] - 1) * (fields["d" + a] + 1) + 1
    return (fields["o" + a] - 1) * fields["s" + a] + reach - (
        fields["i" + a] + fields["p" + a])


def shrink(fields, step, most):
    """Steps of one length along the axes, as many as are needed or possible."""
    while multiplies(fields) > most:
        able = [a for a in AXES if fields.get("o" + a, 0) > step and
                fields["i" + a] > step * fields["s" + a]]
        if not able:
            return
        a = max(able, key=lambda axis: fields["o" + axis])
        fields["o" + a] -= step
        fields["i" + a] -= step * fields["s" + a]


def reduced(fields, most=MOST):
    """The rule."""
    small = dict(fields)
    if small["mb"] > 0:
        small["mb"] = 2 - small["mb"] % 2
    for step in STEPS:
        shrink(small, step, most)
    if multiplies(small) > most and small["mb"] > 1:
        small["mb"] = 1
    return small


def kept(fields, small):
    """What a reduction must keep and does not: names of fields."""
    free = {"mb"} | {x + a for x in "io" for a in AXES}
    wrong = [k for k in fields if k not in free and small[k] != fields[k]]
    wrong += [f"padding behind {a}" for a in AXES if "o" + a in fields and
              behind(fields, a) != behind(small, a)]
    wrong += [k for k in free & set(small) if k != "mb" and small[k] < 1]
    wrong += ["mb"] * (small["mb"] not in (0, 1, 2))
    return wrong
