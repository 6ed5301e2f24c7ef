#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include "..." against the folder table of the design: who may
include whom, which room of sim/ may include which, that no code behind conv/ knows
layout tags, that lower/ and passes/ read no schedule, and that no two sources have the same base name; with a build folder, also
who calls whom, by nm, because a declaration can stand anywhere. Warns, without failing,
about functions over 60 lines and files over 1200. TAP, one line a folder, a room, one
for tags, one for schedules and one for the names."""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import tap  # noqa: F401

# Besides its own headers, base and include/xekern (except where noted), a
# folder may include literally these.
ALL = ("base layout ir simplify views conv schedule plan lower passes isa "
       "binary codegen").split()
ALLOWED = {
    "base": [],
    "layout": [],
    "ir": ["layout"],
    "simplify": ["ir"],
    "views": ["simplify", "ir", "layout"],
    "conv": ["views", "layout"],
    "schedule": ["views", "layout", "isa"],
    "plan": ["schedule", "views", "simplify", "ir", "layout", "isa"],
    "lower": ["plan", "views", "simplify", "ir", "layout"],
    "passes": ["views", "simplify", "ir", "layout", "isa"],
    "isa": [],
    "binary": ["isa"],
    "codegen": ["ir", "layout", "isa", "binary"],
    "gen": ALL,
    "container": ["isa"],
    "sim": ["isa", "container"],
    "vgpu": ["sim", "container", "isa"],
    "runtime": ["sim", "container", "isa"],
}
# Rooms of sim/ from the lowest to the highest: each may use those before it.
# The simulator's front, the files that are in no room, may use all.
ROOMS = "core message exec hazard check".split()
# Beside them: the timing model hears of threads and messages, and nobody but
# the front of it.
BESIDE = {"timing": ["core", "message"]}
# Tags are words for users. Behind conv/ only what reads or writes a text knows
# them: formulas, and the IR's tilings.
TAG = re.compile(r"\b(xk_layout_(from_)?tag(_\w+)?|xk_conv_\w*tag\w*|"
                 r"(src|wei|dst)_tag)\b")
HAVE_TAGS = re.compile(r"(layout|conv)/|views/formula|ir/(parse_)?tiles")
# What a schedule says a plan decides: who carries it out reads no field of one.
CARRY_OUT = ["lower", "passes"]
SCHEDULE = re.compile(r"\b(xk_schedule\w*|xk_fma\w*|XK_FMA_\w+|p->s)\b")
FIELD = re.compile(r"^XK_(?:WORDS|NUMBER|DIGITS)\(\w+, [\w ]+, (\w+),|"
                   r"^XK_PAIR\(\w+, '.', \w+, (\w+), (\w+),", re.MULTILINE)
PUBLIC_ONLY = ["tools", "examples"]  # not even base
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
STRUCT = re.compile(r"^struct (\w+)\s*\{", re.MULTILINE)
QUOTED_OR_COMMENT = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# Names that stand twice already; no more of them.
TWICE = set("asm.c asm.h eval.c eval.h ocl.h suites.h tcases.h "
            "test_driver.c test_rules.c test_types.c".split())
FUNCTION_LINES = 60
FILE_LINES = 1200


def folder_of(header):
    """The folder that an include names; public headers are xekern/..."""
    return "include/xekern" if header.startswith("xekern/") else \
        header.split("/")[0]


def violations(root, folder, may):
    """Texts of the includes in folder that the table does not allow."""
    found = []
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if "/" not in header or folder_of(header) not in may:
                found.append(f"{path.relative_to(root)}: {header}")
    return found


def tag_uses(root, folders):
    """Texts of the places behind conv/ that see a tag."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            name = str(path.relative_to(root))
            plain = QUOTED_OR_COMMENT.sub("", path.read_text(encoding="utf-8"))
            if not HAVE_TAGS.match(name):
                found += [f"{name}: {m[0]}" for m in TAG.finditer(plain)]
    return found


def schedule_reads(root, folders, members):
    """Texts of the places that name a schedule, or a member of a plan's."""
    found = []
    member = re.compile(rf"(?:->|\.)s\.({'|'.join(members)})\b")
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            plain = QUOTED_OR_COMMENT.sub("", path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(root)}: {m[0]}"
                      for pattern in (SCHEDULE, member)
                      for m in pattern.finditer(plain)]
    return found


def schedule_members(root):
    """The members of struct xk_schedule that are rows of field.def."""
    text = (root / "schedule/field.def").read_text(encoding="utf-8")
    return [m for row in FIELD.findall(text) for m in row if m]


def room_rules():
    """What each room of sim/ may use, itself included."""
    rules = {room: ROOMS[:k + 1] for k, room in enumerate(ROOMS)}
    rules.update({room: [room] + may for room, may in BESIDE.items()})
    return rules


