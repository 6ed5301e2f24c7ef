#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of layers finds what is planted: includes and calls that go the
wrong way, tags behind conv/, reads of schedules, and names that stand twice."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import layers  # noqa: E402
from tap import Tap  # noqa: E402

# Path, text, and whether the includes of its folder and room are allowed.
FILES = [
    ("isa/low.c", '#include "base/a.h"\n', True),
    ("isa/high.c", '#include "sim/sim.h"\n', False),
    ("sim/core/low.c", '#include "sim/sim.h"\n#include "isa/isa.h"\n', True),
    ("sim/core/high.c", '#include "sim/exec/a.h"\n', False),
    ("sim/check/high.c", '#include "sim/core/a.h"\n', True),
    ("sim/hazard/high.c", '#include "sim/check/a.h"\n', False),
    ("sim/timing/a.c", '#include "sim/exec/a.h"\n', False),
    ("sim/timing/b.c", '#include "sim/message/a.h"\n', True),
    ("sim/hazard/t.c", '#include "sim/timing/a.h"\n', False),
    ("sim/watch.c", '#include "sim/check/a.h"\n', True),
]


def includes(tap, root):
    """Each file by itself."""
    for name, text, allowed in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        folder, room = name.split("/")[0], layers.room_of(name)
        may = [folder, "base"] + layers.ALLOWED[folder]
        found = layers.violations(root, folder, may)
        if room:
            found += layers.room_violations(root, room,
                                            layers.room_rules()[room])
        path.unlink()
        tap.check((not found) == allowed, f"{name}: {text.strip()!r}", found)


def structs(tap, root):
    """A struct of another room, which nothing includes."""
    for name, text in (("hazard/own.h", "struct xk_own {\n    int i;\n};\n"),
                       ("core/far.h", "struct xk_own;\n"),
                       ("check/far.h", "struct xk_own *own; /* struct xk_else */\n")):
        path = root / "sim" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for room, allowed in (("core", False), ("check", True)):
        found = layers.struct_violations(root, room, layers.room_rules()[room])
        tap.check((not found) == allowed, f"sim/{room} names a struct of hazard", found)


def calls(tap, root):
    """An archive of two objects, one calls the other."""
    for caller, callee, allowed in (("check", "core", True),
                                    ("core", "check", False),
                                    ("timing", "hazard", False)):
        objects = []
        for room, text in ((caller, "void xk_b(void);\n"
                            "void xk_a(void) { xk_b(); }\n"),
                           (callee, "void xk_b(void) {}\n")):
            source = root / f"{room}_x.c"
            source.write_text(text, encoding="utf-8")
            subprocess.run(["cc", "-c", source, "-o", f"{source}.o"],
                           check=True)
            objects.append(f"{source}.o")
        archive = root / f"{caller}_{callee}.a"
        subprocess.run(["ar", "rc", archive, *objects], check=True)
        rules = {r: may for r, may in layers.room_rules().items()
                 if r in (caller, callee)}
        found = layers.call_violations(archive, rules)
        tap.check((not found) == allowed, f"{caller} calls {callee}", found)
    tap.check(layers.call_violations(archive, layers.room_rules()),
              "an archive without a room is told", "nothing was found")


TAGS = [
    ("plan/any.c", "xk_layout_tag(l, out, n);\n", False),
    ("gen/any.c", "if (desc->wei_tag[0])\n", False),
    ("schedule/any.c", "/* xk_conv_dense_tag */ xk_layout_eq(a, b);\n", True),
    ("views/formula_x.c", "xk_layout_from_tag(c);\n", True),
    ("conv/any.c", "xk_conv_tag_is_any(tag);\n", True),
]


def tags(tap, root):
    """Each file by itself."""
    for name, text, allowed in TAGS:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        found = layers.tag_uses(root, [name.split("/")[0]])
        path.unlink()
        tap.check((not found) == allowed, f"{name}: {text.strip()!r}", found)


READS = [
    ("lower/a.c", "n = l->p->s.simd;\n", False),
    ("lower/b.h", "unsigned n = g->plan.s.tg_n;\n", False),
    ("lower/d.c", "w = l->p->s.k_walk;\n", False),
    ("passes/a.c", "const struct xk_schedule *s;\n", False),
    ("passes/b.c", "if (f == XK_FMA_DPAS)\n", False),
    ("lower/c.c", "n = j->s.row_b; /* xk_schedule */ m = p->t.lanes;\n", True),
]


def reads(tap, root):
    """Each file by itself; the table of fields is the tree's."""
    members = layers.schedule_members(Path(__file__).resolve().parents[1])
    tap.check({"fma", "simd", "tg_m", "tg_n", "slots_b", "m_first", "k_walk"} <= set(members)
              and len(members) > 20, "the table's members are found", members)
    table = (Path(__file__).resolve().parents[1] / "schedule/field.def").read_text(encoding="utf-8")
    rows = re.findall(r"^XK_\w+\(", table, re.MULTILINE)
    tap.check(len(rows) == len(layers.FIELD.findall(table)), f"{len(rows)} rows have members",
              f"{len(layers.FIELD.findall(table))} are found: a kind of row is not known")
    for name, text, allowed in READS:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        found = layers.schedule_reads(root, layers.CARRY_OUT, members)
        path.unlink()
        tap.check((not found) == allowed, f"{name}: {text.strip()!r}", found)


def names(tap, root):
    """Two files of one name."""
    for folder in ("isa", "base"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "twice.c").write_text("", encoding="utf-8")
    tap.check(layers.same_names(root, ["isa", "base"]), "a name that is twice",
              "isa/twice.c and base/twice.c were not found")


def main():
    """All in a folder of its own."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        includes(tap, Path(folder))
        structs(tap, Path(folder))
        calls(tap, Path(folder))
        tags(tap, Path(folder))
        reads(tap, Path(folder))
        names(tap, Path(folder))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
