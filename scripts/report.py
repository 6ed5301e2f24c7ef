#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.py XKBENCH OUT: ResNet-50 at mb=16, each type and layout, on the
simulator with its timing model; a Markdown file with a table each, the peer's
static figures beside ours, and the medians beside the goals."""
import datetime
import os
import re
import statistics
import sys
from pathlib import Path

import report_bound
from bench_rows import rows_of, us_of
from report_peer import KERNELS, SOURCE

# What is counted while the kernels run, and what the timing model says alone.
COUNTED = ["ipf", "spf", "grf", "sinstr", "code", "-ctime", "-qtime"]
TIMED = ["0ptime", "eff", "opeff", "peak", "cycles"]
WORDS = ["name", "sched", "desc", "hypotheses"]
TYPES = ["f16", "u8s8", "f32"]
LAYOUTS = {"any": [], "nhwc": ["--stag=axb", "--dtag=axb"]}
# Goals: at most, except for efficiency.
IPF = {("f16", "any"): 2.5, ("u8s8", "any"): 2.5, ("f16", "nhwc"): 3.0,
       ("u8s8", "nhwc"): 3.0, ("f32", "any"): 1.1, ("f32", "nhwc"): 1.1}


def run(xkbench, options, fields, shapes):
    """Each layer's fields."""
    rows, out, code = rows_of(xkbench, ["--mode=P", "--mb=16", *options],
                              "|".join(f"%{f}%" for f in fields),
                              ["--batch=" + shapes])
    if code or not rows:
        sys.exit(f"report: {' '.join(options)}: xkbench ended with {code}\n{out[-2000:]}")
    return [dict(zip(fields, row)) for row in rows]


def measure(xkbench, dtype, layout, shapes):
    """One dict a layer. Times need no results: --time-only is a tenth of the work
    where each hypothesis is timed."""
    problem = ["--dt=" + dtype, *LAYOUTS[layout]]
    out = run(xkbench, ["--timing=:all", "--time-only=0", *problem], WORDS + TIMED, shapes)
    counted = run(xkbench, problem, ["name"] + COUNTED, shapes)
    for row, more in zip(out, counted, strict=True):
        assert row["name"] == more["name"]
        row.update(more)
    for row in out:
        row.update({f: float(row[f]) for f in COUNTED + TIMED})
        row["ptime"] = row["0ptime"]
        row["ms"] = {name: us / 1e3 for name, us in
                     us_of(row["ptime"], row["hypotheses"]).items() if name != "nominal"}
        row["most"] = report_bound.bound(row["desc"], dtype,
                                         row["opeff"] * row["cycles"])
        row["layer"] = re.sub(r"^.*:|\*\d+$", "", row["name"])
        row["mode"] = int(re.search(r"grf=(\d+)", row["sched"]).group(1))
    return out


def peer_cells(key):
    """The peer's figures for a layer."""
    if key not in KERNELS:
        return "| | | | |"
    instr, code_b, (n, fma, _, mark), grf, mode, ms = KERNELS[key]
    return (f"| {n / fma:.2f}{mark} | {grf}/{mode} | {instr} / {code_b} "
            f"| {ms:.1f} |")


def table(dtype, layout, rows):
    """A Markdown table, a line a layer."""
    yield f"\n## {dtype}, {layout}\n"
    yield ("| layer | schedule | ipf | spf | grf | instructions / bytes "
           "| generation ms | modelled ms | of the limit | at most | peer: ipf "
           "| grf | instructions / bytes | creation ms |")
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for r in rows:
        yield (f"| {r['layer']} | `{r['sched']}` | {r['ipf']:.2f} "
               f"| {r['spf']:.2f} | {r['grf']:.0f}/{r['mode']} "
               f"| {r['sinstr']:.0f} / {r['code']:.0f} | {r['-ctime']:.2f} "
               f"| {r['ptime']:.4f}; {interval(r['ms'], r['ptime'])} "
               f"| {100 * r['eff']:.0f} %{'' if bound(r) else ' m'} "
               + (f"| {100 * r['most']:.0f} % " if bound(r) else "| ")
               + peer_cells((dtype, layout, r["layer"])))


def interval(ms, nominal):
    """Least and greatest time, and what hypothesis gives that."""
    ms = {"nominal": nominal, **ms}
    worst = max(ms, key=ms.get)
    return f"{min(ms.values()):.4f} to {ms[worst]:.4f} ({worst})"


def bound(row):
    """Whether arithmetic, not memory, is the limit."""
    return row["opeff"] >= 0.999 * row["eff"]


def verdict(good):
    return "yes" if good else "**no**"


def median(values):
    values = list(values)
    return statistics.median(values) if values else float("nan")


def peer_medians(dtype, layout):
    """Medians of the loops' instructions and syncs for a multiply-add, as text."""
    mine = [v[2] for k, v in KERNELS.items()
            if k[:2] == (dtype, layout) and k[2] != "conv1"]
    if not mine:
        return "not counted", "not counted"
    syncs = [s / fma for _, fma, s, _ in mine if s is not None]
    note = " (8x1)" if layout == "nhwc" else ""
    return (f"{median(n / fma for n, fma, _, _ in mine):.2f}{note}",
            f"{median(syncs):.2f}{note}" if syncs else "not counted")


def spread(parts, nominal):
    """Greatest and least part, and the hypotheses that give them."""
    parts = {"nominal": nominal, **parts}
    best, worst = max(parts, key=parts.get), min(parts, key=parts.get)
    return (f"{100 * parts[best]:.0f} % ({best}), "
            f"{100 * parts[worst]:.0f} % ({worst})")


