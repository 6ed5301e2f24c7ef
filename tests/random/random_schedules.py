#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random schedules for random small convolutions: --schedule overrides every
field, for the first few XK_SCHEDULE, and xkbench compares with oneDNN with all
checkers on. A schedule that breaks a rule, or whose plan does not fit, is refused
with a sentence and another one is tried; it must be a refusal, never a wrong
result. Many go to one process. With --footprint all have A's footprint in SLM, with
--spread rows that are spread over groups, with --skip filter taps that are skipped
in padding, with --window taps that share registers, with --pack those of few channels
packed. TAP: one line a schedule that ran, and
one for each kind that must be among them."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

from random_problems import POST_OPS, SCALES, Tap, problem, text

# Kinds that every run must contain, so that the random choice covers them.
ALL = ["order=n", "order=m", "unroll=0", "unroll=[2-9]", "load_a=scattered",
       "load_a=elements", "load_b=block", "load_b=elements"]
KINDS = {
    "f32": ["fma=mad", "taps=outer", "taps=inner", "slices=2", "slices=4",
             "slots=1,1", "slots=2,1", "slots=2,2", "slm=1 of=", "slm=2 of=",
            "slm=3 of=", "of=b ", "of=ab", "addr=a64", "skip=1",
            "addr=surface", "grf=256", "load_b=scattered", "store=block",
            "store=scattered"] + ALL,
    "f16": ["fma=dpas ", "fma=dpasw", "slots=1,1", "slots=2,1", "slots=2,2",
            "slots=1,2", "taps=outer", "taps=inner", "prefetch=1", "slices=2",
            "slices=4", "slm=0", "slm=1", "slm=2", "slm=3", "depth=1",
            "depth=2", "depth=4", "of=b ", "of=ab", "footprint=1", "footprint=1 slices=2",
            "slm=[123] .*footprint=0 .*slices=[24]", "slm=0 .*spread=",
            "slm=[123] .*spread=", "slices=[24].* spread=", "skip=1",
            "skip=1.* spread=", "skip=1.* slices=[24]|slices=[24].* skip=1",
            "skip=rows", "window=1", "load_a=lines", "taps=inner .*pack=1",
            "taps=outer .*pack=1",
            "n=64 ", "slots=3,", "slots=[12],3",
            "addr=a64", "addr=surface", "grf=128", "grf=256", "load_b=rows",
            "store=packed", "store=columns"] + ALL,
}
KINDS["u8s8"] = KINDS["f16"] + ["fma=dp4a simd=16", "fma=dp4a simd=8"]
KINDS["s8u8"] = ["fma=dpas ", "fma=dpasw", "fma=dp4a"]
# Activations with images inside their pixels, in blocks of channels.
IMAGES = ["Bxa4b", "Bxa16b", "Bxa32b"]
MAX_TAPS = 9  # innermost
SKIPS = re.compile("skip=(1|rows)")
BY_ENVIRONMENT = 20  # of the tries
REFUSED = re.compile(r"INVALID_ARGUMENTS \((schedule:.*?)\) |"
                     r"FAILED \((XK_ENOFIT: .*?)\) __")


def loop(rng, surfaces, slm=0, sliced=False):
    """Where filter taps are innermost, as always in SLM, threads may share K."""
    inner = sliced or (surfaces and not slm and rng.random() < 0.8)
    slices = rng.choice([1, 2, 2, 2, 4, 4, 4, 8]) if inner else 1
    return f"taps={'inner' if inner or slm else 'outer'} slices={slices}"


def from_footprint(rng, types):
    """A schedule for dpas with A's footprint in SLM."""
    slices = rng.choice([1, 1, 2, 2, 4])
    n = rng.choice([n for n in (8, 16, 16, 32, 32, 32) if n % (8 * slices) == 0])
    tg_m, tg_n = rng.choice([1, 2, 2, 4, 4, 8]), rng.choice([1, 2, 3, 4])
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 "
            f"m={rng.choice([8, 16, 24, 32])} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} tg={tg_m}x{tg_n} "
            f"slots=1,{rng.choice([1, 2, 3, 3])} slm=2 depth=1 footprint=1 "
            f"slices={slices} addr=surface grf={rng.choice([128, 256, 256])}")


