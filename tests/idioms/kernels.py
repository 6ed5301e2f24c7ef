# SPDX-License-Identifier: Apache-2.0
"""Where kernels come from: ours, ocloc's, oneDNN's, and ocloc's with a message
written out. Each function fills a folder and returns its files."""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS / "corpus"), str(TESTS / "random")]
import compile as corpus  # noqa: E402
import random_all  # noqa: E402
import random_groups  # noqa: E402
import random_post_ops  # noqa: E402
import random_problems  # noqa: E402
from schedule_table import draw, fields  # noqa: E402

# A DG2-G10 of stepping C0, as sold; the corpus is compiled for A0.
DEVICE = "12.55.8"
SEED = 20261124
TYPES = {"f32": ["f32"], "f16": ["f16", "f16:f16:f32"],
         "bf16": ["bf16", "bf16:bf16:f32"],
         "u8s8": ["u8s8", "u8:s8:s32", "u8:s8:f32", "s8u8"]}
GRADIENT_TYPES = ["f32", "f16", "f16:f32:f16", "bf16"]
TAGS = ["any", "axb", "abx"]
DRAWN_FOR = ["mb2ic64ih14iw14oc64oh14ow14kh3kw3sh1sw1ph1pw1dh0dw0",
             "mb16ic64ih7iw7oc96oh7ow7kh3kw3sh1sw1ph1pw1dh0dw0",
             "mb1ic3ih20iw20oc16oh20ow20kh5kw5sh1sw1ph2pw2dh0dw0",
             "mb8ic3ih16iw16oc32oh16ow16kh3kw3sh1sw1ph1pw1dh0dw0",
             "mb4ic128ih9iw9oc40oh9ow9kh1kw1sh1sw1ph0pw0dh0dw0",
             "mb1ic19ih9iw9oc21oh8ow8kh2kw2sh1sw1ph0pw0dh0dw0"]
DRAWN = 120  # schedules of each
DRAWN_GRADIENTS = 20  # of each, and type; half of them by weights
RANDOM = 60  # problems of a type
ALL = 300  # of all generators of tests/random in turn, deconvolutions among them
GRADIENTS = 150  # of BWD_D, BWD_W and BWD_WB, all types
GROUPED = 100  # of several groups, a third of them depthwise
POST_OPS = 60  # with functions and what else post_op.def has
FORMULAS = 200  # random ones; a quarter as many nests


def random_lines(scale):
    """Problems of all kinds, more gradients, groups, post-ops: as the tests of
    tests/random draw them, made and not run, for each device: none is named."""
    return ["--conv " + re.sub(r" --device=\S+", "", line)
            .replace("--reset", "--reset --mode=I", 1) for line in drawn(scale)]


def drawn(scale):
    rng = random.Random(SEED)
    for k in range(scale * ALL):
        yield random_all.KINDS[k % len(random_all.KINDS)](rng)
    for _ in range(scale * GRADIENTS):
        yield random_problems.gradient_line(rng, random_problems.problem(rng))
    for _ in range(scale * GROUPED):
        yield random_groups.batch_line(rng, random_groups.problem(rng))
    words = random_post_ops.ELTWISE + random_post_ops.BINARY + \
        random_post_ops.SUMS + ["prelu"]
    for k in range(scale * POST_OPS):
        ops = [words[k % len(words)]] + rng.sample(words, rng.randint(0, 2))
        yield "--reset " + random_post_ops.line(
            rng, rng.choice(random_post_ops.TYPES),
            [random_post_ops.post_op(rng, word) for word in ops])


def batch_lines(xkbench, scale):
    """What xkbench is asked for: the lists, random problems of all kinds, drawn
    schedules, all but the lists scale times."""
    rng = random.Random(SEED)
    table = fields(xkbench)
    lists = sorted((TESTS.parent / "shapes").glob("*.txt"))
    yield from random_lines(scale)
    for types in TYPES.values():
        listed = subprocess.run(
            [sys.executable, TESTS / "random" / "random_problems.py", "--list",
             f"--count={scale * RANDOM}"], check=True,
            stdout=subprocess.PIPE, text=True).stdout.split()
        yield f"--reset --mode=I --dt={types[0]}"
        for tag in TAGS:
            yield f"--stag={tag} --dtag={tag}"
            yield from (f"--batch={path}" for path in lists)
        for problem in listed:
            for dtype in types:
                yield (f"--reset --mode=I --dt={dtype} --stag={rng.choice(TAGS)} "
                       f"--dtag={rng.choice(TAGS)} --dir="
                       f"{rng.choice(['FWD_B', 'FWD_D'])} --attr-post-ops="
                       f"{rng.choice(['relu', 'sum', 'sum:0.5+relu'])} {problem}")
        for problem in DRAWN_FOR:
            for k in range(scale * DRAWN):
                schedule = draw(rng, table).replace(" ", "+")
                yield (f"--reset --mode=I --dt={types[0]} --stag={TAGS[k % 2]} "
                       f"--dtag={TAGS[k % 2]} --schedule={schedule} {problem}")
        yield from old_ports(types, listed)
    yield from drawn_gradients(rng, table, scale)


