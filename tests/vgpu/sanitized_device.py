#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sanitized_device.py XK BUILD: the virtual device of an XK that the sanitizers watch,
with all checkers on, and clients of BUILD, which they do not, because Intel's driver
does not run under ASan: xkbench through Level Zero and OpenCL where there is a generator,
elsewhere the client of the tests threads_PLATFORM. A report of a sanitizer, a finding,
a client that fails, or a device that does not end with 0 is a failure. TAP."""
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

XK = sys.argv[1]
BUILD = Path(sys.argv[2]).resolve()
WAIT_S = 600
LAST = "TbxPort="  # of what clients need; a library to preload is their own
# Several messages, types and launches: dpas and SLM, bytes, zero points (sums in
# front), a gradient by weights (a split sum), a deconvolution.
PROBLEMS = [
    ["--dt=f16", "mb1ic64ih14oc64kh3ph1"],
    ["--dt=u8s8", "--attr-post-ops=sum+relu", "mb1ic32ih9oc32kh3ph1"],
    ["--dt=u8s8", "--attr-zero-points=src:common:2", "mb1ic16ih8oc16kh3ph1"],
    ["--dt=f32", "--dir=BWD_W", "mb2ic16ih12oc16kh3ph1"],
    ["--dt=f16", "--deconv", "mb1ic16ih6oc16oh12kh4sh2ph1"],
]
CLIENTS = [("xehpg", ["tools/xkbench", f"--engine={engine}", *words])
           for engine in ("ze", "ocl") for words in PROBLEMS] + \
          [(platform, ["tests/vgpu/stress_client", "2"])
           for platform in ("xelp", "xehpc")]


def cannot_trace():
    """Why the device may not read its clients' memory; "": it may."""
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    value = scope.read_text(encoding="utf-8").strip() if scope.exists() else "0"
    return "" if value == "0" or os.geteuid() == 0 else \
        f"ptrace_scope is {value}: a device that is no parent cannot read clients"


class Device:
    """One that serves."""

    def __init__(self, platform):
        self.process = subprocess.Popen(
            [XK, "vgpu", "--serve", "-q", "-p", platform, "--check=all"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"})
        self.variables = {}
        for line in self.process.stdout:
            name, _, value = line.rstrip("\n").partition("=")
            self.variables[name] = value
            if line.startswith(LAST):
                break

    def run(self, command):
        """A client of it."""
        env = {**os.environ, **self.variables,
               "LD_PRELOAD": str(BUILD / "libxekern_tbx_lock.so")}
        return subprocess.run([str(BUILD / command[0]), *command[1:]], text=True,
                              capture_output=True, check=False, env=env,
                              timeout=WAIT_S)

    def end(self):
        """(exit code, what it said)."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, said


def main():
    """Command line."""
    tap = Tap()
    if cannot_trace():
        tap.skip("clients of a device under the sanitizers", cannot_trace())
        return tap.end()
    for platform in dict.fromkeys(p for p, _ in CLIENTS):
        device = Device(platform)
        for command in (c for p, c in CLIENTS if p == platform):
            name = f"{platform}: " + " ".join([Path(command[0]).name, *command[1:]])
            if not (BUILD / command[0]).exists():
                tap.skip(name, f"{command[0]} was not built")
                continue
            done = device.run(command)
            if done.returncode == 77:
                tap.skip(name, done.stdout.splitlines()[0])
            else:
                tap.check(not done.returncode, name, done.stdout + done.stderr)
        code, said = device.end()
        tap.check(not code and not said, f"{platform}: the device ends with 0, "
                  "and neither a sanitizer nor a checker says anything",
                  f"exit {code}\n{said}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