def for_spread(rng, types):
    """A schedule for dpas whose rows can be spread over groups, with A in SLM or
    not."""
    slm = rng.choice([0, 0, 0, 1, 2, 3])
    slices = rng.choice([1, 1, 2, 4])
    n = rng.choice([n for n in (8, 16, 32, 32) if n % (8 * slices) == 0])
    tg_m, tg_n = rng.choice([1, 2, 2, 2, 4]), rng.choice([2, 4] if slm else [1, 2])
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 "
            f"m={rng.choice([16, 24, 32, 32])} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} tg={tg_m}x{tg_n} "
            f"slots={'1' if slm else rng.choice('12')},{rng.choice('12')} "
            f"slm={slm} of=a depth={rng.choice([1, 1, 2, 4]) if slm else 1} "
            f"footprint=0 taps=inner slices={slices} addr=surface "
            f"grf={rng.choice([128, 256, 256])} spread=1")


def for_skip(rng, types):
    """A schedule for dpas that skips filter taps beside the tensor."""
    slices = rng.choice([1, 1, 1, 2, 4])
    n = rng.choice([n for n in (8, 16, 32, 32, 64, 64) if n % (8 * slices) == 0])
    m = rng.choice([8, 8, 16, 16, 24, 32])
    groups = rng.choice(["1x1", "1x2", "2x1", "2x1", "2x2", "4x1", "2x4", "3x1",
                         "2x3"])
    fma = rng.choice(["dpas", "dpasw", "dpasw"])
    rows = fma == "dpasw" and rng.random() < 0.6  # of each eight for themselves
    lines = rng.random() < 0.25
    slots = rng.choice(["1,1", "1,2", "1,3"] if lines else
                       ["2,1", "2,2", "2,2", "2,3", "3,1", "3,2", "3,3"])
    return (f"fma={fma} simd=8 "
            f"m={m} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} tg={groups} "
            f"slots={slots} slm=0 of=a depth=1 footprint=0 taps=inner slices={slices} "
            f"addr=surface grf={rng.choice([128, 256, 256])} "
            f"skip={'rows' if rows else 1}" + " load_a=lines" * lines
            + (" spread=1" if m > 8 and rng.random() < 0.75 else ""))


def for_lines(rng, types):
    """A schedule for dpas with A in whole lines."""
    m, slices = rng.choice([8, 16, 16, 24, 32]), rng.choice([1, 1, 2, 4])
    n = rng.choice([n for n in (8, 16, 32, 64) if n % (8 * slices) == 0])
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 m={m} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} "
            f"tg={rng.choice([1, 2, 2, 2, 4])}x{rng.choice([1, 1, 2])} "
            f"slots={rng.choice(['1,1', '1,2', '1,2', '1,3', '2,1', '2,2', '2,3'])} "
            f"slm=0 of=a depth=1 footprint=0 taps=inner slices={slices} "
            f"addr=surface grf={rng.choice([128, 256, 256])} load_a=lines"
            + (" spread=1" if m > 8 and rng.random() < 0.6 else ""))


def for_window(rng, types):
    """A schedule for dpas whose filter taps along lines share registers."""
    slices = rng.choice([1, 1, 2, 4])
    n = rng.choice([n for n in (8, 16, 32, 32, 64) if n % (8 * slices) == 0])
    m = 16 if n == 64 else rng.choice([16, 16, 24, 32, 32])
    fma = rng.choice(["dpas", "dpasw", "dpasw"])
    skip = rng.choice([0, 1, "rows" if fma == "dpasw" else 1])
    return (f"fma={fma} simd=8 m={m} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} "
            f"tg={rng.choice(['1x1', '2x1', '2x1', '2x2', '4x1', '2x3', '6x1'])} "
            f"slots=1,{rng.choice('1223')} slm=0 of=a depth=1 footprint=0 "
            f"taps=inner slices={slices} addr=surface "
            f"grf={rng.choice([128, 256, 256])} skip={skip} window=1"
            + " load_a=lines" * (rng.random() < 0.4)
            + (" spread=1" if rng.random() < 0.4 else ""))


def for_pack(rng, types):
    """A schedule for dpas with the few channels of several filter taps in a step."""
    n, m = rng.choice([16, 32, 32, 64]), rng.choice([8, 16, 16, 24, 32])
    taps = rng.choice(["inner", "outer"])
    slots = "1,1" if taps == "outer" else rng.choice(
        ["1,1", "1,2", "2,1", "2,2", "3,2", "1,3", "3,3"])
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 m={m} n={n} nsub={n} "
            f"k={16 if types == 'f16' else 32} "
            f"tg={rng.choice([1, 2, 2, 4])}x{rng.choice([1, 2])} slots={slots} "
            f"slm=0 of=a depth=1 footprint=0 taps={taps} slices=1 addr=surface "
            f"grf={rng.choice([128, 256, 256])}"
            + (" spread=1" if m > 8 and rng.random() < 0.5 and taps == "inner"
               else "") + " pack=1")


