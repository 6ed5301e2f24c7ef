#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vgpu_cli.py XK PLANTED: the verb xk vgpu as a user would try it: wrong usage,
exit statuses, signals, checkers on a program with planted bugs, reports, device
time against the program's own event times, serving. PLANTED is planted.c,
which names its kernels. TAP."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

XK, PLANTED = (str(Path(a).absolute()) for a in sys.argv[1:3])
ICD = "/etc/OpenCL/vendors/intel.icd"
TICK_NS = 84  # of the device's timer, rounded up
ROUGH = 1.01  # the driver takes a tick for 83.33 ns, the device for 83
TAP = Tap()

# Arguments behind "vgpu", exit code, what stderr says.
WRONG = [
    ([], 2, r"no program given behind --"),
    (["--"], 2, r"no program given behind --"),
    (["true"], 2, r"true: no option; the program stands behind --"),
    (["--dance", "--", "true"], 2, r"--dance: unknown option"),
    (["--serve", "--", "true"], 2, r"serve: .*'true' is given"),
    (["-p", "vax", "--", "true"], 2, r"vax"),
    (["--platform", "--", "true"], 2, r"platform"),
    (["--port=65536", "--", "true"], 2, r"port=65536"),
    (["--port=any", "--", "true"], 2, r"port=any"),
    (["--check=mem,luck", "--", "true"], 2, r"check=mem,luck: 'luck'"),
    (["--timing=gtx", "--", "true"], 2, r"timing=gtx: is none of a770, "),
    (["--threads=1025", "--", "true"], 2, r"threads=1025"),
    (["--memory=-1", "--", "true"], 2, r"memory=-1"),
    (["--limit=few", "--", "true"], 2, r"limit=few"),
    (["--seed=x", "--", "true"], 2, r"seed=x"),
    (["--trace=/no/such/dir/t", "--", "true"], 1, r"trace=/no/such/dir/t"),
    (["-o", "/no/such/dir/t", "--", "true"], 1, r"output=/no/such/dir/t"),
    (["--", "/no/such/program"], 127, r"/no/such/program: cannot be started"),
    (["--", "/etc"], 126, r"/etc: cannot be started"),
]
# What a shell does, and the code that xk vgpu ends with.
ENDINGS = [("exit 0", 0), ("exit 1", 1), ("exit 77", 77), ("exit 255", 255),
           ("kill -SEGV $$", 139), ("kill -KILL $$", 137)]


def vgpu(*args, **more):
    return subprocess.run([XK, "vgpu", *args], capture_output=True, text=True,
                          check=False, timeout=120, **more)


def usage():
    for args, code, says in WRONG:
        run = vgpu(*args)
        TAP.check(run.returncode == code and re.search(says, run.stderr),
               f"{' '.join(args) or 'nothing'}: {code}",
               f"{run.returncode} {run.stderr}")
    text = vgpu("--help")
    TAP.check(text.returncode == 0 and not text.stderr and
           all(w in text.stdout for w in ("xelp", "xehpg", "xehpc", "--check",
                                          "--serve", "126", "127", "128 + n")),
           "the help names platforms and exit codes", text.stdout)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        port = other.getsockname()[1]
        run = vgpu(f"--port={port}", "--", "true")
        TAP.check(run.returncode == 1 and str(port) in run.stderr,
               "a port that is taken", run.stderr)


def endings():
    for what, code in ENDINGS:
        run = vgpu("-q", "--", "sh", "-c", what)
        TAP.check(run.returncode == code and not run.stderr, f"{what}: {code}",
               f"{run.returncode} {run.stderr}")
    run = vgpu("-q", "--", "sh", "-c", 'echo "$1:$TbxServer"; cat', "sh", "a b",
               input="typed")
    TAP.check(run.stdout == "a b:127.0.0.1\ntyped",
           "arguments, stdin and stdout are the program's own", run.stdout)