def room_of(name):
    """The room of a path under sim/; "" is the front."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "sim" else ""


def room_violations(root, room, may):
    """Texts of the includes of a room that are of a room it may not use; the
    front's header sim.h is everybody's."""
    found = []
    for path in sorted((root / "sim" / room).rglob("*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if not header.startswith("sim/") or header == "sim/sim.h":
                continue
            if room_of(header) not in may:
                found.append(f"{path.relative_to(root)}: {header}")
    return found


def struct_rooms(root):
    """{struct: the room of sim/ that defines it}"""
    return {name: room_of(str(path.relative_to(root)))
            for path in sorted((root / "sim").rglob("*.h"))
            for name in STRUCT.findall(path.read_text(encoding="utf-8"))}


def struct_violations(root, room, may):
    """Texts of the structs that a room names and that are of a room it may not use,
    because a declaration needs no include."""
    rooms, found = struct_rooms(root), []
    for path in sorted((root / "sim" / room).rglob("*.[ch]")):
        plain = QUOTED_OR_COMMENT.sub("", path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(root)}: struct {name} of sim/{rooms[name]}"
                  for name in sorted(set(re.findall(r"\bstruct (\w+)", plain)))
                  if rooms.get(name) and rooms[name] not in may]
    return found


def symbols(archive):
    """{object: (defined, undefined)} of a static library, by nm."""
    done = subprocess.run(["nm", "-A", archive], capture_output=True,
                          text=True, check=True)
    found = defaultdict(lambda: (set(), set()))
    for line in done.stdout.splitlines():
        where, _, rest = line.rpartition(":")
        fields = rest.split()
        if len(fields) < 2:
            continue
        kind, name = fields[-2:]
        found[Path(where.split(":")[-1]).name][kind == "U"].add(name)
    return found


def call_violations(archive, rules):
    """Texts of the calls between rooms that the rules do not allow. Meson names
    an object of sim/core/find.c core_find.c.o."""
    table = symbols(archive)
    room = {o: next((r for r in rules if o.startswith(r + "_")), "")
            for o in table}
    home = {name: o for o, (defined, _) in table.items() for name in defined
            if name.startswith("xk_")}
    seen = {room[o] for o in home.values()}
    found = [f"{archive}: nothing of room {r}" for r in rules if r not in seen]
    for o, (_, undefined) in sorted(table.items()):
        for name in sorted(undefined):
            of = home.get(name)
            if of and room[o] and room[of] not in rules[room[o]]:
                found.append(f"{o} calls {name} of {of}")
    return found


def same_names(root, folders):
    """Texts of the base names that more than one source has."""
    places = defaultdict(list)
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            places[path.name].append(str(path.relative_to(root)))
    return [f"{name}: {', '.join(paths)}" for name, paths in places.items()
            if len(paths) > 1 and name not in TWICE]


def long_functions(text):
    """(first line, length) of each function body over the limit. Expects the
    brace style of .clang-format: bodies begin and end in column 0."""
    plain = QUOTED_OR_COMMENT.sub(
        lambda m: "\n" * m.group(0).count("\n"), text)
    start, found = None, []
    for number, line in enumerate(plain.splitlines(), 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start - 1 > FUNCTION_LINES:
                found.append((start, number - start - 1))
            start = None
    return found


def warnings(root, folders):
    """Sizes that the style asks to split."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root)
            if text.count("\n") > FILE_LINES:
                yield f"{name}: {text.count(chr(10))} lines"
            for line, length in long_functions(text):
                yield f"{name}:{line}: function of {length} lines"


class Lines:
    """TAP."""

    def __init__(self):
        self.n = 0
        self.bad = 0

    def say(self, found, what):
        self.n += 1
        self.bad += bool(found)
        print(f"{'not ok' if found else 'ok'} {self.n} - {what}")
        for text in found:
            print(f"# {text}")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    archive = sys.argv[2] if len(sys.argv) > 2 else None
    rules = {f: [f, "base", "include/xekern"] + may
             for f, may in ALLOWED.items()}
    rules.update({f: [f, "include/xekern"] for f in PUBLIC_ONLY})
    rules["include/xekern"] = ["include/xekern"]
    present = [f for f in rules if (root / f).is_dir()]
    lines = Lines()
    for folder in present:
        lines.say(violations(root, folder, rules[folder]),
                  f"{folder} includes what the design allows")
    for room, may in room_rules().items():
        lines.say(room_violations(root, room, may) +
                  struct_violations(root, room, may),
                  f"sim/{room} includes {', '.join(may)}, and names no other's structs")
    if archive:
        lines.say(call_violations(archive, room_rules()),
                  "rooms of sim/ call what they may include")
    lines.say(tag_uses(root, [f for f in present if f in ALL + ["gen"]]),
              "behind conv/ no code sees a tag")
    lines.say(schedule_reads(root, CARRY_OUT, schedule_members(root)),
              "lower and passes read no schedule")
    lines.say(same_names(root, present + ["tests"]), "base names are unique")
    for text in warnings(root, present + ["tests"]):
        print(f"# warning: {text}")
    print(f"1..{lines.n}")
    return 1 if lines.bad else 0


if __name__ == "__main__":
    sys.exit(main())