def old_ports(types, listed):
    """Kernels for a stepping that forbids LSC's messages, every fourth problem."""
    for k, problem in enumerate(listed[::4]):
        for dtype in types:
            way = ("addr=surface", "addr=a64", "slm=2")[k % 3]
            yield (f"--reset --mode=I --device=dg2-g10-a0 --dt={dtype} --stag={TAGS[k % 2]} "
                   f"--dtag={TAGS[k % 2]} --schedule={way} {problem}")


def drawn_gradients(rng, table, scale):
    """Gradients of DRAWN_FOR with drawn schedules, forms of taps among them."""
    for dtype in GRADIENT_TYPES:
        for problem in DRAWN_FOR:
            for k in range(scale * DRAWN_GRADIENTS):
                tag = rng.choice(TAGS)
                schedule = draw(rng, table).replace(" ", "+")
                yield (f"--reset --mode=I --dir={('BWD_W', 'BWD_D')[k % 2]} "
                       f"--dt={dtype} --stag={tag} --dtag={tag} "
                       f"--schedule={schedule} {problem}")


def dumped(command, folder, told):
    """Zebins of what a command makes; it must say `told`."""
    Path(folder).mkdir(exist_ok=True)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env=os.environ | {"XK_DUMP": "zebin", "XK_DUMP_DIR": str(folder)})
    if told not in done.stdout or done.stderr:
        sys.exit(f"{command[0]}: " + (done.stdout + done.stderr)[-500:])
    return sorted(Path(folder).rglob("*zebin.bin"))


def batched(xkbench, lines, folder):
    """Zebins of what xkbench makes of these lines."""
    batch = Path(folder, "batch")
    batch.write_text("\n".join(lines) + "\n")
    return dumped([xkbench, f"--batch={batch}"], Path(folder, "xkbench"), "tests:")


def ours(xkbench, make_many, folder, scale):
    """Zebins of the generator: convolutions, formulas, nests, programs of several
    launches. A schedule that a rule refuses gives none."""
    return batched(xkbench, batch_lines(xkbench, scale), folder) + \
        dumped([make_many, str(scale * FORMULAS)], Path(folder, "many"), "programs")