def signals():
    """Sent to xk alone, so that only handing on brings them to the program."""
    script = "trap 'echo got; exit 9' {}; echo ready; while :; do sleep .1; done"
    for name in ("INT", "TERM", "HUP", "QUIT"):
        number = getattr(signal, "SIG" + name)
        if signal.getsignal(number) == signal.SIG_IGN:
            # nohup, a job in the background: ignoring is inherited, and no
            # shell can trap what it ignored from the start.
            signal.signal(number, signal.SIG_DFL)
        with subprocess.Popen([XK, "vgpu", "-q", "--", "bash", "-c",
                               script.format(name)], text=True,
                              start_new_session=True,
                              stdout=subprocess.PIPE) as xk:
            xk.stdout.readline()
            xk.send_signal(number)
            try:
                out, _ = xk.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(xk.pid, signal.SIGKILL)
                out, _ = xk.communicate()
        TAP.check(out == "got\n" and xk.returncode == 9,
               f"SIG{name} is handed on", f"{xk.returncode} {out}")
    with subprocess.Popen([XK, "vgpu", "-q", "--", "sleep", "60"],
                          start_new_session=True) as xk:
        time.sleep(0.5)
        xk.terminate()
        TAP.check(xk.wait(60) == 128 + signal.SIGTERM,
               "a program that a signal ends: 128 + n", xk.returncode)


def checks():
    clean = vgpu("--check=all", "--", PLANTED, "step", "2")
    TAP.check(clean.returncode == 0 and "finding" not in clean.stderr,
           "a right program has no findings", clean.stderr)
    for platform in ("xelp", "xehpg", "xehpc"):
        copied = vgpu("--platform=" + platform, "--check=all", "--", PLANTED,
                      "step", "2", "copied")
        TAP.check(copied.returncode == 0 and "finding" not in copied.stderr and
               "CopyBuffer" in copied.stderr,
               f"{platform}: nor has the driver's copy kernel", copied.stderr)
    for kernel, check, says in (
            ("clash", "race", "another thread"),
            ("wild", "mem", "beyond the end of its surface")):
        run = vgpu("--check=" + check, "--", PLANTED, kernel)
        told = len(re.findall(rf"^{check}: ", run.stderr, re.MULTILINE))
        TAP.check(run.returncode == 1 and told and
               re.search(rf"^{check}: kernel '{kernel}': .*{says}", run.stderr,
                         re.MULTILINE) and
               re.search(rf"^{told} finding{'s' if told > 1 else ''}$", run.stderr, re.MULTILINE),
               f"{check} finds {kernel} by its name; 1", run.stderr)
        full = vgpu("--trace=/dev/full", "--", PLANTED, kernel)
        TAP.check(full.returncode == 1 and "trace=/dev/full: cannot be written" in
                  full.stderr, f"{kernel}: a trace to a full disk is a failure",
                  full.stderr)
        plain = vgpu("--", PLANTED, kernel)
        TAP.check(plain.returncode == 0 and "finding" not in plain.stderr,
               f"{kernel} unchecked: the program's own exit status",
               f"{plain.returncode} {plain.stderr}")
    failed = vgpu("--check=race", "--", "sh", "-c", '"$0" clash; exit 5',
                  PLANTED)
    TAP.check(failed.returncode == 5 and "race: kernel" in failed.stderr,
           "a program that failed keeps its status beside findings",
           f"{failed.returncode} {failed.stderr}")


def spans(text):
    """What the program's events say, in ns."""
    return [int(b) - int(a) for a, b in re.findall(r"^(\d+) (\d+)$", text, re.M)]


def agrees(told_ns, own):
    """Begin and end are each taken with one look at the clock."""
    slack = 2 * TICK_NS * len(own)
    return told_ns > 0 and told_ns - slack <= sum(own) <= told_ns * ROUGH + slack