def goals(dtype, layout, rows):
    """Lines (what, ours, goal, peer) of one table."""
    kernels = [r for r in rows if r["layer"] != "conv1"]  # the 7x7 one
    compute = [r for r in rows if bound(r)]
    ipf, spf = (median(r[f] for r in kernels) for f in ("ipf", "spf"))
    eff = median(r["opeff"] for r in compute)
    wide = [r for r in rows if r["mode"] == 256 and r["grf"] <= 110]
    code = max(r["code"] for r in rows)
    peer = peer_medians(dtype, layout)
    most = IPF[dtype, layout]
    yield ("instructions per FMA, median of 1x1 and 3x3", f"{ipf:.2f}",
           f"<= {most}", ipf <= most, peer[0])
    yield ("syncs per FMA, median", f"{spf:.3f}", "<= 0.333", spf <= 1 / 3,
           peer[1])
    yield (f"of the arithmetic's limit, median of {len(compute)} compute-bound",
           f"{100 * eff:.0f} %", ">= 80 %", eff >= 0.8, "")
    yield ("the same with the best and the worst single hypothesis",
           spread({h: median(r["opeff"] * r["ptime"] / r["ms"][h] for r in compute)
                   for h in rows[0]["ms"]}, eff), "", None, "")
    yield ("all layers, modelled ms", f"{sum(r['ptime'] for r in rows):.3f}; " +
           interval({h: sum(r["ms"][h] for r in rows) for h in rows[0]["ms"]},
                    sum(r["ptime"] for r in rows)), "", None, "")
    most = median(r["most"] for r in compute)
    yield ("the same for any kernel, at most", f"{100 * most:.0f} %", "", None,
           "")
    yield ("256 registers although 110 suffice", f"{len(wide)} layers", "0",
           not wide, "")
    yield ("largest code", f"{code:.0f} bytes", "<= 32768", code <= 32768, "")


def costs(rows):
    """The same for what generation costs, of all tables."""
    ms = sorted(r["-ctime"] for r in rows)
    late = ms[min(len(ms) - 1, int(0.99 * len(ms)))]
    query = median(r["-qtime"] for r in rows)
    peak = max(r["peak"] for r in rows)
    yield ("generation, median", f"{median(ms):.2f} ms", "< 2 ms",
           median(ms) < 2, "15.2 ms (31 cases)")
    yield ("generation, 99th percentile", f"{late:.2f} ms", "< 10 ms",
           late < 10, "138.7 ms (largest of 31)")
    yield ("query, which contains the search of schedules, median",
           f"{query:.3f} ms", "< 0.5 ms", query < 0.5, "")
    yield ("peak memory of a generation, largest",
           f"{peak / 2**20:.2f} MiB", "< 16 MiB", peak < 16 * 2**20, "")


def goal_table(title, lines):
    """A Markdown table of goals."""
    yield f"\n### {title}\n"
    yield "| figure | ours | goal | reached | peer |"
    yield "|---|--:|--:|---|--:|"
    for what, ours, goal, good, peer in lines:
        reached = "" if good is None else verdict(good)
        yield f"| {what} | {ours} | {goal} | {reached} | {peer} |"


HEAD = """# ResNet-50 at mb=16: kernels and modelled times

Made by `make report` (scripts/report.py), xehpg, FWD_B. Time and efficiency
are the timing model's (docs/timing.md), not a GPU's.

- ipf, spf: executed instructions and sync instructions for each multiply-add
  instruction, in the innermost loop with at least 80 % of them; a kernel
  without such a loop counts whole (`xkbench --help`: %ipf%, %spf%).
- grf: most registers in use / register mode.
- generation: the least of 20 creations.
- modelled ms: the nominal time; the best and the worst with one hypothesis changed.
- of the limit: least time that the machine's arithmetic or memory allows over
  the modelled time; m: memory is the limit. With another hypothesis it is still
  the nominal machine's limit.
- at most: what of the arithmetic's limit any kernel can reach in the model, for
  layers that arithmetic limits: it gets 75 % of the memory's data sheet
  (scripts/report_bound.py). First loads, last stores and
  whole tiles take their part of that.
- any: the library chooses all layouts; nhwc: source and destination have
  channels innermost, the library chooses that of the weights.
- peer: {source}. "8x1": its dpas there have repeat count 1, so a multiply-add
  instruction does an eighth.

{when}. Load of the machine ({cores} cores) at the beginning: {begin}, at the
end: {end}. Generation times are comparable only if that is near 0 and 1.
"""


def main():
    xkbench, out = sys.argv[1:3]
    shapes = str(Path(__file__).parent.parent / "shapes/resnet_50.txt")
    begin = os.getloadavg()[0]
    body, summary, every = [], [], []
    for dtype in TYPES:
        for layout in LAYOUTS:
            rows = measure(xkbench, dtype, layout, shapes)
            every += rows
            body += table(dtype, layout, rows)
            summary += goal_table(f"{dtype}, {layout}",
                                  goals(dtype, layout, rows))
    summary += goal_table("Generation, all tables", costs(every))
    now = datetime.datetime.now(datetime.timezone.utc)
    head = HEAD.format(source=SOURCE, cores=os.cpu_count(),
                       when=now.strftime("%Y-%m-%d %H:%M UTC"),
                       begin=f"{begin:.1f}", end=f"{os.getloadavg()[0]:.1f}")
    text = "\n".join([head.rstrip(), *body, "\n## Medians and goals", *summary])
    Path(out).write_text(text + "\n", encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
