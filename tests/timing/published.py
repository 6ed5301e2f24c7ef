#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""published.py XK [XKBENCH [MATMUL [SGEMM]]]: microbenchmarks on the timing model, each beside
the figure it should show: assembler lines beside documents' cycles, clpeak's
own kernels (out of Debian's program, compiled by ocloc) beside what it printed
on an Arc A770, shapes of OpenCL-Benchmark's kernels beside what it printed on a Max
1100; with XKBENCH also our matrix products beside those of torch, and
with MATMUL those of oneDNN's own kernels on the virtual device, and with SGEMM one of
CLBlast's, of which nobody has published a time on this card.

Rates of a card are compared at the clock its report names: the model's cycles,
which depend on no clock but memory's, are read as cycles of that clock. Bytes
are compared as they are, at the model's own.

Exit 1: a figure is missed (chains of instructions by more than 5 %, bandwidth by
10 %, matrix products by 15 %) without a reason given in timing_kernels.py, or a product is out of its bounds; 77: ocloc or clpeak is not
there (the rest is still checked). The last line says how much CPU all of it took."""
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
import timing_kernels as t  # noqa: E402 (the line above is for it)

CHAIN, BANDWIDTH, PRODUCT = 0.05, 0.10, 0.15
PLATFORM = {"a770": "xehpg", "max1550": "xehpc", "iris-xe": "xelp"}
XVES = {"a770": 16, "max1550": 8, "iris-xe": 16}
THREADS = {"a770": 128, "max1550": 64, "iris-xe": 112}
MOST_ITEMS = {"a770": 1024, "max1550": 1024, "iris-xe": 512}  # of a group
CORES = {"a770": 32, "max1550": 56, "iris-xe": 6}
SIMD = {"a770": 8, "max1550": 16, "iris-xe": 8}
# Six waves of SIMD16 on an A770: the last threads, alone on their XVE, are a
# small part; theirs were a thousand waves and more.
ITEMS = 6 * 512 * 8 * 16
ROW = "%-26s %-8s %10s %10s %7s  %-5s %s"
bad = 0


def run(*command, refusal=None):
    """Standard output; of a command that may refuse, if it says so."""
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False)
    if done.returncode and not (refusal and refusal in done.stdout):
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}{done.stdout}")
    return done.stdout


def say(name, machine, got, want, source, why="", within=CHAIN):
    """A row; counts what is missed without a reason."""
    global bad
    ratio = got / want
    met = abs(ratio - 1) <= within
    bad += not met and not why
    print(ROW % (name, machine, f"{got:.2f}", f"{want:.2f}", f"{ratio:.3f}",
                 "yes" if met else "NO", source + (f"; {why}" if why and not met
                                                   else "")), flush=True)


def timing(xk, *args):
    return json.loads(run(xk, "run", "--json", *args))[0]["timing"]


# ---- assembler ----

def cycles(xk, folder, machine, line, registers, threads, n):
    """A core with so many threads, in as few groups as may be."""
    groups = -(-SIMD[machine] * threads // MOST_ITEMS[machine])
    platform = PLATFORM[machine]
    (folder / "a.asm").write_text(t.text(platform, line, registers, n))
    run(xk, "asm", "-p", platform, "-o", folder / "a.bin", folder / "a.asm")
    barrier = ["--barriers=1"] if "sync.bar" in line else []
    return timing(xk, f"--timing={machine}", "-p", platform, *barrier,
                  f"--simd={SIMD[machine]}", f"--groups={groups * CORES[machine]}",
                  f"--local={SIMD[machine] * threads // groups}", folder / "a.bin", "code",
                  "slm:8192")["cycles"]


def lines(xk, folder):
    print(ROW % ("cycles of a line", "machine", "model", "should", "ratio",
                 "met", "from"))
    for name, machine, line, registers, threads, want, source in t.LINES:
        n = threads if threads > 0 else THREADS[machine]
        # the slope: what begins and ends a thread does not count
        slope = (cycles(xk, folder, machine, line, registers, n, 192) -
                 cycles(xk, folder, machine, line, registers, n, 64)) / 128
        if threads == 0:
            slope *= XVES[machine] / n
        if threads < 0:
            slope /= n  # the core's port
        say(name, machine, slope, want, source)


# ---- OpenCL ----

def compile_all(folder, clpeak):
    for name, text, opts in (("clpeak", t.clpeak_text(clpeak), "-cl-mad-enable"),
                             ("probe", t.PROBE, "-cl-mad-enable"),
                             ("vkpeak", t.CHAINS,
                              "-cl-mad-enable -cl-fast-relaxed-math")):
        (folder / f"{name}.cl").write_text(text)
        run("ocloc", "compile", "-file", folder / f"{name}.cl", "-device", "dg2",
            "-out_dir", folder, "-output", f"{name}.bin", "-output_no_suffix",
            "-options", opts)


def opencl(xk, folder, kernel, kind, width, source):
    """The figure in the unit of its report."""
    clock = t.REPORTED_MHZ
    if kind == "bytes":
        n_b = 64 << 20
        items = n_b // 4 // width // 16
        best = min(timing(xk, "--timing=a770", f"--groups={items // 256}",
                          "--local=256", folder / "clpeak.bin",
                          f"{kernel}_{way}_offset", f"buf:zero:{n_b}",
                          f"buf:zero:{items * 4}")["time_us"]
                   for way in ("local", "global"))
        return n_b / best / 1e3
    if source == t.CLPEAK:
        local, ops = 256, 2 * 1024 * (1 if kind == "iops" else 2)
        last = "s32:3" if kind == "iops" else "f32:1.3"
        file, last = folder / "clpeak.bin", [last]
    else:
        # the probe says how long its chains are: 2048
        local, loop = 128, (128 if source == t.PROBED else 64) // width
        ops, last = loop * 16 * 2 * width, [f"s32:{loop}"]
        file = folder / "vkpeak.bin"
        if source == t.PROBED:
            file, last = folder / "probe.bin", ["f32:1.3"] + last
    got = timing(xk, "--timing=a770", f"--groups={ITEMS // local}",
                 f"--local={local}", file, kernel, f"buf:zero:{ITEMS * 4}", *last)
    return ITEMS * ops / (got["cycles"] / clock) / 1e3


def of_max(xk, folder):
    """The shapes of OpenCL-Benchmark on a Max 1100 and on a stack of a Max 1550."""
    (folder / "pairs.cl").write_text(t.PAIRS)
    run("ocloc", "compile", "-file", folder / "pairs.cl", "-device", "pvc", "-out_dir",
        folder, "-output", "pairs.bin", "-output_no_suffix", "-options", "-cl-mad-enable")
    print("\nMax 1100 at 1550 MHz, a stack of a Max 1550 at 1500: TFLOPS, TIOPS; percent of "
          "the data sheet's GB/s")
    local, waves = 256, 6
    items = waves * CORES["max1550"] * THREADS["max1550"] * 32
    for name, ops, mhz, want, source, why in t.MAX_PAIRS:
        got = timing(xk, "--timing=max1550", f"--groups={items // local}",
                     f"--local={local}", folder / "pairs.bin", f"pairs_{name}",
                     f"buf:zero:{items * 4}")
        say(f"pairs {name}", "max1550", items * ops * mhz / got["cycles"] / 1e6,
            want, source, why)
    for name, size_mb, want, why in t.MAX_MEMORY:
        items = size_mb << 14
        got = timing(xk, "--timing=max1550", f"--groups={items // local}",
                     f"--local={local}", folder / "pairs.bin", name,
                     f"buf:zero:{items * 64}")
        say(name, "max1550", 100 * items * 64 / got["time_us"] / 1638400,
            100 * want / 1228.8, t.MAX_SOURCE, why, BANDWIDTH)


# ---- our kernels ----

def say_bounded(name, machine, got, least, source, eff):
    """A product of unknown kernels, as the lower bound of ours."""
    global bad
    met = least <= got and eff <= 1
    bad += not met
    print(f"{name:32} {machine:8} {got:8.1f}, theirs {least:.1f} ({source}), "
          f"peak {got / eff:.1f}, {'between' if met else 'NOT between'}",
          flush=True)


def bounds(xkbench):
    print("\nTFLOPS of our kernel, above theirs and below the peak; a770 at "
          f"{t.REPORTED_MHZ} MHz, f16 at what the systolic array leaves of it")
    for machine, arch, dt, mb, least, source in t.BOUNDS:
        out = run(xkbench, "--mode=P", f"--platform={arch}", f"--dt={dt}",
                  "--perf-template=@%ops% %ptime% %eff%", t.GEMM % mb,
                  refusal="UNIMPLEMENTED")
        if "\n@" not in out:
            print(f"{dt} {machine}: the generator does not do it")
            continue
        ops, ms, eff = (float(x) for x in out.split("\n@")[1].split()[:3])
        say_bounded(f"{dt} 1x1 1024 x 1024, mb {mb}", machine,
                    ops / ms / 1e9, least, source, eff)


def products(xk, folder, matmul):
    """oneDNN's own kernels; the interval is that of single hypotheses."""
    print("\nTFLOPS of oneDNN's products at the clock that its catalog says; best and "
          "worst of the hypotheses")
    report = folder / "launches.json"
    for machine, platform, dt, n, want, source, slower, why in t.PRODUCTS:
        run(xk, "vgpu", "-p", platform, f"--timing={machine}:all", "--json",
            "-o", report, "--", matmul, dt, n)
        times = [launch["timing"] for launch in
                 json.loads(report.read_text())["launches"]
                 if launch["timing"].get("fmas", 0) > n ** 3 / 2]
        got, best, worst = (2 * n ** 3 / sum(x[key] for x in times) / 1e6 / slower
                            for key in ("time_us", "best_us", "worst_us"))
        say(f"{dt} n={n}, {best:.1f} .. {worst:.1f}", machine, got, want, source,
            why, PRODUCT)


def clblast(xk, folder, sgemm, n):
    """Its product alone, without the transposing launches around it."""
    report = folder / "launches.json"
    run(xk, "vgpu", "-p", "xehpg", "--timing=a770:all", "--json", "-o", report, "--",
        sgemm, n)
    x, = (launch["timing"] for launch in json.loads(report.read_text())["launches"]
          if launch["kernel"] == "Xgemm")
    rates = (2 * n ** 3 / x[key] / 1e6 for key in ("time_us", "worst_us", "best_us"))
    print("\nTFLOPS of CLBlast's f32 product n=%d on a770: %.1f; %.1f .. %.1f, %.0f %% of "
          "the peak" % (n, *rates, 100 * x["efficiency"]), flush=True)


def residency(xkbench):
    """One group a core, then two; along the output channels."""
    print("\nrate with half of the threads over the full rate (a770)")
    for dtype, fma, n, m, want, why in t.RESIDENCY:
        ms = []
        for groups in (1, 2):
            rows, channels = m * 4 * 32 // 64, n * 8 * groups
            out = run(xkbench, "--mode=P", "--dt=" + dtype, "--time-only=0",
                      f"--schedule=fma={fma} m={m} n={n} tg=4x8 grf=256 "
                      "slm=0 slices=1 walk=:po", "--perf-template=@%0ptime%",
                      f"mb1ic2048ih{rows}iw64oc{channels}oh{rows}ow64kh1kw1ph0pw0")
            ms.append(float(out.split("@")[2].split()[0]))
        say(f"{dtype} tile {n} x {m}", "a770", ms[1] / ms[0] / 2, want, "catalog Ep",
            why, t.HALF / want)


class Beside:
    """A script of this folder that runs meanwhile: the parts take two cores."""

    def __init__(self, folder, title, script, *args):
        self.title, self.path = title, folder / (script + ".log")
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([sys.executable, HERE / script, *args],
                                            stdout=out, stderr=subprocess.STDOUT)

    def end(self):
        """Prints; whether it missed something without a reason."""
        code = self.process.wait()
        print(f"\n{self.title}\n{self.path.read_text()}", end="", flush=True)
        return code != 0


def compiled(xk, folder, clpeak):
    """Kernels that ocloc compiles."""
    compile_all(folder, Path(clpeak))
    print(f"\nArc A770 at {t.REPORTED_MHZ} MHz: GFLOPS, GIOPS (2 a "
          "multiply-add); GB/s")
    print(ROW % ("kernel", "machine", "model", "published", "ratio", "met", "from"))
    for kernel, kind, width, want, source, why in t.PUBLISHED:
        got = opencl(xk, folder, kernel, kind, width, source)
        say(kernel, "a770", got, want, source, why or t.OUTLIER.get(kernel, ""),
            BANDWIDTH if kind == "bytes" else CHAIN)
    of_max(xk, folder)


def short(xk, folder):
    """What takes little; whether a part was skipped."""
    lines(xk, folder)
    if len(sys.argv) > 2:
        bounds(sys.argv[2])
        residency(sys.argv[2])
    if len(sys.argv) > 3:
        products(xk, folder, sys.argv[3])
    if len(sys.argv) > 4:
        clblast(xk, folder, sys.argv[4], 1024)
    else:
        print("SKIP: CLBlast's product, without Debian's libclblast-dev")
    clpeak = shutil.which("clpeak")
    if not clpeak or not shutil.which("ocloc"):
        print("SKIP: kernels that Debian's clpeak and ocloc give")
        return True
    compiled(xk, folder, clpeak)
    return False


def main():
    xk = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder, beside = Path(name), []
        beside.append(Beside(folder, "kernels of the GEMM catalog", "catalog.py", xk))
        if len(sys.argv) > 2:
            beside.append(Beside(
                folder, "blockings of convolutions, ranked by oneDNN's regressor: "
                "correlation", "conv_rank.py", sys.argv[2]))
        try:
            skipped = short(xk, folder)
            missed = bad + sum([b.end() for b in beside])
        finally:
            for b in beside:
                b.process.kill()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"figures or parts missed without a reason: {missed}; "
          f"{spent.ru_utime + spent.ru_stime:.0f} s of CPU")
    sys.exit(1 if missed else 77 * skipped)


main()