def device_time(folder):
    for platform in ("xelp", "xehpg", "xehpc"):
        for how in ([], ["--timing"]):
            path = folder + "/report.json"
            run = vgpu("-p", platform, *how, "--json", "-o", path, "--",
                       PLANTED, "step", "3")
            told = json.loads(Path(path).read_text(encoding="utf-8"))
            sums = {k["kernel"]: k for k in told["kernels"]}
            step = sums.get("step", {"launches": 0, "stats": {"device_ns": 0}})
            ns, own = step["stats"]["device_ns"], spans(run.stdout)
            TAP.check(run.returncode == 0 and step["launches"] == len(own) == 3 and
                   told["platform"] == platform and agrees(ns, own),
                   f"{platform} {' '.join(how)}: {ns} ns of device time, its "
                   f"events say {sum(own)}", run.stderr)
    text = vgpu("--", PLANTED, "step", "3")
    line = re.search(r"^ +3 +\d+ +\d+ +([\d.]+) +[\d.]+  step$", text.stderr,
                     re.MULTILINE)
    TAP.check(line and agrees(float(line[1]) * 1000, spans(text.stdout)),
           "the summary tells the same in microseconds", text.stderr)


def reports(folder):
    trace = folder + "/trace"
    run = vgpu("--stats", "--trace", trace, "-o", folder + "/text", "--",
               PLANTED, "step")
    text = Path(folder, "text").read_text(encoding="utf-8")
    TAP.check(run.returncode == 0 and "step for xehpg: " in text and
           re.search(r"send\.ugm|send\.dc", text) and not run.stderr,
           "--stats tells each launch and instruction, -o takes it",
           text + run.stderr)
    lines = Path(trace).read_text(encoding="utf-8").splitlines()
    ends = [line for line in lines if "EOT" in line]
    TAP.check(ends and all(re.match(r"\d+,0,0:\d+ 0x[0-9a-f]{4} ", e)
                        for e in ends),
           "--trace has each thread's end", "\n".join(lines[:5]))
    run = vgpu("--json", "--stats", "--check=race", "--", PLANTED, "clash")
    told = json.loads(run.stderr[run.stderr.index("\n{"):])
    TAP.check(told["findings"] > 0 and told["launches"][0]["kernel"] == "clash" and
           told["launches"][0]["instructions"] and
           "clash" in told["said"][0], "--json parses and has all of it",
           run.stderr)
    run = vgpu("--limit=3", "--check=mem", "--", PLANTED, "step")
    TAP.check(run.returncode in (1, 3) and
           re.search(r"step: the launch has failed", run.stderr),
           "a refused launch is said with the kernel's name", run.stderr)


def serve():
    """Clients started by hand with the environment that was printed."""
    with subprocess.Popen([XK, "vgpu", "--serve"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as xk:
        printed = {}
        while "OCL_ICD_VENDORS" not in printed:
            name, value = xk.stdout.readline().rstrip("\n").split("=", 1)
            printed[name] = value
        for _ in range(2):
            run = subprocess.run([PLANTED, "step", "2"], check=False, text=True,
                                 env={**os.environ, **printed}, timeout=120,
                                 capture_output=True)
            TAP.check(run.returncode == 0 and len(spans(run.stdout)) == 2,
                   "a client with the printed environment",
                   f"{run.returncode} {run.stderr}")
        xk.send_signal(signal.SIGINT)
        _, said = xk.communicate(timeout=60)
        TAP.check(xk.returncode == 0 and
               re.search(r"^ +4 .*  step$", said, re.MULTILINE),
               "SIGINT ends the server with the sum of both",
               f"{xk.returncode} {said}")


def main():
    os.environ.pop("OCL_ICD_VENDORS", None)
    usage()
    endings()
    signals()
    if not Path(ICD).exists():
        TAP.skip("launches", "no Intel OpenCL driver (package "
                 "intel-opencl-icd)")
        return TAP.end()
    checks()
    with tempfile.TemporaryDirectory() as folder:
        device_time(folder)
        reports(folder)
    serve()
    return TAP.end()


sys.exit(main())