def narrow(rng, types):
    """A schedule for dpas."""
    kind = rng.random()
    if kind < 0.34:
        return (for_spread if kind < 0.08 else for_skip if kind < 0.17 else
                for_window if kind < 0.22 else for_lines if kind < 0.28 else
                for_pack)(rng, types)
    slm = rng.choice([0, 0, 1, 1, 2, 2, 3, 3])
    if slm == 2 and rng.random() < 0.4:
        return from_footprint(rng, types)
    of = rng.choice(["a"] * 4 + ["b", "ab"]) if slm else "a"
    n = rng.choice([8, 16, 32] if slm else [8, 16, 32, 32, 32])
    one = rng.random() < 0.4
    n_sub = n if slm or one or rng.random() < 0.5 else rng.choice([8, 16])
    slots = "1,1" if one or of != "a" else rng.choice(
        ["1,2"] if slm else ["1,2", "2,1", "2,2"])
    m = rng.choice([8, 16, 24, 32])
    depth = rng.choice([1, 2, 2, 4, 4, 4, 4]) if slm and of == "a" else 1
    addr = rng.choice(["surface"] * (8 if slm else 2) + ["a64"])
    tg_m, tg_n = rng.choice([1, 2, 4, 8]), rng.choice([1, 2, 4])
    if of != "a":
        tg_m, tg_n = rng.choice([2, 3, 4, 6, 8]), rng.choice([1, 2, 3])
    elif slm and rng.random() < 0.6:  # what the group can divide
        units = m // 8 * max(depth // 2, 1)
        tg_n = rng.choice([t for t in (2, 3, 4, 6, 8) if units % t == 0] or [1])
    groups = f"{tg_m}x{tg_n}"
    shared = loop(rng, addr == "surface", slm,
                  slm > 0 and of == "a" and rng.random() < 0.5)
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 "
            f"m={m} n={n} nsub={n_sub} "
            f"k={16 if types == 'f16' else 32} tg={groups} slots={slots} "
            f"slm={slm} of={of} depth={depth} footprint=0 "
            f"{shared} addr={addr} grf={rng.choice([128, 256])}")


def lanes_of_n(rng, kind, n, rows, word):
    """The rest of a schedule with N in the lanes; word: of K, elements."""
    groups = f"{rng.choice([1, 2, 4])}x{rng.choice([1, 2, 4])}"
    addr = rng.choice(["surface", "surface", "a64"])
    slm = rng.choice([0, 1, 2, 3]) if addr == "surface" else 0
    of = rng.choice(["a", "b", "ab"]) if slm else "a"
    slots = rng.choice(["1,1", "1,2"] if of == "a" else ["1,1"]) if slm else (
        rng.choice(["1,1", "1,2", "2,1", "2,2"]))
    return (f"{kind} m={rng.choice(rows)} n={n} nsub={n} "
            f"k={word * rng.choice([1, 2, 4] if slm else [1, 2, 3, 4])} "
            f"tg={groups} slots={slots} slm={slm} of={of} depth=1 footprint=0 "
            f"{loop(rng, addr == 'surface', slm)} addr={addr} "
            f"grf={rng.choice([128, 256])}"
            + " skip=1" * (not slm and addr == "surface" and slots[0] == "2"
                           and rng.random() < 0.6))


def wide(rng):
    """A schedule for mad."""
    return lanes_of_n(rng, "fma=mad simd=16", rng.choice([16, 32]), [16, 32], 1)


def dots(rng):
    """A schedule for dp4a."""
    simd = rng.choice([8, 16])
    return lanes_of_n(rng, f"fma=dp4a simd={simd}",
                      simd * rng.choice([1, 1, 2]), [16, 16, 32], 4)


def has(schedule, *words):
    """Whether a schedule has all of these fields' values."""
    return all(w in schedule.split() for w in words)