def compiled(source, out, options, simd):
    """Whether ocloc made `out` of a file; its complaint if not."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["ocloc", "compile", "-file", source, "-device", DEVICE, "--format",
             "zebin", "-output", "k", "-out_dir", folder, "-output_no_suffix",
             "-options", f"{corpus.OPTIONS} {options}".strip()],
            env=os.environ | {"IGC_ForceOCLSIMDWidth": str(simd)}, cwd=folder,
            capture_output=True, text=True, check=False, timeout=600)
        if Path(folder, "k").exists():
            shutil.move(Path(folder, "k"), out)
            return None
        told = [p.read_text() for p in Path(folder).rglob("*errors.txt")]
        reason = re.search(r"^ \* (.*)", "\n".join(told), re.M)
        return reason.group(1) if reason else done.stdout[-400:] + done.stderr


def ocloc(folder):
    """tests/opencl for DG2 C0, at two widths. Messages whose descriptors are
    written out (visa_messages.cl) are no witness, since nobody checks those."""
    jobs = []
    for path in sorted((TESTS / "opencl").glob("*.cl")):
        source = corpus.Source(path)
        if "dg2" in source.platforms and path.stem != "visa_messages":
            jobs += [(path, simd, v) for simd in corpus.PLATFORMS["dg2"][2]
                     for v in source.variants]

    def one(job):
        path, simd, (name, options) = job
        out = Path(folder, f"{path.stem}.{simd}.{name}")
        trouble = compiled(path, out, f"-D XK_DG2 -D XK_SIMD={simd} {options}",
                           simd)
        if trouble:
            sys.exit(f"{path}: {trouble}")
        return out

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, jobs))


def onednn(xk, peer, folder, every):
    """Each every-th line of tests/peer/cases.txt, dumped by the library."""
    lines = [l for l in (TESTS / "peer/cases.txt").read_text().splitlines()
             if l.strip() and not l.startswith("#")][::every]

    def one(k):
        here = Path(folder, str(k))
        here.mkdir()
        (here / "cases").write_text("\n".join(lines[k:k + 16]) + "\n")
        subprocess.run([Path(xk).resolve(), "vgpu", "-q", "-p", "xehpg", "--",
                        Path(peer).resolve(), "cases"],
                       cwd=here, env=os.environ | {"ONEDNN_JIT_DUMP": "1"},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False, timeout=600)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, range(0, len(lines), 16)))
    return sorted(Path(folder).rglob("dnnl_dump_gpu*.bin"))


FORM = re.compile(r"(load|store) (ugm|slm) (flat|bti|stateless) a(32|64) d(\d+)(u32)?(?: x"
                  r"(\d+))?( t)? SIMD(\d+) (\w+)\.(\w+)( prefetch)?")


ATOMIC = re.compile(r"atomic_(\w+) ugm (flat|bti) a(32|64) d32 SIMD(\d+) df\.df")


def atomic(form):
    """A form that adds and answers nothing, or None."""
    m = ATOMIC.fullmatch(form)
    if not m:
        return None
    op, space, bits, simd = m.groups()
    where = {"flat": "flat", "bti": "bti(0x1)"}[space]
    return (f'"lsc_atomic_{op}.ugm (M1_NM, {simd}) V0:d32 {where}[%1]:a{bits} %0 V0"'
            ' : "+rw"(r) : "rw"(' + ("p" if bits == "64" else "o") + ")")


def statement(form):
    """A message form as inline vISA, or None."""
    m = FORM.fullmatch(form)
    if not m:
        return atomic(form)
    op, port, space, bits, data, narrow, vec, block, simd, l1, l3, none = \
        m.groups()
    where = {"flat": "flat", "bti": "bti(0x1)", "stateless": "bti(0xff)"}[space]
    value = "V0" if none else "%0"
    size = f"d{data}{'c32' if narrow else ''}" + \
        (f"x{vec}" if vec and vec != "1" or block else "") + ("t" if block else "")
    at = f"{where}[%1]:a{bits}"
    cache = "" if l1 == l3 == "df" else f".{l1}.{l3}"
    words = f"{value}:{size} {at}" if op == "load" else f"{at} {value}:{size}"
    return (f'"lsc_{op}.{port}{cache} (M1_NM, {simd}) {words}"'
            ' : "+rw"(r) : "rw"(' + ("p" if bits == "64" else "o") + ")")


KERNEL = """kernel __attribute__((intel_reqd_sub_group_size(%u)))
void form(global uint *a, global uint *b)
{
    uint o = get_local_id(0) * 64;
    ulong p = (ulong)b;
    uint16 r = o;
    __asm__ volatile(%s);
    a[get_global_id(0)] = r.s0 + r.sf + b[1];
}
"""
PREDICATED = ["load ugm bti a32 d32 x2 SIMD8 df.df", "load ugm bti a32 d32 SIMD16 df.df",
              "store ugm bti a32 d32 x2 SIMD8 df.df", "store ugm bti a32 d32 SIMD16 df.df",
              "load ugm bti a32 d32 x16 t SIMD1 df.df",
              "store ugm bti a32 d32 x16 t SIMD1 df.df"]


def predicated(form):
    """The statement below a flag that all lanes compute."""
    words, operands = re.fullmatch(r'"(.*)" (:.*)', statement(form)).groups()
    lanes = 8 if "SIMD8" in form else 16
    return (f'"{{\\n.decl P1 v_type=P num_elts={lanes}\\n"\n'
            f'        "cmp.eq (M1_NM, {lanes}) P1 %1(0,0)<1;1,0> 0x1:ud\\n"\n'
            f'        "(P1) {words}\\n}}" {operands}')


def forced(forms, folder):
    """(form, file or the compiler's complaint) for each form; and for messages
    with a predicate, without a form."""
    jobs = [(form, form, statement(form)) for form in forms]
    jobs += [(None, form + " predicated", predicated(form)) for form in PREDICATED]

    def one(job):
        _, name, said = job
        if said is None:
            return "no inline vISA for it is known here"
        simd = 8 if "SIMD8" in name else 16
        path = Path(folder, re.sub(r"\W", "_", name) + ".cl")
        path.write_text(KERNEL % (simd, said))
        made = path.with_suffix(".zebin")
        return compiled(path, made, "", simd) or made

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [(job[0], got) for job, got in zip(jobs, pool.map(one, jobs))]