def grid_and_messages(rng, schedule):
    """The fields that hang together with no others, or with few."""
    systolic, shared = "fma=dpas" in schedule, not has(schedule, "slm=0")
    whole = shared or has(schedule, "taps=inner")
    one_by_one = not whole or (
        shared and not has(schedule, "of=b")
        and has(schedule, "depth=1", "footprint=0") if systolic
        else has(schedule, "slm=0", "fma=mad"))
    a = ["scattered"] + ["elements"] * 2 * one_by_one
    b = ["block"] if whole else ["block"] + ["elements"] * 9 + [
        "rows" if systolic else "scattered"] * 12
    stores = ["packed", "columns"] if systolic else ["block", "scattered"]
    return (f" order={rng.choice('nnm')} "
            f"unroll={rng.choice([0] * 6 + [2, 3, 4, 5, 8, 9, 10, 12, 18])} "
            + ("" if "load_a=" in schedule else
               f"load_a={rng.choice(['auto'] * 3 + a)} ")
            + f"load_b={rng.choice(['auto'] * 3 + b)} "
            f"store={rng.choice(['auto'] * 2 + stores)}")


def schedule_of(rng, types):
    """A schedule of one of the kinds that multiply these types."""
    if types == "f32":
        return wide(rng)
    if types != "f16" and rng.random() < 0.1:
        return dots(rng)
    return narrow(rng, types)


def groups_to_spread(rng, rows, m, tg_m):
    """Over how many groups so many rows can be spread, so that some have m rows a
    thread and some 8 fewer; 0: over none."""
    blocks = -(-rows // (8 * tg_m))
    least, most = blocks // (m // 8) + 1, (blocks - 1) // (m // 8 - 1)
    return rng.randint(least, most) if least <= most else 0


def lines_to_spread(rng, p, schedule):
    """Groups that share each line of pixels, as a window with several pixels a thread
    wants them."""
    m, tg_m = (int(re.search(f"{at}(\\d+)", schedule).group(1))
               for at in (" m=", " tg="))
    images = 8 if p["mb"] % 16 else 16
    groups = groups_to_spread(rng, p["ow"] * images, m, tg_m)
    return f"over={groups * p['oh'] * p['mb'] // images}"


def has_edge(p):
    """Whether some filter tap is beside the tensor along the first dim that has
    more than one place."""
    for axis in (a for a in "dhw" if p.get("o" + a, 1) > 1):
        return any(not 0 <= o * p["s" + axis] + k * (p["d" + axis] + 1)
                   - p["p" + axis] < p["i" + axis]
                   for o in range(p["o" + axis]) for k in range(p["k" + axis]))
    return False


def problem_of_edges(rng, images):
    """A problem whose taps can be skipped, if its layout has images inside; images:
    of which it has one of these numbers."""
    while True:
        p = problem(rng, "dhw" if rng.random() < 0.2 else "hw")
        p["mb"] = rng.choice(images)
        rows = p["mb"] * p["oh"] * p["ow"] * p.get("od", 1)
        taps = p["kh"] * p["kw"] * p.get("kd", 1)
        if has_edge(p) and 2 <= taps <= MAX_TAPS and rows <= 1500:
            return p


def pixels_of(rng, schedule):
    """(Images, neighbouring pixels of a thread) that a schedule with a window can
    have, as xk_schedule_neighbours has them."""
    eights = int(re.search(r" m=(\d+)", schedule).group(1)) // 8
    apart = [1] if "dpas " in schedule else [2] if "skip=rows" in schedule else [1, 2]
    shifts = [1] if "spread=1" in schedule else [1, 2]
    some = [(8 * n * shift, eights // shift)
            for n in apart for shift in shifts if eights % shift == 0]
    return rng.choice([(mb, pixels) for mb, pixels in some if pixels > 1])


def problem_of_lines(rng, schedule):
    """A problem whose taps along lines read neighbours' pixels, if its layout has
    images inside; mostly one whose lines are whole threads."""
    images, pixels = pixels_of(rng, schedule)
    while True:
        p = problem(rng)
        steps = {"sw": 1, "dw": 0} if rng.random() < 0.7 else {"sw": 2, "dw": 1}
        p.update(steps, mb=images, kw=rng.choice([2, 3, 3, 5]),
                 ow=pixels * rng.choice([1, 2, 3]) + (rng.random() < 0.1))
        if "spread=1" in schedule and pixels > 2:
            p["ow"] = rng.randint(pixels + 1, 4 * pixels)
        p["pw"] = rng.randint(0, p["kw"] - 1)
        p["iw"] = max(1, (p["ow"] + p["kw"] - 2) * p["sw"] + 1 - p["pw"]
                      - rng.randint(0, p["kw"] - 1))
        rows, taps = p["mb"] * p["oh"] * p["ow"], p["kh"] * p["kw"]
        if taps <= MAX_TAPS and rows <= 1500 and (
                "skip=0" in schedule or has_edge(p)):
            return p


def problem_of_few(rng, images):
    """A problem whose filter taps can be packed; images: of which it has one of these
    numbers."""
    while True:
        p = problem(rng, "dhw" if rng.random() < 0.2 else "hw")
        p["mb"], p["ic"] = rng.choice(images), rng.choice([1, 2, 3, 3, 4])
        rows = p["mb"] * p["oh"] * p["ow"] * p.get("od", 1)
        if p["kw"] > 1 and rows <= 1500:
            return p


def layouts(rng, types, p, schedule):
    """Layouts of src and dst: where images are several, taps are skipped only if
    they are inside the pixels of src."""
    dst = rng.choice(["any", "axb", "axb", "abx", *IMAGES])
    if "load_a=lines" in schedule:  # channels innermost, seldom refused
        return rng.choice(["any", "axb", "axb", "axb", "axb", *IMAGES]), dst
    if "window=1" in schedule:
        return rng.choice(["any", "axb", "axb", "Bxa16b" if types == "f16"
                           else "Bxa32b"]), dst
    if "pack=1" in schedule:
        return rng.choice(["any", "any", "Bxa4b"] if "taps=inner" in schedule else
                          ["any", "axb", "axb", "axb", "aBx4b", "Bxa4b"]), dst
    if not SKIPS.search(schedule):
        return rng.choice(["any", "any", "axb", "axb", "axb", "axb", "abx", "abx",
                           *IMAGES]), dst
    step = "Bxa16b" if types == "f16" else "Bxa32b"
    if p["mb"] == 1:
        return rng.choice(["any", "axb", "axb", "aBx16b", "aBx32b", step]), dst
    if types == "f32":
        return rng.choice(IMAGES), dst
    # Channels innermost: then M has them inside nevertheless.
    plain = ["axb"] * (2 if "skip=rows" in schedule else 0)
    return rng.choice(["any", "any", step, *IMAGES, *plain]), dst


def settings(rng, types, schedule):
    """The tool's options and a problem, whole steps of K more often than not; and
    the schedule, with what the problem decides of it."""
    p = problem(rng)
    if "window=1" in schedule:
        p = problem_of_lines(rng, schedule)
    elif SKIPS.search(schedule):
        p = problem_of_edges(rng, [16, 16, 32] if "skip=rows" in schedule
                             else [1, 1, 8, 8, 16, 24])
    elif rng.random() < 0.15:  # whole pixels of eight images
        p["mb"] = max(p["mb"], 8)
    lines = "load_a=lines" in schedule
    taps = "window=1" in schedule or SKIPS.search(schedule)
    while lines and not taps and p["kh"] * p["kw"] > 1:
        p = problem(rng)
    footprint = "footprint=1" in schedule
    while footprint and not 2 <= p["kh"] * p["kw"] <= 9:
        p = problem(rng)
    if types == "f32" and rng.random() < 0.6:
        p["ic"] = 4 * rng.choice([1, 2, 4, 8])
    if types != "f32" and (footprint or rng.random() < 0.7):
        p["ic"] = (16 if types == "f16" else 32) * rng.choice([1, 2, 3, 4, 4, 4])
    if "pack=1" in schedule:
        p = problem_of_few(rng, [8, 8, 16, 24] if "taps=inner" in schedule else
                           [1, 2, 5, 8])
    slices, k = (int(re.search(f" {f}=(\\d+)", schedule).group(1))
                 for f in ("slices", "k"))
    if slices > 1:  # whole steps for each
        p["ic"] = slices * k * rng.choice([1, 1, 2])
    if lines and rng.random() < 0.9:  # two of them
        p["ic"] = slices * 2 * k * rng.choice([1, 1, 2, 3])
    if slices > 1:
        if " slm=0" not in schedule:
            p["ic"] *= int(re.search(r"depth=(\d+)", schedule).group(1))
    if "window=1" in schedule and " m=16" not in schedule:
        schedule = schedule.replace("spread=1", lines_to_spread(rng, p, schedule))
    while "spread=1" in schedule:
        m, tg_m = (int(re.search(f"{at}(\\d+)", schedule).group(1))
                   for at in (" m=", " tg="))
        n = groups_to_spread(rng, p["mb"] * p["oh"] * p["ow"] * p.get("od", 1), m,
                             tg_m)
        if n:
            schedule = schedule.replace("spread=1", f"over={n}")
        elif not SKIPS.search(schedule) and not re.search(
                "(window|pack)=1", schedule):
            p["mb"] += 1
        else:
            schedule = schedule.replace(" spread=1", "")
    for field in ("skip", "window"):
        if field + "=" not in schedule:
            schedule += f" {field}=0"
    straight = " slm=0" in schedule and "taps=inner" in schedule
    ahead = straight and "order=m" not in schedule and "pack=1" not in schedule
    schedule += f" prefetch={int(ahead)}"
    src, dst = layouts(rng, types, p, schedule)
    return schedule.replace("over=", "spread="), ["--dir=" + rng.choice(["FWD_D", "FWD_B"]), "--dt=" + types,
            "--attr-oscale=" + rng.choice(SCALES),
            "--attr-post-ops=" + rng.choice(POST_OPS),
            "--wtag=" + rng.choice(["any", "any", "any",
                                    "any" if "pack=1" in schedule or lines else
                                    "axb"]),
            "--stag=" + src, "--dtag=" + dst, text(p)]


def judge(out):
    """What one problem's line says: True or False; None: refused."""
    return None if REFUSED.search(out) else "0:PASSED" in out


def try_one(xkbench, schedule, command):
    """By the environment: what judge() says, and the output."""
    done = subprocess.run([xkbench, *command], text=True, check=False,
                          stdout=subprocess.PIPE,
                          env={**os.environ, "XK_SCHEDULE": schedule})
    good = judge(done.stdout)
    return good and done.returncode == 0 if good else good, done.stdout


def try_all(xkbench, tries):
    """The same of each (schedule, command), in one process. If it ends early, all
    without an answer are bad."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        for schedule, command in tries:
            word = "--schedule=" + schedule.replace(" ", "+")
            batch.write(" ".join([word, *command]) + "\n")
        batch.flush()
        done = subprocess.run([xkbench, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False)
    lines = re.findall(r"^\d+:([A-Z_]+.*)$", done.stdout, re.MULTILINE)
    lines += [f"no answer, exit code {done.returncode}"] * (
        len(tries) - len(lines))
    return [(judge("0:" + line), line) for line in lines]


def lacking(kinds, seen, count):
    """Kinds that fewer than one in 60 have."""
    return [k for k in kinds
            if sum(bool(re.search(k, s)) for s in seen) < count // 60]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--types", choices=KINDS, default="f16")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--footprint", action="store_true")
    parser.add_argument("--spread", action="store_true")
    parser.add_argument("--skip", action="store_true")
    parser.add_argument("--window", action="store_true")
    parser.add_argument("--pack", action="store_true")
    args = parser.parse_args()
    draw = (from_footprint if args.footprint else
            for_spread if args.spread else for_skip if args.skip else
            for_window if args.window else for_pack if args.pack else schedule_of)
    kinds = [] if draw is not schedule_of else KINDS[args.types]
    rng = random.Random(f"{args.seed} {args.types}")
    tap, seen, tries = Tap(), [], 0
    print(f"# seed {args.seed}, {args.count} schedules, {args.types}")
    want = kinds  # rare ones are drawn for beyond the count
    while (len(seen) < args.count or want) and tries < 40 * args.count:
        some = []
        for _ in range(4 * max(args.count - len(seen), 20) if tries else
                       BY_ENVIRONMENT):
            schedule = draw(rng, args.types)
            if rng.random() < 0.6:
                schedule += grid_and_messages(rng, schedule)
            some.append(settings(rng, args.types, schedule))
        answers = (try_all(args.xkbench, some) if tries else
                   [try_one(args.xkbench, *row) for row in some])
        tries += len(some)
        for (schedule, command), (good, out) in zip(some, answers):
            if good is None or (len(seen) >= args.count and
                                not any(re.search(k, schedule) for k in want)):
                continue
            seen.append(schedule)
            want = lacking(want, seen, args.count)
            tap.check(good, f"XK_SCHEDULE='{schedule}' {' '.join(command)}"
                      + ("" if good else " # " + (out.splitlines() + [""])[0]))
    for kind in kinds:
        n = sum(re.search(kind, s) is not None for s in seen)
        tap.check(kind not in want, f"{n} of {len(seen)} have {kind}")
    tap.check(len(seen) >= args.count, f"{len(seen)} ran of {tries} tried")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
